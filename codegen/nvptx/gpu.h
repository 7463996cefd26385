// Kinds of NVIDIA GPUs that code is made for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/llvm/machine.h"

namespace tsr::codegen {

struct Gpu : Machine {
    int capability = 0;  // 10 * major + minor
    bool exact = false;  // its code runs on this capability alone ("a" targets), not on later ones
    // What LLVM is told of PTX's version: the oldest that has all that is emitted for the target, so that drivers of
    // older CUDA versions take the code too.
    std::string ptx;
    bool async_copies = false;  // cp.async
    int64_t threads = 0;        // of a multiprocessor
    int64_t shared_bytes = 0;   // about those of a multiprocessor: what a block can have
};

// "sm_75", "sm_90a", …; an unknown name gets a suggestion.
Result<Gpu> gpu_named(const std::string& name);

}  // namespace tsr::codegen
