// Where the elements of a value of a graph come from: through broadcasts, transposes and blocks to the value that holds
// them. Axes of the literal extent 1 have one position, and are left out everywhere: `f32[n, 1]` and `f32[n]` are gone
// through alike.
#pragma once

#include <utility>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Extents but those of the literal 1.
std::vector<Dim> long_extents(const Type& type);

// Gives the elements of its operand in other places, and computes nothing; whoever takes them finds them by an
// `AxisMap`: `expand`, `full`, `transpose`, `positions`, blocks whose elements are neighbours, a `reshape` that adds or
// leaves out axes of one element.
bool moves_elements(const Function& graph, OpId op);

// Gives elements of several operands or in an order that no `AxisMap` describes: `pad`, `concat`, `update`, blocks with
// steps. It is a node of a fusion that goes through its result's positions (gathered_kernel.h).
bool gathers_elements(const Function& graph, OpId op);

// The same elements in another shape: of a tensor that is dense a view.
bool reshapes(const Function& graph, OpId op);

// The index 0 of an axis of the value is this one of the base: a number, and scalars of the graph.
struct Start {
    int64_t offset = 0;
    std::vector<ValueId> scalars;
    bool part = false;  // the value may have fewer elements along the axis
    [[nodiscard]] bool is_whole() const { return offset == 0 && scalars.empty() && !part; }
    bool operator==(const Start&) const = default;
    auto operator<=>(const Start&) const = default;
};
// Is computed by kernels of its own (indexed_code.h): reduce_index, scan, gather_axis, scatter_axis, sort, sort_index.
bool stands_alone(OpKind kind);
// Takes its operands as whole tensors, in whatever order it reads them.
bool takes_whole_tensors(OpKind kind);

struct AxisMap {
    static constexpr size_t kNone = SIZE_MAX;
    ValueId base;               // the value that holds the elements; a scalar where each of them is that
    std::vector<size_t> axes;   // of each long axis of the base: which long axis of the value it is; kNone: it stays
    std::vector<Start> starts;  // of each long axis of the base
    // Every element of the base, each axis from its beginning.
    [[nodiscard]] bool takes_all() const;
    // And the long axes of both are the same.
    [[nodiscard]] bool is_identity(size_t rank) const;
    bool operator==(const AxisMap&) const = default;
};

AxisMap through_movements(const Function& graph, ValueId value);

// Where the elements come from that an operation takes, one map for each operand; of a movement one for its result.
// Products and what gathers or reshapes take their operands as they are.
std::vector<AxisMap> sources_of(const Function& graph, OpId op);

// The number of an axis among the long ones; that axis is a long one.
size_t long_axis(const Type& type, size_t axis);

}  // namespace tsr::ir
