#include "runtime/tune/copies.h"

#include <cstring>

#include "runtime/tensor/home.h"

namespace tsr::runtime {

Copies::Copies(const TsrKernelFamily& family, std::span<const uint64_t> slots, TsrTensor* const* tensors)
    : slots_(slots.begin(), slots.end()) {
    for (size_t slot = 0; family.uses != nullptr && slot < slots.size(); ++slot) {
        const int use = family.uses[slot];
        tensors_.push_back(use != TSR_SLOT_VALUE ? tensors[slot] : nullptr);
        if (use != TSR_SLOT_WRITTEN) continue;
        Result<TensorRef> made = try_make_tensor(tensors[slot]->dtype, shape(*tensors[slot]), Contents::undefined);
        if (!made) {
            complete_ = false;
            return;
        }
        copies_.push_back({tensors[slot], *made});
        tensors_[slot] = made->get();
        slots_[slot] = reinterpret_cast<uint64_t>(tsr_data(made->get()));
    }
}

void Copies::restore(bool on_device, const TsrPlace* place) {
    for (const Copy& copy : copies_) {
        if (on_device) {
            cuda::copy_there(*cuda::open_device(), *copy.copy, *copy.original, place);
            continue;
        }
        read_at_home(*copy.original);
        write_at_home(*copy.copy);
        const int64_t bytes = copy.copy->storage->bytes;
        if (bytes > 0) std::memcpy(tsr_data(copy.copy.get()), tsr_data(copy.original), static_cast<size_t>(bytes));
    }
    // What is only read.
    for (size_t slot = 0; !on_device && slot < tensors_.size(); ++slot) {
        if (tensors_[slot] != nullptr) read_at_home(*tensors_[slot]);
    }
}

}  // namespace tsr::runtime
