#include "ir/eval/graph/operations.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/eval/host_failure.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval::graph {

namespace {

using Evaluation = TsrSlot (*)(const TensorOp&);
constexpr Evaluation kDerivative = nullptr;  // the pass `differentiate` has put what it stands for in its place

constexpr Row<Evaluation> kGraphRows[]{
    {OpKind::expand, &expand},
    {OpKind::transpose, &transpose},
    {OpKind::reduce, &reduce},
    {OpKind::scan, &scan},
    {OpKind::full, &full},
    {OpKind::contract, &contract},
    {OpKind::positions, &positions},
    {OpKind::reshape, &reshape},
    {OpKind::slice, &slice},
    {OpKind::pad, &pad},
    {OpKind::concat, &concat},
    {OpKind::update, &update},
    {OpKind::vjp, kDerivative},
    {OpKind::jvp, kDerivative},
    {OpKind::batch, kDerivative},
    {OpKind::stop, kDerivative},
    {OpKind::reduce_index, &reduce_index},
    {OpKind::gather_axis, &gather_axis},
    {OpKind::scatter_axis, &scatter_axis},
    {OpKind::sort, &sort},
    {OpKind::sort_index, &sort_index},
};
constexpr Total<kGraphRows, kAxisFamily, kGraphFamily> kEvaluations;

Evaluation evaluation_of(OpKind kind) {
    if (is_element(kind)) return &element;
    return kEvaluations.has(kind) ? kEvaluations[kind].answer : nullptr;
}

// What later operations take from the type has to be so.
void check_type(const TensorOp& tensor_op, const TensorView& made) {
    const Op& op = tensor_op.op();
    const Type& type = tensor_op.function.type(op.results[0]);
    bool fits = made.elem() == type.elem && made.shape().size() == type.rank();
    for (size_t axis = 0; fits && axis < type.rank(); ++axis) {
        const auto said = tensor_op.dimension(type.shape[axis]);
        fits = !said || *said == made.shape()[axis];
    }
    if (!fits) {
        throw HostFailure{
            fmt::format("the result of '{}' is {}, its type says {}", name(op.kind), made.text(), type.text())};
    }
}

}  // namespace

bool is_of_tensors(const Function& function, const Op& op) {
    if (function.level != Level::graph || evaluation_of(op.kind) == nullptr) return false;
    const auto is_tensor = [&](ValueId v) { return function.type(v).kind == TypeKind::tensor; };
    return std::ranges::any_of(op.operands, is_tensor) || std::ranges::any_of(op.results, is_tensor);
}

TsrSlot evaluate(const TensorOp& tensor_op) {
    const Op& op = tensor_op.op();
    const TsrSlot made = evaluation_of(op.kind)(tensor_op);
    if (tensor_op.function.type(op.results[0]).kind == TypeKind::tensor)
        check_type(tensor_op, TensorView(*made.tensor));
    return made;
}

}  // namespace tsr::ir::eval::graph
