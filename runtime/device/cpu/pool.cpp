#include "runtime/device/cpu/pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

#include <sched.h>

#include "runtime/environment.h"

namespace tsr::runtime {

namespace {

// How long a thread looks for the next loop before it sleeps: about 20 microseconds, the time that waking takes.
constexpr int kSpins = 500;

int count_workers() {
    if (const auto wish = wished_workers()) return *wish;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
}

void pause() { __builtin_ia32_pause(); }

}  // namespace

Pool::Pool() : workers_(count_workers()) {}

Pool& Pool::instance() {
    static Pool* pool = new Pool;
    return *pool;
}

void Pool::start_threads() {
    started_ = true;
    for (int worker = 1; worker < workers_; ++worker) {
        try {
            std::thread([this, worker] { serve(worker); }).detach();
        } catch (const std::system_error&) {
            workers_ = worker;  // the system gives no more threads: those there are do the work
        }
    }
}

void Pool::run(int64_t tasks, Work work, void* context) {
    if (tasks <= 0) return;
    if (tasks == 1 || workers_ == 1) return work(context, 0, 0, tasks);
    if (!started_) start_threads();
    work_ = work;
    context_ = context;
    tasks_ = tasks;
    next_.store(0, std::memory_order_relaxed);
    gate_.store(kOpen, std::memory_order_release);
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
    take_chunks(0);
    close();
}

void Pool::take_chunks(int worker) {
    while (true) {
        int64_t first = next_.load(std::memory_order_relaxed);
        int64_t last = 0;
        do {
            if (first >= tasks_) return;
            last = first + std::max<int64_t>(1, (tasks_ - first) / (16 * workers_));
        } while (!next_.compare_exchange_weak(first, last, std::memory_order_relaxed));
        work_(context_, worker, first, last);
    }
}

// A thread that wakes late finds the gate closed and has nothing to do.
bool Pool::enter() {
    uint32_t gate = gate_.load(std::memory_order_relaxed);
    do {
        if (!(gate & kOpen)) return false;
    } while (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire));
    return true;
}

void Pool::leave() {
    if (gate_.fetch_sub(1, std::memory_order_release) == 1) gate_.notify_one();
}

void Pool::close() {
    uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acquire) & ~kOpen;
    for (int spin = 0; inside != 0 && spin < kSpins; ++spin) {
        pause();
        inside = gate_.load(std::memory_order_acquire);
    }
    while (inside != 0) {
        gate_.wait(inside, std::memory_order_acquire);
        inside = gate_.load(std::memory_order_acquire);
    }
}

void Pool::serve(int worker) {
    uint32_t seen = 0;
    while (true) {
        for (int spin = 0; calls_.load(std::memory_order_relaxed) == seen && spin < kSpins; ++spin) pause();
        calls_.wait(seen, std::memory_order_acquire);
        seen = calls_.load(std::memory_order_acquire);
        if (!enter()) continue;
        take_chunks(worker);
        leave();
    }
}

}  // namespace tsr::runtime

extern "C" int32_t tsr_workers(void) { return tsr::runtime::Pool::instance().workers(); }
