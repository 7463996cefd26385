#include "lsp/inbox.h"

#include <algorithm>

namespace tsr::lsp {

void Inbox::put(Json message) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(message));
    if (own_work_) cancel_ = true;
    arrived_.notify_one();
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
    if (working_on_ == id) cancel_ = true;
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
    cancel_ = false;
    working_on_ = below(*next.message, {"id"});
    return next;
}

bool Inbox::begin_own_work() {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty() || ended_) return false;
    cancel_ = false;
    own_work_ = true;
    return true;
}

bool Inbox::was_cancelled() {
    const std::lock_guard lock(mutex_);
    return cancel_;
}

}  // namespace tsr::lsp
