#include "lsp/inbox.h"

#include <algorithm>
#include <utility>

namespace tsr::lsp {

std::vector<Json> Inbox::put(Json message, const std::function<bool(const Json& request)>& outdates) {
    const std::lock_guard lock(mutex_);
    std::vector<Json> outdated;
    if (outdates) {
        for (Json& request : waiting_) {
            if (outdates(request)) outdated.push_back(std::exchange(request, nullptr));
        }
        std::erase(waiting_, nullptr);
        if (!working_on_.is_null() && outdates(working_on_)) outdated_ = cancel_ = true;
    }
    waiting_.push_back(std::move(message));
    if (own_work_) cancel_ = true;
    arrived_.notify_one();
    return outdated;
}

std::optional<Json> Inbox::take_back(const Json& id) {
    const std::lock_guard lock(mutex_);
    if (id.is_null()) return std::nullopt;
    const auto found = std::ranges::find_if(
        waiting_, [&](const Json& m) { return below(m, {"id"}) == id && !below(m, {"method"}).is_null(); });
    if (found != waiting_.end()) {
        Json request = std::move(*found);
        waiting_.erase(found);
        return request;
    }
    if (below(working_on_, {"id"}) == id) cancel_ = true;
    return std::nullopt;
}

void Inbox::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (own_work_) cancel_ = true;  // requests that were read are answered
    arrived_.notify_one();
}

Inbox::Next Inbox::take(bool wait) {
    std::unique_lock lock(mutex_);
    own_work_ = false;
    working_on_ = nullptr;
    if (wait) arrived_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return {std::nullopt, !ended_};
    Next next{std::move(waiting_.front()), false};
    waiting_.pop_front();
    cancel_ = outdated_ = false;
    if (next.message->contains("id")) working_on_ = *next.message;
    return next;
}

bool Inbox::begin_own_work() {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty() || ended_) return false;
    cancel_ = false;
    own_work_ = true;
    return true;
}

bool Inbox::was_outdated() {
    const std::lock_guard lock(mutex_);
    return outdated_;
}

bool Inbox::was_cancelled() {
    const std::lock_guard lock(mutex_);
    return cancel_;
}

}  // namespace tsr::lsp
