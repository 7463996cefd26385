#include "ir/passes/graph/axis_map.h"

#include <algorithm>
#include <numeric>

namespace tsr::ir {

namespace {

bool is_long(const Dim& extent) { return extent.constant_value() != 1; }

// Of each axis of the operand: the axis of the result.
std::vector<size_t> moved_axes(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    std::vector<size_t> axes(graph.type(op.operands[0]).rank());
    if (op.kind == OpKind::transpose) {
        std::iota(axes.begin(), axes.end(), size_t{0});
        std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    } else if (op.kind == OpKind::expand) {
        const std::vector<int64_t>& named = op.attrs.integers(Attr::axes);
        std::copy(named.begin(), named.end(), axes.begin());
    }
    return axes;
}

}  // namespace

std::vector<Dim> long_extents(const Type& type) {
    std::vector<Dim> extents;
    std::ranges::copy_if(type.shape, std::back_inserter(extents), is_long);
    return extents;
}

size_t long_axis(const Type& type, size_t axis) {
    return static_cast<size_t>(
        std::count_if(type.shape.begin(), type.shape.begin() + static_cast<ptrdiff_t>(axis), is_long));
}

bool moves_elements(const Function& graph, OpId id) {
    const OpKind kind = graph.op(id).kind;
    return kind == OpKind::full || kind == OpKind::expand || kind == OpKind::transpose;
}

bool AxisMap::is_identity(size_t rank) const {
    bool same = axes.size() == rank;
    for (size_t i = 0; same && i < axes.size(); ++i) same = axes[i] == i;
    return same;
}

namespace {

AxisMap itself(const Function& graph, ValueId value) {
    AxisMap map{.base = value, .axes = std::vector<size_t>(long_extents(graph.type(value)).size())};
    std::iota(map.axes.begin(), map.axes.end(), size_t{0});
    return map;
}

}  // namespace

AxisMap through_movements(const Function& graph, ValueId value) {
    AxisMap map = itself(graph, value);
    // From here on `map` says where the long axes of its base stand in the value.
    for (OpId op = graph.value(value).op; op.valid() && moves_elements(graph, op); op = graph.value(map.base).op) {
        const ValueId from = graph.op(op).operands[0];
        const Type& source = graph.type(from);
        const Type& result = graph.type(map.base);
        const std::vector<size_t> moved = moved_axes(graph, op);
        std::vector<size_t> axes;
        for (size_t i = 0; i < source.rank(); ++i) {
            if (is_long(source.shape[i])) axes.push_back(map.axes[long_axis(result, moved[i])]);
        }
        map = {.base = from, .axes = std::move(axes)};
    }
    return map;
}

std::vector<AxisMap> sources_of(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    if (moves_elements(graph, id)) return {through_movements(graph, op.results[0])};
    std::vector<AxisMap> sources;
    for (ValueId operand : op.operands) {
        sources.push_back(op.kind == OpKind::contract ? itself(graph, operand) : through_movements(graph, operand));
    }
    return sources;
}

}  // namespace tsr::ir
