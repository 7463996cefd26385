// How a kernel goes through the axes of one fused function. Neighbouring axes that all its tensors have in the same
// order, or lack together, are gone through as one: `x + y` of two `f32[n, m]` is a loop over n*m elements.
#pragma once

#include <optional>
#include <vector>

#include "ir/core/function.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

struct FusedAxes {
    std::vector<Dim> extents;    // of the joined axes
    std::optional<size_t> axis;  // of them, along which the function combines
    // Of each long axis of the function's space: the joined axis that it is a part of.
    std::vector<size_t> joined;

    // The axes without the one along which it combines.
    [[nodiscard]] std::vector<size_t> outer() const;
    // Of the long axes of a value of the function, or of one that it combined: the axes of the space.
    [[nodiscard]] std::vector<size_t> long_axes(size_t rank) const;
};

FusedAxes fused_axes(const Function& fused);

// How a tensor lies along the joined axes: which of them its axes are, once neighbours are joined. `stands`: of each of
// its long axes, the axis of the space.
std::vector<size_t> joined_axes(const FusedAxes& axes, const std::vector<size_t>& stands);

// How an operation of the function reads a tensor: along which joined axes the tensor's axes run, in the kernel, where
// neighbours of a tensor that is read whole are joined.
struct TensorAccess {
    std::vector<size_t> axes;  // AxisMap::kNone: it stays
    std::vector<Start> starts;
    bool operator==(const TensorAccess&) const = default;
    auto operator<=>(const TensorAccess&) const = default;
};
TensorAccess access_of(const FusedAxes& axes, const Function& fused, const AxisMap& source, OpId user);

// Of the operations of a fused function that compute: those that are no movements, and movements that it gives.
std::vector<OpId> computed(const Function& fused);

// The shape in which an operation of the function computes: of a `reduce` that of what it takes, else of its result.
const Type& computed_type(const Function& fused, OpId op);

// Of a `reduce` along an axis of more than one element.
bool combines(const Function& fused, OpId op);

}  // namespace tsr::ir
