#include "runtime/tune/copies.h"

#include <cstring>

#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

Copies::Copies(const TsrKernelFamily& family, std::span<const uint64_t> slots, TsrTensor* const* tensors)
    : slots_(slots.begin(), slots.end()) {
    for (size_t slot = 0; family.uses != nullptr && slot < slots.size(); ++slot) {
        if (family.uses[slot] != TSR_SLOT_WRITTEN) continue;
        const TsrTensor& tensor = *tensors[slot];
        const Result<int64_t> bytes = dense_bytes(tensor.dtype, shape(tensor));
        TsrStorage* storage = bytes ? try_allocate(*bytes, Contents::undefined) : nullptr;
        if (storage == nullptr) {
            complete_ = false;
            return;
        }
        copies_.push_back({tsr_data(&tensor), storage});
        slots_[slot] = reinterpret_cast<uint64_t>(storage->data);
    }
}

Copies::~Copies() {
    for (const Copy& copy : copies_) release(copy.storage);
}

void Copies::restore() {
    for (const Copy& copy : copies_) {
        if (copy.storage->bytes > 0)
            std::memcpy(copy.storage->data, copy.original, static_cast<size_t>(copy.storage->bytes));
    }
}

}  // namespace tsr::runtime
