#include "lsp/cost_thread.h"

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

#include "lsp/costs.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

// Behind the other threads where there are fewer processors than threads. On Linux a thread has a priority of its own.
void step_back() { (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10); }

}  // namespace

CostThread::CostThread(std::function<void()> found, std::function<void(const std::string&)> failed)
    : found_(std::move(found)), failed_(std::move(failed)), thread_([this] { work(); }) {}

CostThread::~CostThread() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        cancel_ = true;
        wanted_or_ended_.notify_one();
    }
    thread_.join();
}

void CostThread::want(const std::vector<Program>& programs) {
    const std::lock_guard lock(mutex_);
    wanted_ = programs;
    std::erase_if(wanted_, [](const Program& program) { return program->costs() != nullptr; });
    if (working_on_ && std::erase(wanted_, working_on_) == 0) cancel_ = true;
    if (!wanted_.empty()) wanted_or_ended_.notify_one();
}

void CostThread::work() {
    step_back();
    while (true) {
        Program program;
        {
            std::unique_lock lock(mutex_);
            wanted_or_ended_.wait(lock, [&] { return ended_ || !wanted_.empty(); });
            if (ended_) return;
            program = wanted_.front();
            wanted_.erase(wanted_.begin());
            working_on_ = program;
            cancel_ = false;
        }
        find(program);
        // Whoever waits for the lock does not wait for the end of a program.
        const std::lock_guard lock(mutex_);
        working_on_.reset();
    }
}

void CostThread::find(const Program& program) {
    try {
        program->keep(std::make_shared<const Costs>(find_costs(*program, cancel_)));
        found_();
    } catch (const Cancelled&) {
        // Its text has changed.
    } catch (const std::exception& error) {
        program->keep(std::make_shared<const Costs>());
        failed_(error.what());
    }
}

}  // namespace tsr::lsp
