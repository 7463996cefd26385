#include "runtime/device/cuda/memory.h"

#include <algorithm>
#include <map>

#include "runtime/device/cuda/pending.h"
#include "runtime/fail.h"
#include "runtime/memory.h"

namespace tsr::runtime::cuda {

namespace {

// Without pools: blocks that were freed, by size. All launches are on one stream, so that a block can be used again at
// once.
std::multimap<size_t, Pointer>& kept() {
    static auto* blocks = new std::multimap<size_t, Pointer>;
    return *blocks;
}

// Few sizes, so that blocks fit again: eight steps between powers of two.
size_t block_size(int64_t bytes) {
    size_t size = std::max<size_t>(static_cast<size_t>(bytes), 256);
    size_t step = 32;
    while (step * 16 < size) step *= 2;
    return (size + step - 1) / step * step;
}

Status try_allocate(Device& device, Pointer& memory, size_t size) {
    if (device.pool != nullptr) return device.driver.allocate_ordered(&memory, size, device.stream);
    const auto found = kept().find(size);
    if (found == kept().end()) return device.driver.allocate(&memory, size);
    memory = found->second;
    kept().erase(found);
    return kSuccess;
}

void give_back(Device& device) {
    check(device, device.driver.wait_stream(device.stream), "waiting for memory", nullptr);
    if (device.pool != nullptr) device.driver.trim_pool(device.pool, 0);
    for (const auto& [size, memory] : kept()) device.driver.free(memory);
    kept().clear();
}

}  // namespace

Pointer allocate(Device& device, int64_t bytes, const TsrPlace* place) {
    const size_t size = block_size(bytes);
    Pointer memory = 0;
    Status status = try_allocate(device, memory, size);
    if (status == kOutOfMemory) {
        give_back(device);
        status = try_allocate(device, memory, size);
    }
    if (status == kOutOfMemory) {
        size_t free = 0, total = 0;
        const bool known = device.driver.memory_info(&free, &total) == kSuccess;
        fail(place, "%s: out of memory: asked for %s, free are %s of %s", device_text(device).c_str(),
             in_units(bytes).c_str(), in_units(known ? static_cast<int64_t>(free) : -1).c_str(),
             in_units(known ? static_cast<int64_t>(total) : -1).c_str());
    }
    check(device, status, "making memory", place);
    return memory;
}

void free(Device& device, Pointer memory, int64_t bytes) {
    if (!device.lost.empty()) return;
    device.driver.set_current(device.context);
    if (device.pool != nullptr) {
        device.driver.free_ordered(memory, device.stream);
    } else {
        kept().emplace(block_size(bytes), memory);
    }
}

}  // namespace tsr::runtime::cuda
