// The threads of a process: one loop at a time, its rounds handed out in chunks that shrink towards the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace tsr::runtime {

class Pool {
public:
    // Work on tasks [first, last) by one worker, 0 … workers - 1; worker 0 is the caller.
    using Work = void (*)(void* context, int worker, int64_t first, int64_t last);

    // Made at first use and never destroyed: threads may outlive main.
    static Pool& instance();

    int workers() const { return workers_; }
    // Returns when all `tasks` are done. One task, or one worker, runs on the caller alone.
    void run(int64_t tasks, Work work, void* context);

private:
    Pool();
    void start_threads();
    void serve(int worker);
    void take_chunks(int worker);
    bool enter();
    void leave();
    void close();

    static constexpr uint32_t kOpen = 1u << 31;

    int workers_;
    bool started_ = false;
    // The loop that is open. Written by the caller while nobody is inside.
    Work work_ = nullptr;
    void* context_ = nullptr;
    int64_t tasks_ = 0;
    alignas(64) std::atomic<int64_t> next_{0};
    alignas(64) std::atomic<uint32_t> gate_{0};   // kOpen, and how many threads are inside
    alignas(64) std::atomic<uint32_t> calls_{0};  // counts loops: what sleeping threads wait on
};

}  // namespace tsr::runtime
