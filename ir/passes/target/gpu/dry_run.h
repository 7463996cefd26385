// Code of a kernel that is made to see what a plan takes, and thrown away: how much shared memory its conversions need,
// and what is stored in which way, is known of the code alone. For the steps of choosing; no pass that lowers asks it.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/machine/gpu.h"

namespace tsr::ir {

struct DryRun {
    Function thread;                   // level Target: the program of one thread
    int64_t shared_bytes = 0;          // of a block
    int64_t producers = 0;             // threads that copy: see choose_producers
    std::vector<std::string> reasons;  // what happens to products beside their pipelines
};

// By the passes that lower a kernel for real. `kernel`: its groups divided, with the plan that is looked at, but for
// the producers.
DryRun dry_run(Function kernel, const GpuMachine& machine);

}  // namespace tsr::ir
