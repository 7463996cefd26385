// The thread that finds what programs cost: nobody waits for it, and the next keystroke ends its work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lsp/analysis.h"

namespace tsr::lsp {

class CostThread {
public:
    // `found` is called on this thread when a program has got its costs; `failed` with what went wrong inside.
    CostThread(std::function<void()> found, std::function<void(const std::string&)> failed);
    ~CostThread();
    CostThread(const CostThread&) = delete;
    CostThread& operator=(const CostThread&) = delete;

    // Instead of what was wanted before: the first goes first. Those that have their costs are left out.
    void want(const std::vector<std::shared_ptr<const Analysis>>& programs);
    // The texts are about to change. Of any thread.
    void give_up() { want({}); }

private:
    using Program = std::shared_ptr<const Analysis>;

    void work();
    void find(const Program& program);

    std::function<void()> found_;
    std::function<void(const std::string&)> failed_;
    std::mutex mutex_;
    std::condition_variable wanted_or_ended_;
    std::vector<Program> wanted_;
    Program working_on_;
    bool ended_ = false;
    std::atomic<bool> cancel_ = false;
    std::thread thread_;  // begins when the others are there
};

}  // namespace tsr::lsp
