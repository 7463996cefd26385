// Groups of large tiles → several groups of smaller ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// What keeps the work of a group, of a kernel in group form whose loads are not staged yet, from being divided into so
// many equal parts along an axis of its grid. Every part stores elements of its own, and the bits of each are what they
// were: nothing is combined along the axis, and nobody reads what another part wrote.
std::optional<std::string> division_fault(const Function& kernel, size_t axis, int64_t parts);

// The axes of the kernel's grid: steps that are known, 0 for others; empty where it has none.
std::vector<int64_t> grid_steps(const Function& kernel);

// Divides each axis of the grid by the number in `parts` of the plan for a GPU. A launch then has so many times as many
// groups
// (`parts_of`). Tiles that go along with an axis become shorter; what else depends on its index is computed for the
// group that was divided. By a plan whose parts have no fault.
void divide_groups(Function& kernel);

}  // namespace tsr::ir
