// Requests that take seconds, answered by a thread of their own while others are worked on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "lsp/json.h"

namespace tsr::lsp {

// What such a request still has to do: it knows no document any more. Raises Cancelled when the flag is set.
using SlowTask = std::function<Json(const std::atomic<bool>& cancel)>;

class SlowWork {
public:
    // `answer` is called for each request, by the thread: it calls the task.
    using Answer = std::function<void(const Json& id, const std::function<Json()>& task)>;
    explicit SlowWork(Answer answer);
    ~SlowWork();  // what is not done yet is cancelled
    SlowWork(const SlowWork&) = delete;
    SlowWork& operator=(const SlowWork&) = delete;

    void add(Json id, SlowTask task);
    // `$/cancelRequest`; nothing where it is none of these.
    void cancel(const Json& id);

private:
    struct Request {
        Json id;
        SlowTask task;
        std::atomic<bool> cancelled = false;
    };
    void run();

    Answer answer_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Request> requests_;  // the first is worked on
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace tsr::lsp
