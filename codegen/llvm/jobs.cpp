#include "codegen/llvm/jobs.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace tsr::codegen {

void run_jobs(size_t count, const std::function<void(size_t)>& job) {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i = next++; i < count; i = next++) job(i);
    };
    std::vector<std::future<void>> helpers;
    const size_t threads = std::min<size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
    for (size_t i = 1; i < threads; ++i) helpers.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace tsr::codegen
