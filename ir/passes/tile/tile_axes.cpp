#include "ir/passes/tile/tile_axes.h"

#include <algorithm>

#include "ir/ops/register.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

bool is_tile(const Function& kernel, ValueId value) { return kernel.type(value).kind == TypeKind::tile; }

}  // namespace

TileAxes::TileAxes(const Function& kernel) : first_(kernel.value_count(), 0) {
    for (size_t i = 0; i < kernel.value_count(); ++i) {
        const ValueId value(i);
        first_[i] = parent_.size();
        if (!is_tile(kernel, value)) continue;
        for (size_t axis = 0; axis < kernel.type(value).rank(); ++axis) parent_.push_back(parent_.size());
    }
    meet_.resize(parent_.size());
    walk(kernel, kernel.body, [&](OpId id) { visit(kernel, id); });
    for (size_t node = 0; node < meet_.size(); ++node) {
        if (meet_[node]) meet_[root(node)] = true;
    }
}

size_t TileAxes::root(size_t node) const {
    while (parent_[node] != node) node = parent_[node];
    return node;
}

void TileAxes::join_axes(ValueId a, size_t axis_a, ValueId b, size_t axis_b) { parent_[of(a, axis_a)] = of(b, axis_b); }

void TileAxes::join(const Function& kernel, ValueId a, ValueId b) {
    for (size_t axis = 0; axis < kernel.type(a).rank(); ++axis) join_axes(a, axis, b, axis);
}

void TileAxes::visit(const Function& kernel, OpId id) {
    const Op& op = kernel.op(id);
    const auto rank = [&](ValueId value) { return kernel.type(value).rank(); };
    switch (op.kind) {
        case OpKind::for_:
        case OpKind::while_:
        case OpKind::if_:
            return carry(kernel, op);
        case OpKind::expand: {
            const ExpandOp expand(kernel, id);
            for (size_t i = 0; is_tile(kernel, expand.value()) && i < expand.axes().size(); ++i) {
                const auto to = static_cast<size_t>(expand.axes()[i]);
                if (kernel.type(expand.value()).shape[i] == kernel.type(expand.result()).shape[to])
                    join_axes(expand.value(), i, expand.result(), to);
            }
            return;
        }
        case OpKind::transpose: {
            const size_t last = rank(op.results[0]) - 1;
            for (size_t axis = 0; axis <= last; ++axis) {
                const size_t from = axis == last ? last - 1 : axis + 1 == last ? last : axis;
                join_axes(op.operands[0], from, op.results[0], axis);
            }
            return;
        }
        case OpKind::reduce: {
            const auto gone = static_cast<size_t>(AlongOp(kernel, id).axis());
            meet_[first_[op.operands[0].index] + gone] = true;
            for (size_t axis = 0; axis < rank(op.operands[0]); ++axis) {
                if (axis != gone) join_axes(op.operands[0], axis, op.results[0], axis - (axis > gone ? 1 : 0));
            }
            return;
        }
        case OpKind::scan:
            meet_[first_[op.operands[0].index] + static_cast<size_t>(AlongOp(kernel, id).axis())] = true;
            return join(kernel, op.operands[0], op.results[0]);
        case OpKind::mma:
            return product(kernel, id);
        default:
            break;
    }
    if (!is_element(op.kind) || !is_tile(kernel, op.results[0])) return;
    for (ValueId operand : op.operands) {
        if (is_tile(kernel, operand)) join(kernel, operand, op.results[0]);
    }
}

void TileAxes::carry(const Function& kernel, const Op& op) {
    const size_t bounds = op.kind == OpKind::for_ ? 3 : op.kind == OpKind::if_ ? 1 : 0;
    const size_t index = op.kind == OpKind::for_ ? 1 : 0;
    for (size_t i = 0; i < op.results.size(); ++i) {
        if (!is_tile(kernel, op.results[i])) continue;
        if (op.kind != OpKind::if_) join(kernel, op.operands[bounds + i], op.results[i]);
        for (size_t number = 0; number < op.regions.size(); ++number) {
            const Region& region = kernel.region(op.regions[number]);
            if (op.kind != OpKind::if_) join(kernel, region.args[index + i], op.results[i]);
            const bool tests = op.kind == OpKind::while_ && number == 0;
            if (!tests) join(kernel, kernel.op(region.ops.back()).operands[i], op.results[i]);
        }
    }
}

void TileAxes::product(const Function& kernel, OpId id) {
    const MmaOp op(kernel, id);
    const bool a = is_tile(kernel, op.a()), b = is_tile(kernel, op.b());
    const size_t a_inner = op.a_transposed() ? 0 : 1, b_inner = op.b_transposed() ? 1 : 0;
    if (op.accumulator()) join(kernel, *op.accumulator(), op.result());
    if (a) join_axes(op.a(), 1 - a_inner, op.result(), 0);
    if (b) join_axes(op.b(), 1 - b_inner, op.result(), 1);
    if (a) meet_[first_[op.a().index] + a_inner] = true;
    if (b) meet_[first_[op.b().index] + b_inner] = true;
    if (a && b) join_axes(op.a(), a_inner, op.b(), b_inner);
}

}  // namespace tsr::ir
