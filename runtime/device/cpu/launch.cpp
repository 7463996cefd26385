// Launches: the variant of a kernel that fits, run by all cores.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "runtime/device/cpu/messages.h"
#include "runtime/device/cpu/pool.h"
#include "runtime/fail.h"
#include "runtime/trace.h"

namespace tsr::runtime {

namespace {

bool holds(const TsrGuard& guard, const uint64_t* slots) {
    auto value = static_cast<int64_t>(slots[guard.slot]);
    switch (static_cast<TsrGuardOp>(guard.op)) {
        case TSR_GUARD_LESS:
            return value < guard.value;
        case TSR_GUARD_AT_LEAST:
            return value >= guard.value;
        case TSR_GUARD_EQUAL:
            return value == guard.value;
        case TSR_GUARD_DIVISIBLE:
            return value % guard.value == 0;
    }
    return false;
}

bool accepts(const TsrKernelVariant& variant, const uint64_t* slots) {
    for (int32_t i = 0; i < variant.nguards; ++i) {
        if (!holds(variant.guards[i], slots)) return false;
    }
    return variant.accepts == nullptr || variant.accepts(slots) != 0;
}

const TsrKernelVariant& choose(const TsrKernelFamily& family, const uint64_t* slots, const TsrPlace* place) {
    uint64_t features = tsr_cpu_features();
    bool has_machine = false;
    for (int32_t i = 0; i < family.nvariants; ++i) {
        const TsrKernelVariant& variant = family.variants[i];
        if (variant.machine != TSR_MACHINE_X86_64 || (variant.features & ~features) != 0) continue;
        has_machine = true;
        if (accepts(variant, slots)) return variant;
    }
    fail(place,
         has_machine ? "kernel %s: no variant in this executable takes these arguments"
                     : "kernel %s: this executable holds no code for this processor",
         family.name);
}

// Memory for each worker, kept from launch to launch and grown when a kernel needs more.
class Scratch {
public:
    void reserve(int workers, int64_t bytes, const TsrPlace* place) {
        if (bytes <= bytes_) return;
        blocks_.resize(static_cast<size_t>(workers), nullptr);
        for (void*& block : blocks_) {
            tsr_free(block);
            block = nullptr;
        }
        bytes_ = 0;
        for (void*& block : blocks_) block = tsr_allocate(bytes, place);
        bytes_ = bytes;
    }
    void* of(int worker) const { return blocks_[static_cast<size_t>(worker)]; }

private:
    std::vector<void*> blocks_;
    int64_t bytes_ = 0;
};

Scratch& scratch() {
    static auto* instance = new Scratch;
    return *instance;
}

struct Launch {
    const TsrKernelVariant& variant;
    const uint64_t* slots;
    int64_t total;
    uint64_t* result;
    Messages& messages;

    static void work(void* context, int worker, int64_t first, int64_t last) {
        auto& launch = *static_cast<Launch*>(context);
        // After a failed assertion the rest is not begun.
        if (launch.messages.failed()) return;
        TsrTask task{worker, 0, launch.total, launch.result, &launch.messages};
        void* memory = launch.variant.scratch > 0 ? scratch().of(worker) : nullptr;
        int64_t begin = first * launch.variant.task;
        int64_t end = std::min(last * launch.variant.task, launch.total);
        launch.variant.entry(launch.slots, begin, end, memory, &task);
    }
};

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" void tsr_launch(const TsrKernelFamily* family, const uint64_t* slots, int64_t total, uint64_t* result,
                           const TsrPlace* place) {
    if (total <= 0) return;
    const TsrKernelVariant& variant = choose(*family, slots, place);
    Pool& pool = Pool::instance();
    if (variant.scratch > 0) scratch().reserve(pool.workers(), variant.scratch, place);
    uint64_t unused = 0;
    Messages messages(*family);
    Launch launch{variant, slots, total, result != nullptr ? result : &unused, messages};
    double begin = trace_enabled() ? tsr_time() : 0;
    pool.run((total - 1) / variant.task + 1, Launch::work, &launch);
    if (trace_enabled()) trace_launch(*family, variant, slots, total, place, begin, tsr_time());
    messages.deliver();
}

// Launches on the CPU are over when tsr_launch returns.
extern "C" void tsr_wait(void) {}
