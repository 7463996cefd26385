// Memory of tensors: counted, aligned to 64 bytes, zeroed on request.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/abi.h"

namespace tsr::runtime {

// What the host's memory holds until somebody writes it.
enum class Fresh : uint8_t { no, undefined, zero };

}  // namespace tsr::runtime

struct TsrStorage {
    std::atomic<int32_t> refs{1};
    bool borrowed = false;  // somebody else frees it
    bool gaps = false;      // borrowed, and between the elements is what is none of the tensor
    void* data = nullptr;
    int64_t bytes = 0;
    // Where it lies in pages of its own (kept_pages.h), or NULL, and what malloc gave for it.
    void* pages = nullptr;
    void* block_of_malloc = nullptr;
    int64_t mapped = 0, block = 0;
    // Its copy on a GPU (device_copy.h); 0: there is none.
    uint64_t device = 0;
    bool host_stale = false;    // the copy was written last
    bool device_stale = false;  // the host's memory was
    tsr::runtime::Fresh fresh = tsr::runtime::Fresh::no;
    uint8_t looks = 0;  // at single elements of the copy since it was written
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
