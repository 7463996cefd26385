#include "runtime/tensor/storage.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "runtime/device/cuda/memory.h"
#include "runtime/memory.h"

namespace tsr::runtime {

namespace {

// From here on memory comes from the system page by page: zero without being touched, given back at once.
constexpr int64_t kMapFrom = int64_t{1} << 20;

void* map_pages(int64_t bytes) {
    if (!has_memory(bytes)) return nullptr;
    void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    if (bytes >= kHugePage) madvise(data, static_cast<size_t>(bytes), MADV_HUGEPAGE);
    return data;
}

}  // namespace

TsrStorage* try_allocate(int64_t bytes, Contents contents) {
    auto* storage = new (std::nothrow) TsrStorage;
    if (storage == nullptr) return nullptr;
    storage->bytes = bytes;
    if (bytes >= kMapFrom) {
        storage->mapped = true;
        storage->data = map_pages(bytes);
    } else {
        const auto size = static_cast<size_t>(rounded_up(bytes > 0 ? bytes : 1, kAlignment));
        storage->data = std::aligned_alloc(kAlignment, size);
        if (storage->data != nullptr && contents == Contents::zero) std::memset(storage->data, 0, size);
    }
    if (storage->data == nullptr) {
        delete storage;
        return nullptr;
    }
    return storage;
}

TsrStorage* allocate(int64_t bytes, Contents contents, const TsrPlace* place) {
    TsrStorage* storage = try_allocate(bytes, contents);
    if (storage == nullptr) out_of_memory(bytes, place);
    return storage;
}

void retain(TsrStorage* storage) { storage->refs.fetch_add(1, std::memory_order_relaxed); }

void release(TsrStorage* storage) {
    if (storage->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (storage->device != 0) cuda::free(*cuda::open_device(), storage->device, storage->bytes);
    if (storage->borrowed) {
        // Its owner frees it.
    } else if (storage->mapped) {
        munmap(storage->data, static_cast<size_t>(storage->bytes));
    } else {
        std::free(storage->data);
    }
    delete storage;
}

}  // namespace tsr::runtime
