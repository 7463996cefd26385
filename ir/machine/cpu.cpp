#include "ir/machine/cpu.h"

#include <algorithm>
#include <array>

namespace tsr::ir {

namespace {

const std::array<CpuMachine, 7> kCpuMachines{{
    {.name = "x86-64", .lanes = 4, .registers = 16},
    {.name = "x86-64-v3", .lanes = 8, .registers = 16},
    {.name = "x86-64-v3-vnni", .lanes = 8, .registers = 16, .sums_bytes = true},
    {.name = "x86-64-v4", .lanes = 16, .registers = 32, .mask_registers = true},
    {.name = "x86-64-v4-vnni", .lanes = 16, .registers = 32, .mask_registers = true, .sums_bytes = true},
    {.name = "x86-64-v4-bf16",
     .lanes = 16,
     .registers = 32,
     .mask_registers = true,
     .sums_bytes = true,
     .sums_bf16 = true},
    {.name = "x86-64-v4-amx",
     .lanes = 16,
     .registers = 32,
     .mask_registers = true,
     .sums_bytes = true,
     .sums_bf16 = true,
     .matrix_unit = true},
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
