// Memory of tensors: counted, aligned to 64 bytes, zeroed on request.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/abi.h"

struct TsrStorage {
    std::atomic<int32_t> refs{1};
    bool mapped = false;
    bool borrowed = false;  // somebody else frees it
    void* data = nullptr;
    int64_t bytes = 0;
};

namespace tsr::runtime {

enum class Contents : uint8_t { undefined, zero };

// NULL when the system has no such amount.
TsrStorage* try_allocate(int64_t bytes, Contents contents);
// Fails with what was asked and what is free.
TsrStorage* allocate(int64_t bytes, Contents contents, const TsrPlace* place);
void retain(TsrStorage* storage);
void release(TsrStorage* storage);

}  // namespace tsr::runtime
