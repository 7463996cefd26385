#include "ir/machine/gpu.h"

#include <algorithm>
#include <array>

namespace tsr::ir {

namespace {

const std::array<GpuMachine, 9> kGpuMachines{{
    {"sm_70", 70, false, 96 * kKiB, false, false, false, false},
    {"sm_75", 75, false, 64 * kKiB, false, false, false, false},
    {"sm_80", 80, false, 163 * kKiB, true, false, false, false},
    {"sm_86", 86, false, 99 * kKiB, true, false, false, false},
    {"sm_89", 89, false, 99 * kKiB, true, false, false, false},
    {"sm_90", 90, false, 227 * kKiB, true, false, false, false},
    {"sm_90a", 90, true, 227 * kKiB, true, true, true, true},
    {"sm_100a", 100, true, 227 * kKiB, true, false, false, false},
    {"sm_120a", 120, true, 99 * kKiB, true, false, false, false},
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
