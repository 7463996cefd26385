#include "runtime/launch/on_gpu.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/device/cuda/images.h"
#include "runtime/device/cuda/maps.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/device/cuda/pending.h"
#include "runtime/device/cuda/recording.h"
#include "runtime/device/cuda/spread.h"
#include "runtime/device/cuda/timer.h"
#include "runtime/environment.h"
#include "runtime/fail.h"
#include "runtime/launch/capture.h"
#include "runtime/launch/guards.h"
#include "runtime/tensor/device_copy.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime::cuda {

namespace {

// A table without images stands for code that could not be made.
bool is_code(const TsrKernelVariant& variant) {
    return variant.machine == TSR_MACHINE_CUDA && variant.cuda->nimages > 0;
}

bool has_code(const TsrKernelFamily& family) {
    return family.uses != nullptr && std::any_of(family.variants, family.variants + family.nvariants, is_code);
}

bool is_tensor(const Call& call, int32_t slot) { return call.family.uses[slot] != TSR_SLOT_VALUE; }

bool all_can_have_copies(const Call& call) {
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        if (is_tensor(call, slot) && !can_have_copy(*call.tensors[slot]->storage)) return false;
    }
    return true;
}

// The slots with addresses of the device; all tensors have copies.
std::vector<uint64_t> device_slots(const Call& call) {
    std::vector<uint64_t> slots(call.slots, call.slots + call.family.nslots);
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        if (is_tensor(call, slot)) slots[static_cast<size_t>(slot)] = address_of(*call.tensors[slot]);
    }
    return slots;
}

std::string targets_of(const TsrKernelFamily& family) {
    std::string all;
    for (int32_t i = 0; i < family.nvariants; ++i) {
        const TsrKernelVariant& variant = family.variants[i];
        if (!is_code(variant)) continue;
        std::string target = text("sm_%d%s", variant.cuda->capability, variant.cuda->exact != 0 ? "a" : "");
        if (all.find(target) == std::string::npos) all += (all.empty() ? "" : ", ") + target;
    }
    return all;
}

// The code is there, the device as well, but they do not fit.
const TsrKernelVariant* unfit(const Device& device, const Call& call) {
    if (device.asked_for) {
        fail(call.place, "kernel %s: its code is for %s; %s needs other code (TESSERA_DEVICE=cpu runs without it)",
             call.family.name, targets_of(call.family).c_str(), device_text(device).c_str());
    }
    return nullptr;
}

bool waits_for_each() {
    static const bool wish = wished("TESSERA_CUDA_WAIT").value_or(false);
    return wish;
}

// As many blocks at a time as the hardware takes. Each launch is added to `made`.
Status launch_all(const Device& device, Function function, const TsrCudaKernel& kernel, std::vector<uint64_t>& slots,
                  std::vector<TensorMap>& maps, int64_t total, std::vector<GridLaunch>* made) {
    const size_t own = slots.size() - 3;
    const auto launch = [&](int64_t blocks, int64_t cluster) {
        GridLaunch one{function, blocks, cluster, &kernel, slots, maps};
        const Status status = launch_grid(device, one);
        if (made != nullptr) made->push_back(std::move(one));
        return status;
    };
    const int64_t groups = (total - 1) / kernel.per_block + 1;
    const auto [blocks, cluster] = spread_of(device, function, kernel, groups);
    if (blocks < groups) {
        slots[own + 1] = static_cast<uint64_t>(total);
        return launch(blocks, cluster);
    }
    const int64_t most = device.max_blocks / cluster * cluster;
    for (int64_t first = 0; first < blocks; first += most) {
        const int64_t count = std::min(most, blocks - first);
        const int64_t whole = (count + cluster - 1) / cluster * cluster;
        slots[own] = static_cast<uint64_t>(first * kernel.per_block);
        slots[own + 1] = static_cast<uint64_t>(std::min(total, (first + count) * kernel.per_block));
        const Status status = launch(whole, cluster);
        if (status != kSuccess) return status;
    }
    return kSuccess;
}

