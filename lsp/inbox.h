// Messages on their way from the thread that reads them to the one that works on them, and what may be given up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "lsp/json.h"

namespace tsr::lsp {

class Inbox {
public:
    // Work is given up while this is set.
    [[nodiscard]] const std::atomic<bool>& cancel() const { return cancel_; }

    // ---- the reading thread ----
    // It ends work that nobody asked for: that would speak of the text before. Requests that it makes worthless
    // (`outdates`, asked of each that waits) are given back; the one that is worked on is told to give up.
    std::vector<Json> put(Json message, const std::function<bool(const Json& request)>& outdates = {});
    // `$/cancelRequest`: the request, where it still waits; one that is being answered is told to give up.
    std::optional<Json> take_back(const Json& id);
    void end();  // there are no more messages

    // ---- the working thread ----
    struct Next {
        std::optional<Json> message;  // none: there are no more
        bool nothing_yet = false;     // only where `wait` is false
    };
    // Waits for a message, or with `wait` false says that there is none. Ends the work before.
    Next take(bool wait);
    // The work that follows may be given up: nobody asked for it. False: a message has come, which goes first.
    bool begin_own_work();
    // The work on a request was given up: its client asked for that, or a change of the text has made it worthless.
    [[nodiscard]] bool was_cancelled();
    [[nodiscard]] bool was_outdated();

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Json> waiting_;
    bool ended_ = false;
    bool own_work_ = false;
    Json working_on_;  // the request; null: none
    bool outdated_ = false;
    std::atomic<bool> cancel_ = false;
};

}  // namespace tsr::lsp
