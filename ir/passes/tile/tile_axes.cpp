#include "ir/passes/tile/tile_axes.h"

#include <algorithm>

#include "ir/ops/axes.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

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
    if (!op.regions.empty()) return carry(kernel, op);
    const AxisLinks axes = axis_links(kernel, id);
    for (const AxisLink& link : axes.links) join_axes(link.operand, link.from, op.results[0], link.to);
    for (const TileAxis& at : axes.meet) meet_[first_[at.tile.index] + at.axis] = true;
    if (!axes.inner.empty()) join_axes(axes.inner[0].tile, axes.inner[0].axis, axes.inner[1].tile, axes.inner[1].axis);
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

}  // namespace tsr::ir