// Groups, or elements of a flat kernel, or what parts groups are divided into.
int64_t work_of(const Call& call, const TsrCudaKernel& kernel) {
    int64_t all = 0;
    if (__builtin_mul_overflow(call.total, kernel.parts, &all)) {
        fail(call.place, "kernel %s: %lld groups of %lld parts each are more than a launch can count", call.family.name,
             static_cast<long long>(call.total), static_cast<long long>(kernel.parts));
    }
    return all;
}

// Stands for a tensor that does not begin where kernels want it: a dense view of another one.
struct Aligned {
    int32_t slot;
    Pointer memory;
    int64_t bytes;
};

std::vector<Aligned> align_tensors(Device& device, const Call& call, std::vector<uint64_t>& slots) {
    std::vector<Aligned> made;
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        uint64_t& address = slots[static_cast<size_t>(slot)];
        if (!is_tensor(call, slot) || address % TSR_CUDA_ALIGNMENT == 0) continue;
        const TsrTensor& tensor = *call.tensors[slot];
        const Result<int64_t> bytes = dense_bytes(tensor.dtype, shape(tensor));
        if (!bytes || *bytes == 0) continue;
        const Pointer memory = allocate(device, *bytes, call.place);
        const Status status = device.driver.copy(memory, address, static_cast<size_t>(*bytes), device.stream);
        check(device, status, "copying", call.place);
        made.push_back({slot, memory, *bytes});
        address = memory;
    }
    return made;
}

// Brings back what the kernel wrote.
void end_aligned(Device& device, const Call& call, const std::vector<Aligned>& all) {
    for (const Aligned& one : all) {
        if (call.family.uses[one.slot] == TSR_SLOT_WRITTEN) {
            const Pointer to = address_of(*call.tensors[one.slot]);
            const Status status = device.driver.copy(to, one.memory, static_cast<size_t>(one.bytes), device.stream);
            check(device, status, "copying", call.place);
        }
        free(device, one.memory, one.bytes);
    }
}

// Brings the tensors in and launches; what the kernel says goes to the mailbox, which may be NULL. The timer, which may
// be NULL, measures the launch alone.
void start(Device& device, const Call& call, const TsrKernelVariant& variant, const Mailbox* mailbox, Timer* timer,
           bool recorded) {
    const TsrCudaKernel& kernel = *variant.cuda;
    const int64_t total = work_of(call, kernel);
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        if (!is_tensor(call, slot)) continue;
        TsrStorage& storage = *call.tensors[slot]->storage;
        if (storage.device_stale && storage.fresh != Fresh::undefined) spoil_recording();
        bring_in(device, storage, call.place);
    }
    std::vector<uint64_t> slots = device_slots(call);
    const std::vector<Aligned> aligned = align_tensors(device, call, slots);
    auto maps = make_maps(device, kernel, call.tensors, slots.data());
    if (!maps) fail(call.place, "kernel %s: the driver does not describe its tensors", call.family.name);
    slots.insert(slots.end(), {0, 0, mailbox != nullptr ? mailbox->device : 0});
    Function function = load(device, kernel, call.place).function;
    if (timer != nullptr) timer->begin();
    std::vector<GridLaunch> made;
    const Status status = launch_all(device, function, kernel, slots, *maps, total, recorded ? &made : nullptr);
    if (timer != nullptr && status == kSuccess) timer->end();
    if (status != kSuccess) {
        const std::string doing = text("launching kernel %s", call.family.name);
        check(device, status, doing.c_str(), call.place);
    }
    if (recorded && (mailbox != nullptr || !aligned.empty())) spoil_recording();
    if (recorded) record(call, std::move(made));
    end_aligned(device, call, aligned);
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        if (call.family.uses[slot] == TSR_SLOT_WRITTEN) written_there(*call.tensors[slot]->storage);
    }
    add_pending(call.family, kernel, mailbox, call.place);
}

