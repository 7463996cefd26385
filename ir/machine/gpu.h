// What is true of each generation of NVIDIA GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsr::ir {

inline constexpr int64_t kKiB = 1024;  // bytes

// CUDA C++ Programming Guide, "Compute Capabilities"; PTX ISA, `.target`.
struct GpuMachine {
    std::string name;      // "sm_90a"
    int32_t capability;    // 10 * major + minor
    bool exact;            // an 'a' target: it runs on this capability alone; others on this one and later ones
    int64_t shared_bytes;  // the most that a block can have
    bool async_copies;     // cp.async
    bool group_products;   // wgmma: products of four warps, of operands in panels of shared memory
    bool box_copies;       // cp.async.bulk.tensor: copies of boxes of tensors into such panels
    bool box_stores;       // and from there
};

// The same where boxes are copied into shared memory alone.
inline GpuMachine without_box_stores(GpuMachine machine) {
    machine.box_stores = false;
    return machine;
}
// The same where tensors have no boxes.
inline GpuMachine without_boxes(GpuMachine machine) {
    machine.box_copies = false;
    return without_box_stores(machine);
}

inline constexpr int64_t kWarp = 32;
inline constexpr int64_t kMostThreads = 1024;   // of a block
inline constexpr int64_t kAccess = 16;          // bytes of the widest access of a thread
inline constexpr int64_t kBoxAlignment = 1024;  // bytes; of shared memory that boxes are copied to or from

// Null for a name that is none of them.
const GpuMachine* gpu_machine(const std::string& name);
// Lowest capability first.
std::vector<std::string> gpu_machine_names();

}  // namespace tsr::ir
