#include "runtime/tensor/storage.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <sys/mman.h>

#include "runtime/device/cuda/copies.h"
#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

constexpr int64_t kAlignment = 64;
// From here on memory comes from the system page by page: zero without being touched, given back at once.
constexpr int64_t kMapFrom = int64_t{1} << 20;
constexpr int64_t kHugePage = int64_t{2} << 20;
// The system promises memory that it does not have; below this size nobody is asked what is really free.
constexpr int64_t kAskFrom = int64_t{256} << 20;

int64_t rounded_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

// MemAvailable and SwapFree of /proc/meminfo; -1 when unknown.
int64_t free_bytes() {
    std::FILE* file = std::fopen("/proc/meminfo", "re");
    if (file == nullptr) return -1;
    char line[128];
    long long available = -1, swap = 0;  // KiB
    static constexpr char kAvailable[] = "MemAvailable:";
    static constexpr char kSwap[] = "SwapFree:";
    while (std::fgets(line, sizeof line, file) != nullptr) {
        if (std::strncmp(line, kAvailable, sizeof kAvailable - 1) == 0) {
            available = std::strtoll(line + sizeof kAvailable - 1, nullptr, 10);
        } else if (std::strncmp(line, kSwap, sizeof kSwap - 1) == 0) {
            swap = std::strtoll(line + sizeof kSwap - 1, nullptr, 10);
        }
    }
    std::fclose(file);
    return available < 0 ? -1 : (available + swap) * 1024;
}

bool is_there(int64_t bytes) {
    if (bytes < kAskFrom) return true;
    const int64_t available = free_bytes();
    return available < 0 || bytes <= available;
}

[[noreturn]] void out_of_memory(int64_t bytes, const TsrPlace* place) {
    fail(place, "out of memory: asked for %s, free are %s", in_units(bytes).c_str(), in_units(free_bytes()).c_str());
}

void* map_pages(int64_t bytes) {
    if (!is_there(bytes)) return nullptr;
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
        auto size = static_cast<size_t>(rounded_up(bytes > 0 ? bytes : 1, kAlignment));
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

void require_memory(int64_t bytes, const TsrPlace* place) {
    if (!is_there(bytes)) out_of_memory(bytes, place);
}

std::string in_units(int64_t bytes) {
    if (bytes < 0) return "unknown";
    if (bytes >= int64_t{1} << 30) return text("%.2f GiB", static_cast<double>(bytes) / (1 << 30));
    return text("%.2f MiB", static_cast<double>(bytes) / (1 << 20));
}

void retain(TsrStorage* storage) { storage->refs.fetch_add(1, std::memory_order_relaxed); }

void release(TsrStorage* storage) {
    if (storage->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (storage->device != 0) cuda::release_copy(*storage);
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

extern "C" {

void* tsr_allocate(int64_t bytes, const TsrPlace* place) {
    using namespace tsr::runtime;
    const int64_t unit = bytes >= kHugePage ? kHugePage : kAlignment;
    auto size = static_cast<size_t>(rounded_up(bytes > 0 ? bytes : 1, unit));
    void* memory = bytes < 0 ? nullptr : std::aligned_alloc(static_cast<size_t>(unit), size);
    if (memory != nullptr && unit == kHugePage) madvise(memory, size, MADV_HUGEPAGE);
    if (memory == nullptr) out_of_memory(bytes, place);
    return memory;
}

void tsr_free(void* memory) { std::free(memory); }
}
