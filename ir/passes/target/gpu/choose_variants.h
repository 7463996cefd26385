// The variants of a kernel's code for one GPU: one without assumptions, and those before it that a guard of the launch
// lets run.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"
#include "ir/passes/target/gpu/refuse.h"

namespace tsr::ir {

// What is given of the plans of a kernel's variants.
struct GpuFields {
    GpuPlanFields plain;
    GpuPlanFields boxes;  // of those for tensors that TMA copies take
};

struct GpuVariants {
    std::vector<Plan> plans;           // in the order in which launches try them; the last one assumes nothing
    std::optional<Plan> narrow;        // the last one with indices of 32 bits, to be tried before it
    std::optional<NoGpuCode> without;  // what keeps it from having code
    std::optional<NoGpuCode> fewer;    // it has code, with fewer stages than the program asks for
};

// `kernel`: in group form with its math expanded.
GpuVariants choose_gpu_variants(const Function& kernel, const GpuMachine& machine, const GpuFields& fields = {});

// The plan that is chosen where no field is given, or what keeps the kernel from having code.
std::variant<Plan, NoGpuCode> planned_for_gpu(const Function& kernel, const GpuMachine& machine);
std::optional<NoGpuCode> without_gpu_code(const Function& kernel, const GpuMachine& machine);

}  // namespace tsr::ir
