#include "runtime/tune/copies.h"

#include <cstring>

#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

Copies::Copies(std::span<const uint64_t> slots, std::span<const TsrWritten> written)
    : slots_(slots.begin(), slots.end()) {
    for (const TsrWritten& one : written) {
        const Result<int64_t> bytes =
            dense_bytes(one.tensor->dtype, {one.tensor->dl.shape, static_cast<size_t>(one.tensor->dl.ndim)});
        TsrStorage* storage = bytes ? try_allocate(*bytes, Contents::undefined) : nullptr;
        if (storage == nullptr) {
            complete_ = false;
            return;
        }
        copies_.push_back({tsr_data(one.tensor), storage});
        slots_[static_cast<size_t>(one.slot)] = reinterpret_cast<uint64_t>(storage->data);
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
