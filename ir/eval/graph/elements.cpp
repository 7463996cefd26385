// Element operations: the operands have one shape, which the result has too.
#include <fmt/format.h>

#include "ir/core/internal.h"
#include "ir/eval/graph/operations.h"
#include "ir/eval/host_failure.h"
#include "ir/ops/control.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval::graph {

namespace {

std::vector<TensorView> operands_of_one_shape(const TensorOp& tensor_op, size_t first) {
    std::vector<TensorView> views;
    for (size_t i = first; i < tensor_op.operands.size(); ++i) {
        views.push_back(tensor_op.tensor(i));
        if (views.back().shape() == views.front().shape()) continue;
        throw HostFailure{fmt::format("the operands of '{}' are {} and {}, need one shape", name(tensor_op.op().kind),
                                      views.front().text(), views.back().text())};
    }
    return views;
}

// One condition for whole tensors.
TsrSlot choose(const TensorOp& tensor_op) {
    (void)operands_of_one_shape(tensor_op, 1);
    const SelectOp select(tensor_op.function, tensor_op.id);
    const bool holds = (tensor_op.slot(select.condition()).bits & 1) != 0;
    TsrSlot chosen = tensor_op.slot(holds ? select.then() : select.otherwise());
    chosen.tensor = tensor_op.api.tensor_retain(chosen.tensor);
    return chosen;
}

}  // namespace

TsrSlot element(const TensorOp& tensor_op) {
    const Op& op = tensor_op.op();
    const bool selects = op.kind == OpKind::select;
    if (selects && tensor_op.function.type(SelectOp(tensor_op.function, tensor_op.id).condition()).is_scalar()) {
        return choose(tensor_op);
    }
    const Element law = tensor_op.numbers.find(tensor_op.function, op);
    if (!law.known()) {
        throw HostFailure{fmt::format("the evaluator has no '{}' of {}", name(op.kind), tsr::name(law.type))};
    }
    const std::vector<TensorView> views = operands_of_one_shape(tensor_op, 0);
    const PerAxis& shape = views.front().shape();
    NewTensor result(tensor_op.api, law.to, shape);
    std::vector<PerAxis> strides;
    for (const TensorView& view : views) strides.push_back(view.strides());
    strides.push_back(result.strides());
    Bits given[3] = {};
    if (views.size() > std::size(given)) internal_error("an element operation of more than three operands");
    for (IndexMaps at(shape, strides); !at.done(); at.next()) {
        for (size_t i = 0; i < views.size(); ++i) given[i] = views[i].get(at.offset(i));
        result.set(at.offset(views.size()), law(given));
    }
    return result.release();
}

}  // namespace tsr::ir::eval::graph
