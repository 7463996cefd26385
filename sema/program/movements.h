// Which elements movements of whole tensors take: what the checker and elaboration both compute.
#pragma once

#include <optional>
#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

// The axis that a number names, one below 0 from the last; nothing where there is none.
std::optional<size_t> axis_named(int64_t axis, size_t rank);
// The axes that a static value names, an integer or several, in their order, each once.
std::optional<std::vector<size_t>> axes_named(const std::optional<Static>& axes, size_t rank);

// Of `transpose`, `swapaxes` and `moveaxis`, whose axes are static: of each axis of the result that of the operand.
// Nothing where they name no order of axes.
std::optional<std::vector<int64_t>> permutation(const Instance& instance, const CallInfo& call, size_t rank);

// What a slice takes of an axis: as many elements from `start` on, by the step. NumPy limits bounds to the axis.
// `sure`: they are; else it is not known whether a bound counts from the end, and the program asks whether they lie
// inside.
struct SlicedAxis {
    ir::Dim start, extent;
    bool sure = true;
};
SlicedAxis sliced_axis(const ir::Dim& extent, const std::optional<ir::Dim>& lower, const std::optional<ir::Dim>& upper,
                       int64_t step);
// A bound as a dimension; nothing where only the run knows it, or none is written.
std::optional<ir::Dim> bound_of_slice(const Instance& instance, const ast::Expr* bound);

// Of `pad`: along each axis how many elements are added before and behind. One pair, or one number, is of every axis.
struct PadWidth {
    int64_t before = 0, behind = 0;
};
std::optional<std::vector<PadWidth>> pad_widths(const Static& widths, size_t rank);

// The items that a slice with static bounds takes of a tuple or list with so many; nothing where a bound is not static.
std::optional<std::vector<size_t>> sliced_items(const Instance& instance, const ast::Slice& slice, size_t count);

}  // namespace tsr::sema
