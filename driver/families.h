// Kernels by their variants: what machine each is for, and what it assumes.
#pragma once

#include <string>

#include "codegen/codegen.h"
#include "ir/pipeline.h"

namespace tsr::driver {

// The level whose plans a machine gets: "native" is the best level this processor runs.
std::string planned_as(const std::string& machine);

// A kernel's family, without variants. Slots are its parameters, its symbols, and its groups along x, y, z.
codegen::KernelFamily describe_family(const ir::Function& kernel);

// `variant` must outlive what is given.
codegen::KernelVariant describe_variant(const ir::CpuVariant& variant, const std::string& machine);

// One line for `--emit=schedule`, and one for each reason.
std::string plan_lines(const ir::CpuVariant& variant, const std::string& machine);

}  // namespace tsr::driver
