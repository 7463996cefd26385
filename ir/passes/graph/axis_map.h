// Where the elements of a value of a graph come from: through broadcasts and transposes to the value that holds them.
// Axes of the literal extent 1 have one position, and are left out everywhere: `f32[n, 1]` and `f32[n]` are gone
// through alike.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Extents but those of the literal 1.
std::vector<Dim> long_extents(const Type& type);

// Gives the elements of its operand in other places, and computes nothing: `expand`, `full`, `transpose`.
bool moves_elements(const Function& graph, OpId op);

struct AxisMap {
    ValueId base;              // the value that holds the elements; a scalar where each of them is that
    std::vector<size_t> axes;  // of each long axis of the base: which long axis of the value it is
    // The long axes of both are the same.
    [[nodiscard]] bool is_identity(size_t rank) const;
    bool operator==(const AxisMap&) const = default;
};

AxisMap through_movements(const Function& graph, ValueId value);

// Where the elements come from that an operation takes, one map for each operand; of a movement one for its result. A
// product takes its operands as they are.
std::vector<AxisMap> sources_of(const Function& graph, OpId op);

// The number of an axis among the long ones; that axis is a long one.
size_t long_axis(const Type& type, size_t axis);

}  // namespace tsr::ir
