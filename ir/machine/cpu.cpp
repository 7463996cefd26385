#include "ir/machine/cpu.h"

#include <algorithm>
#include <array>

namespace tsr::ir {

namespace {

const std::array<CpuMachine, 6> kCpuMachines{{
    {"x86-64", 4, 16, false, false, false},
    {"x86-64-v3", 8, 16, false, false, false},
    {"x86-64-v3-vnni", 8, 16, false, true, false},
    {"x86-64-v4", 16, 32, true, false, false},
    {"x86-64-v4-vnni", 16, 32, true, true, false},
    {"x86-64-v4-amx", 16, 32, true, true, true},
}};

}  // namespace

const CpuMachine* cpu_machine(const std::string& name) {
    auto found = std::ranges::find(kCpuMachines, name, &CpuMachine::name);
    return found == kCpuMachines.end() ? nullptr : &*found;
}

std::vector<std::string> cpu_machine_names() {
    std::vector<std::string> names;
    for (const CpuMachine& machine : kCpuMachines) names.push_back(machine.name);
    return names;
}

}  // namespace tsr::ir
