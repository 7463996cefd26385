#include "runtime/tensor/storage.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/device/cuda/memory.h"
#include "runtime/memory.h"
#include "runtime/tensor/kept_pages.h"
#include "runtime/tensor/memory_use.h"

namespace tsr::runtime {

namespace {

// From here on memory comes in pages. malloc would map such blocks, too, and give them back at once.
constexpr int64_t kPagesFrom = int64_t{128} << 10;

void find_memory(TsrStorage& storage, Contents contents) {
    const int64_t bytes = storage.bytes;
    bool zeroed = false;
    if (bytes >= kPagesFrom) {
        const PageBlock block = take_pages(bytes);
        storage.data = block.data;
        storage.pages = block.pages;
        storage.mapped = block.mapped;
        storage.block = block.size;
        zeroed = block.zeroed;
    } else {
        // Not aligned_alloc: it takes blocks apart, and joins them when they are freed.
        const int64_t size = rounded_up(bytes > 0 ? bytes : 1, kAlignment) + kAlignment;
        storage.block_of_malloc = std::malloc(static_cast<size_t>(size));
        if (storage.block_of_malloc == nullptr) return;
        const auto begin = reinterpret_cast<intptr_t>(storage.block_of_malloc);
        storage.data = static_cast<char*>(storage.block_of_malloc) + (rounded_up(begin, kAlignment) - begin);
    }
    if (storage.data == nullptr) return;
    if (contents == Contents::zero && !zeroed) std::memset(storage.data, 0, static_cast<size_t>(bytes));
    if (contents == Contents::undefined && poisons_memory()) poison(storage.data, bytes);
}

}  // namespace

TsrStorage* try_allocate(int64_t bytes, Contents contents) {
    auto* storage = new (std::nothrow) TsrStorage;
    if (storage == nullptr) return nullptr;
    storage->bytes = bytes;
    find_memory(*storage, contents);
    if (storage->data == nullptr) {
        delete storage;
        return nullptr;
    }
    if (counts_memory()) memory_taken(bytes);
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
    if (!storage->borrowed) {
        if (counts_memory()) memory_left(storage->bytes);
        if (poisons_memory()) poison(storage->data, storage->bytes);
        if (storage->pages != nullptr) {
            give_pages(
                {.data = storage->data, .pages = storage->pages, .mapped = storage->mapped, .size = storage->block});
        } else {
            std::free(storage->block_of_malloc);
        }
    }
    delete storage;
}

}  // namespace tsr::runtime
