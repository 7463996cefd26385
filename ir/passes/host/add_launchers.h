// Host functions that launch one kernel each: what a library offers of its kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// A kernel as callers see it.
struct LaunchedKernel {
    // A dimension that the tuning space has too: the arguments' own extent chooses among the points.
    struct Dimension {
        std::string symbol;
        std::string parameter;  // which gives its value
    };
    // Points for the same extents, one per dimension; measuring chooses among them.
    struct Choice {
        std::vector<int64_t> extents;
        std::vector<std::string> kernels;
    };
    std::string name;          // as the program says it
    std::vector<Type> params;  // of the header; a choice's kernel may know extents that are dimensions here
    std::vector<Dimension> dimensions;
    std::vector<Choice> choices;  // a kernel that is not tuned: one, of itself
};

// The name of a kernel's launcher in the module.
std::string launcher_name(const LaunchedKernel& kernel);

// Adds a launcher for a kernel, which has gone through `lower_kernels`: it takes the kernel's arguments, gives what it
// gives. False where the numbers of groups, or a dimension, are known to a launch alone.
bool add_launcher(Module& module, const LaunchedKernel& launched);

}  // namespace tsr::ir
