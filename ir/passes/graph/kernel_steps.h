// Operations that are no part of a fusion of elements: kernels that are launched one behind the other.
#pragma once

#include <optional>
#include <vector>

#include "ir/passes/graph/axis_form.h"
#include "ir/passes/graph/fused_kernel.h"

namespace tsr::ir {

// A launch.
struct KernelStep {
    size_t kernel = 0;  // of KernelSteps
    // Of each tensor that the kernel takes, which one it is: the fused function's parameters come first, then its
    // results, then the temporaries.
    std::vector<size_t> tensors;
    std::vector<int64_t> numbers;  // for its parameters of type index, which stand behind the tensors
};

struct KernelSteps {
    std::vector<Type> temporaries;  // over the symbols of the fused function
    std::vector<FusedKernel> kernels;
    std::vector<KernelStep> steps;
};

// What a fused function of one such operation becomes.
struct StepCode {
    KernelSteps steps;
    // Where `row` is smaller than kShortRow these are done instead.
    std::optional<KernelSteps> short_steps;
    // Where the program runs on a GPU, and the row is not that short: the first of these whose rows are long enough.
    struct OnGpu {
        KernelSteps steps;
        int64_t longest = 0;  // elements of a row
    };
    std::vector<OnGpu> on_gpu;
    Dim row;
    std::optional<Dim> not_empty;  // no element of it is an error
    std::optional<Dim> enough;     // fewer than `count` of it are an error
    int64_t count = 0;
};

// Along an axis: `by_lanes` makes the steps in which each tile does a row, `by_chunks` those for one row alone,
// `by_groups` those in which thread blocks share rows of the last axis.
template <class ByLanes, class ByChunks, class ByGroups>
StepCode code_by_rows(const AxisForm& form, const ByLanes& by_lanes, const ByChunks& by_chunks,
                      const ByGroups& by_groups) {
    StepCode code;
    code.row = form.length;
    const auto length = form.length.constant_value();
    if (!form.ends_with_axis() || (length && *length < kShortRow)) {
        by_lanes(code.steps);
    } else if (form.is_one_row()) {
        by_chunks(code.steps);
    } else {
        by_groups(code.steps);
        if (!length) by_lanes(code.short_steps.emplace());
    }
    return code;
}

}  // namespace tsr::ir
