// Operations on whole tensors, each by plain loops over indices: what a Graph function says, whatever passes make of
// it.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "ir/eval/graph/tensor.h"
#include "ir/eval/numbers.h"

namespace tsr::ir::eval::graph {

// One operation about to be done.
struct TensorOp {
    const TsrHostApi& api;
    Elements& numbers;
    const Function& function;
    OpId id;
    std::vector<TsrSlot> operands;
    // The number of a dimension; nothing where one of its symbols has none.
    std::function<std::optional<int64_t>(const Dim&)> dimension;

    [[nodiscard]] const Op& op() const { return function.op(id); }
    // What a value among the operands is.
    [[nodiscard]] TsrSlot slot(ValueId operand) const {
        return operands[static_cast<size_t>(std::ranges::find(op().operands, operand) - op().operands.begin())];
    }
    [[nodiscard]] TensorView tensor(size_t operand) const { return TensorView(*operands[operand].tensor); }
};

// Whether it is an operation of a graph that takes or gives a tensor and stands in the table of `evaluate`.
bool is_of_tensors(const Function& function, const Op& op);

// The only result: a new reference to a tensor, or the bits of a scalar. Throws `HostFailure` where shapes of operands
// do not fit, which is the fault of who made the operation.
TsrSlot evaluate(const TensorOp& tensor_op);

// The numbers of its attribute `shape`.
PerAxis shape_of(const TensorOp& tensor_op);

// Of each file of this folder.
TsrSlot element(const TensorOp& tensor_op);       // elements.cpp
TsrSlot full(const TensorOp& tensor_op);          // axes.cpp
TsrSlot expand(const TensorOp& tensor_op);        // axes.cpp
TsrSlot transpose(const TensorOp& tensor_op);     // axes.cpp
TsrSlot positions(const TensorOp& tensor_op);     // movements.cpp
TsrSlot reshape(const TensorOp& tensor_op);       // movements.cpp
TsrSlot slice(const TensorOp& tensor_op);         // movements.cpp
TsrSlot pad(const TensorOp& tensor_op);           // movements.cpp
TsrSlot concat(const TensorOp& tensor_op);        // movements.cpp
TsrSlot update(const TensorOp& tensor_op);        // movements.cpp
TsrSlot reduce(const TensorOp& tensor_op);        // reductions.cpp
TsrSlot contract(const TensorOp& tensor_op);      // products.cpp
TsrSlot scan(const TensorOp& tensor_op);          // reductions.cpp
TsrSlot reduce_index(const TensorOp& tensor_op);  // indexed.cpp
TsrSlot gather_axis(const TensorOp& tensor_op);   // indexed.cpp
TsrSlot scatter_axis(const TensorOp& tensor_op);  // indexed.cpp
TsrSlot sort(const TensorOp& tensor_op);          // sorting.cpp
TsrSlot sort_index(const TensorOp& tensor_op);    // sorting.cpp

}  // namespace tsr::ir::eval::graph
