// What is true of each generation of NVIDIA GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsr::ir {

inline constexpr int64_t kKiB = 1024;  // bytes

// CUDA C++ Programming Guide, "Compute Capabilities" and "Technical Specifications per Compute Capability"; PTX ISA,
// `.target`.
struct GpuMachine {
    std::string name;        // "sm_90a"
    int32_t capability = 0;  // 10 * major + minor
    bool exact = false;      // an 'a' target: it runs on this capability alone; others on this one and later ones

    // Limits. A multiprocessor keeps 1 KiB of shared memory of each block for itself from capability 80 on.
    int64_t shared_bytes = 0;           // the most that a block can have
    int64_t resident_shared_bytes = 0;  // that all blocks of a multiprocessor have together
    int64_t resident_threads = 0;       // of a multiprocessor

    // Multiply-adds of operands of 16 bits that a multiprocessor does in a cycle, from NVIDIA's papers on TU102, GA100,
    // GA102, AD102, GH100 and GB202: by warp groups (0: it has no such products), by warps, by threads one by one.
    // Warps of GH100 get 62 in 100 of what its warp groups do (Luo et al., "Benchmarking and Dissecting the Nvidia
    // Hopper GPU Architecture via Microbenchmarking", 2024).
    struct Rates {
        double of_groups = 0, of_warps = 0, of_threads = 0;
    } rates;

    bool async_copies = false;    // cp.async
    bool multiplies_fp8 = false;  // warps have a unit for products of fp8: ptxas makes no others of them
    bool group_products = false;  // wgmma: products of four warps, of operands in panels of shared memory
    bool box_copies = false;      // cp.async.bulk.tensor: copies of boxes of tensors into such panels
    bool box_stores = false;      // and from there
};

// The same for tensors whose rows do not suit TMA tensor copies.
inline GpuMachine without_boxes(GpuMachine machine) {
    machine.box_copies = machine.box_stores = false;
    return machine;
}

inline constexpr int64_t kWarp = 32;
inline constexpr int64_t kMostThreads = 1024;   // of a block
inline constexpr int64_t kAccess = 16;          // bytes of the widest access of a thread
inline constexpr int64_t kBoxAlignment = 1024;  // bytes; of shared memory that boxes are copied to or from

// Registers of 32 bits, on every generation.
inline constexpr int64_t kRegisterFile = 65536;  // of a multiprocessor, and of a block at the most
inline constexpr int64_t kMostRegisters = 255;   // of a thread
// A multiprocessor has so many schedulers with equal parts of them; a warp's registers are in one part.
inline constexpr int64_t kRegisterParts = 4;

// What a multiprocessor gets of memory, about the same on every generation.
inline constexpr double kSharedRate = 128;   // bytes of shared memory in a cycle
inline constexpr double kCacheRate = 64;     // bytes of the second cache in a cycle
inline constexpr double kLoadLatency = 600;  // cycles of a load from memory

// Null for a name that is none of them.
const GpuMachine* gpu_machine(const std::string& name);
// Lowest capability first.
std::vector<std::string> gpu_machine_names();

}  // namespace tsr::ir