bool takes(const Device& device, const TsrKernelVariant& variant) {
    return is_code(variant) && fits(device, *variant.cuda);
}

struct Found {
    const TsrKernelVariant* variant = nullptr;
    bool unfit = false;                    // there is code, but none for this device or these sizes
    const std::string* refusal = nullptr;  // what the driver said of the last image, if it took none
};

Found look_for_variant(const Call& call) {
    if (!has_code(call.family)) return {};
    Device* device = cuda::device();
    if (device == nullptr || !all_can_have_copies(call)) return {};
    enter(*device);
    const auto* variants = call.family.variants;
    const auto taken = [&](const TsrKernelVariant& variant) { return takes(*device, variant); };
    if (std::none_of(variants, variants + call.family.nvariants, taken)) return {.unfit = true};
    for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
        if (is_tensor(call, slot)) make_copy(*device, *call.tensors[slot]->storage, call.place);
    }
    const std::vector<uint64_t> slots = device_slots(call);
    Found found;
    for (int32_t i = 0; i < call.family.nvariants; ++i) {
        if (!taken(variants[i]) || !accepts(variants[i], slots.data())) continue;
        if (!make_maps(*device, *variants[i].cuda, call.tensors, slots.data())) continue;
        const Loaded& loaded = load(*device, *variants[i].cuda, call.place);
        if (loaded.function != nullptr) return {.variant = &variants[i]};
        found.refusal = &loaded.refusal;
    }
    found.unfit = found.refusal == nullptr;
    return found;
}

}  // namespace

bool runs(const TsrKernelFamily& family, const TsrTensor& tensor) {
    if (!has_code(family) || !can_have_copy(*tensor.storage)) return false;
    const Device* device = cuda::device();
    return device != nullptr && std::any_of(family.variants, family.variants + family.nvariants,
                                            [&](const TsrKernelVariant& variant) { return takes(*device, variant); });
}

const TsrKernelVariant* fitting_variant(const Call& call) { return look_for_variant(call).variant; }

const TsrKernelVariant* find_variant(const Call& call) {
    const Found found = look_for_variant(call);
    if (found.refusal != nullptr) {
        fail(call.place, "kernel %s: the driver of %s takes none of its code: %s (TESSERA_DEVICE=cpu runs without it)",
             call.family.name, device_text(*cuda::device()).c_str(), found.refusal->c_str());
    }
    return found.variant != nullptr || !found.unfit ? found.variant : unfit(*cuda::device(), call);
}

void run_variant(const Call& call, const TsrKernelVariant& variant, uint64_t* result) {
    Device& device = *cuda::device();
    const Mailbox* mailbox = variant.cuda->needs_context != 0 ? &next_mailbox(device, call.place) : nullptr;
    std::optional<Timer> timer;
    if (trace_enabled()) timer.emplace(device, call.place);
    start(device, call, variant, mailbox, timer ? &*timer : nullptr, recording());
    const bool given = result != nullptr && mailbox != nullptr;
    if (!given && !timer && !waits_for_each()) return;
    check(device, device.driver.wait_stream(device.stream), "waiting", call.place);
    if (given) *result = mailbox->host->result;
    if (timer) {
        const double end = now(), begin = end - timer->elapsed();
        trace_launch(call.family, variant, call.slots, call.total, call.place, {begin, begin, end},
                     device_text(device));
    }
    wait(device, call.place);
}

double measure_variant(const Call& call, const TsrKernelVariant& variant) {
    Device& device = *cuda::device();
    wait(device, call.place);
    const Mailbox* mailbox = variant.cuda->needs_context != 0 ? &next_mailbox(device, call.place) : nullptr;
    Timer timer(device, call.place);
    start(device, call, variant, mailbox, &timer, false);
    check(device, device.driver.wait_stream(device.stream), "waiting", call.place);
    const double taken = timer.elapsed();
    forget_messages();
    return taken;
}

}  // namespace tsr::runtime::cuda
