#include "lsp/slow_work.h"

#include "base/cancel.h"

namespace tsr::lsp {

SlowWork::SlowWork(Answer answer) : answer_(std::move(answer)), thread_([this] { run(); }) {}

SlowWork::~SlowWork() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        for (Request& request : requests_) request.cancelled = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void SlowWork::add(Json id, SlowTask task) {
    const std::lock_guard lock(mutex_);
    Request& request = requests_.emplace_back();
    request.id = std::move(id);
    request.task = std::move(task);
    arrived_.notify_one();
}

void SlowWork::cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    for (Request& request : requests_) {
        if (request.id == id) request.cancelled = true;
    }
}

void SlowWork::run() {
    while (true) {
        Request* request = nullptr;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return ended_ || !requests_.empty(); });
            if (requests_.empty()) return;
            request = &requests_.front();
        }
        answer_(request->id, [request]() -> Json {
            if (request->cancelled.load()) throw Cancelled();
            return request->task(request->cancelled);
        });
        const std::lock_guard lock(mutex_);
        requests_.pop_front();
    }
}

}  // namespace tsr::lsp
