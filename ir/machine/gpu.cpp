#include "ir/machine/gpu.h"

#include <algorithm>
#include <array>

namespace tsr::ir {

namespace {

const std::array<GpuMachine, 9> kGpuMachines{{
    {.name = "sm_70",
     .capability = 70,
     .shared_bytes = 96 * kKiB,
     .resident_shared_bytes = 96 * kKiB,
     .resident_threads = 2048,
     .rates = {.of_warps = 512, .of_threads = 64}},
    {.name = "sm_75",
     .capability = 75,
     .shared_bytes = 64 * kKiB,
     .resident_shared_bytes = 64 * kKiB,
     .resident_threads = 1024,
     .rates = {.of_warps = 512, .of_threads = 64}},
    {.name = "sm_80",
     .capability = 80,
     .shared_bytes = 163 * kKiB,
     .resident_shared_bytes = 164 * kKiB,
     .resident_threads = 2048,
     .rates = {.of_warps = 1024, .of_threads = 64},
     .async_copies = true},
    {.name = "sm_86",
     .capability = 86,
     .shared_bytes = 99 * kKiB,
     .resident_shared_bytes = 100 * kKiB,
     .resident_threads = 1536,
     .rates = {.of_warps = 512, .of_threads = 128},
     .async_copies = true},
    {.name = "sm_89",
     .capability = 89,
     .shared_bytes = 99 * kKiB,
     .resident_shared_bytes = 100 * kKiB,
     .resident_threads = 1536,
     .rates = {.of_warps = 512, .of_threads = 128},
     .async_copies = true,
     .multiplies_fp8 = true},
    {.name = "sm_90",
     .capability = 90,
     .shared_bytes = 227 * kKiB,
     .resident_shared_bytes = 228 * kKiB,
     .resident_threads = 2048,
     .rates = {.of_warps = 1270, .of_threads = 128},
     .async_copies = true},
    {.name = "sm_90a",
     .capability = 90,
     .exact = true,
     .shared_bytes = 227 * kKiB,
     .resident_shared_bytes = 228 * kKiB,
     .resident_threads = 2048,
     .rates = {.of_groups = 2048, .of_warps = 1270, .of_threads = 128},
     .async_copies = true,
     .group_products = true,
     .box_copies = true,
     .box_stores = true},
    {.name = "sm_100a",
     .capability = 100,
     .exact = true,
     .shared_bytes = 227 * kKiB,
     .resident_shared_bytes = 228 * kKiB,
     .resident_threads = 2048,
     .rates = {.of_warps = 1270, .of_threads = 128},
     .async_copies = true},
    {.name = "sm_120a",
     .capability = 120,
     .exact = true,
     .shared_bytes = 99 * kKiB,
     .resident_shared_bytes = 100 * kKiB,
     .resident_threads = 1536,
     .rates = {.of_warps = 512, .of_threads = 128},
     .async_copies = true,
     .multiplies_fp8 = true},
}};

}  // namespace

const GpuMachine* gpu_machine(const std::string& name) {
    auto found = std::ranges::find(kGpuMachines, name, &GpuMachine::name);
    return found == kGpuMachines.end() ? nullptr : &*found;
}

std::vector<std::string> gpu_machine_names() {
    std::vector<std::string> names;
    for (const GpuMachine& machine : kGpuMachines) names.push_back(machine.name);
    return names;
}

}  // namespace tsr::ir
