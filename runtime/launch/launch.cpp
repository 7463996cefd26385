// Launches: on the GPU where the program runs on one that the kernel has code for, else on the processor.
#include "runtime/clock.h"
#include "runtime/device/cuda/pending.h"
#include "runtime/device/cuda/recording.h"
#include "runtime/launch/on_cpu.h"
#include "runtime/launch/on_gpu.h"
#include "runtime/tensor/home.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime {

namespace {

void bring_home(const TsrKernelFamily& family, TsrTensor* const* tensors) {
    for (int32_t slot = 0; family.uses != nullptr && slot < family.nslots; ++slot) {
        if (family.uses[slot] == TSR_SLOT_READ) read_at_home(*tensors[slot]);
        if (family.uses[slot] == TSR_SLOT_WRITTEN) write_at_home(*tensors[slot]);
    }
}

}  // namespace

}  // namespace tsr::runtime

extern "C" {

void tsr_launch(const TsrKernelFamily* family, const uint64_t* slots, TsrTensor* const* tensors, int64_t total,
                uint64_t* result, const TsrPlace* place) {
    using namespace tsr::runtime;
    if (total <= 0) return;
    const cuda::Call call{*family, slots, tensors, total, place};
    if (const TsrKernelVariant* variant = cuda::find_variant(call)) {
        cuda::run_variant(call, *variant, result);
        return;
    }
    cuda::spoil_recording();
    bring_home(*family, tensors);
    const TsrKernelVariant& variant = choose_variant(*family, slots, place);
    Messages messages(*family);
    LaunchTimes times{};
    if (trace_enabled()) times.begin = now();
    run_variant(*family, variant, slots, total, result, messages, place, trace_enabled() ? &times.packed : nullptr);
    if (trace_enabled()) {
        times.end = now();
        trace_launch(*family, variant, slots, total, place, times);
    }
    messages.deliver();
}

int32_t tsr_on_gpu(const TsrTensor* tensor, const TsrKernelFamily* family) {
    return family != nullptr && tsr::runtime::cuda::runs(*family, *tensor) ? 1 : 0;
}

// Launches on the processor are over when tsr_launch returns; on a device that failed there are none.
void tsr_wait(void) {
    using namespace tsr::runtime;
    cuda::Device* device = cuda::open_device();
    if (device == nullptr || !device->lost.empty()) return;
    cuda::enter(*device);
    cuda::wait(*device, nullptr);
}
}
