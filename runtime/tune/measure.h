// Which of several forms of a kernel is the fastest: by running them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/abi.h"

namespace tsr::runtime {

// One form with everything that its launch takes.
struct Candidate {
    int32_t point;
    const TsrTuningPoint* form;
    const int64_t* groups;  // x, y, z, total
    bool on_device;         // a GPU
};

struct Winner {
    int32_t point;
    double seconds;
};

// Nothing where they could not be measured: no memory for copies, or an assertion that fails.
std::optional<Winner> measure(const TsrTuning& tuning, std::span<const Candidate> candidates,
                              std::span<const uint64_t> slots, TsrTensor* const* tensors, const TsrPlace* place);

}  // namespace tsr::runtime
