#include "ir/passes/graph/axis_map.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "ir/ops/control.h"
#include "ir/ops/movements.h"

namespace tsr::ir {

namespace {

bool is_long(const Dim& extent) { return extent.constant_value() != 1; }

// What an operation that moves elements takes them from; others of its operands say where.
ValueId moved_value(const Op& op) { return op.operands.front(); }

// Of each axis of the operand: the axis of the result.
std::vector<size_t> moved_axes(const Function& graph, const Op& op) {
    std::vector<size_t> axes(graph.type(moved_value(op)).rank());
    std::iota(axes.begin(), axes.end(), size_t{0});
    if (op.kind == OpKind::transpose && op.attrs.has(Attr::axes)) {
        const std::vector<int64_t>& from = op.attrs.integers(Attr::axes);
        for (size_t i = 0; i < from.size(); ++i) axes[static_cast<size_t>(from[i])] = i;
    } else if (op.kind == OpKind::transpose) {
        std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    } else if (op.kind == OpKind::expand) {
        const std::vector<int64_t>& named = op.attrs.integers(Attr::axes);
        std::copy(named.begin(), named.end(), axes.begin());
    }
    return axes;
}

// Elements by steps of 1 along each axis that has more than one of them.
bool takes_neighbours(const Function& graph, OpId id) {
    const BlockOp op(graph, id);
    const Type& type = graph.type(op.result());
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        if (op.step(axis) != 1 && is_long(type.shape[axis])) return false;
    }
    return true;
}

void add_to(Start& start, const Function& graph, ValueId scalar) {
    const auto constant = defined_by(graph, scalar, OpKind::constant);
    if (constant) {
        start.offset += graph.op(*constant).attrs.integer(Attr::value);
    } else {
        start.scalars.push_back(scalar);
    }
}

AxisMap itself(const Function& graph, ValueId value) {
    const size_t rank = long_extents(graph.type(value)).size();
    AxisMap map{.base = value, .axes = std::vector<size_t>(rank), .starts = std::vector<Start>(rank)};
    std::iota(map.axes.begin(), map.axes.end(), size_t{0});
    return map;
}

// One movement further: `map` leads to the result of `op`.
AxisMap through(const Function& graph, OpId id, const AxisMap& map) {
    const Op& op = graph.op(id);
    const ValueId value = moved_value(op);
    const Type& source = graph.type(value);
    const Type& result = graph.type(op.results[0]);
    AxisMap next{.base = value, .axes = {}, .starts = {}};
    if (op.kind == OpKind::reshape) {  // the long axes are the same
        next.axes = map.axes;
        next.starts = map.starts;
        return next;
    }
    const std::vector<size_t> moved = moved_axes(graph, op);
    for (size_t i = 0; i < source.rank(); ++i) {
        if (!is_long(source.shape[i])) continue;
        const bool runs = is_long(result.shape[moved[i]]);
        const size_t at = runs ? long_axis(result, moved[i]) : 0;
        next.axes.push_back(runs ? map.axes[at] : AxisMap::kNone);
        next.starts.push_back(runs ? map.starts[at] : Start{});
        if (op.kind != OpKind::slice) continue;
        add_to(next.starts.back(), graph, BlockOp(graph, id).starts()[i]);
        if (source.shape[i] != result.shape[i]) next.starts.back().part = true;
    }
    return next;
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
    constexpr OpKind kAlways[] = {OpKind::full, OpKind::expand, OpKind::transpose, OpKind::positions};
    const Op& op = graph.op(id);
    if (op.kind == OpKind::slice) return takes_neighbours(graph, id);
    if (op.kind == OpKind::reshape)
        return long_extents(graph.type(moved_value(op))) == long_extents(graph.type(op.results[0]));
    return std::ranges::find(kAlways, op.kind) != std::end(kAlways);
}

bool gathers_elements(const Function& graph, OpId id) {
    const OpKind kind = graph.op(id).kind;
    return kind == OpKind::pad || kind == OpKind::concat || kind == OpKind::update ||
           (kind == OpKind::slice && !takes_neighbours(graph, id));
}

bool reshapes(const Function& graph, OpId id) {
    return graph.op(id).kind == OpKind::reshape && !moves_elements(graph, id);
}

bool AxisMap::takes_all() const {
    return std::ranges::count(axes, kNone) == 0 &&
           std::ranges::all_of(starts, [](const Start& start) { return start.is_whole(); });
}

bool stands_alone(OpKind kind) {
    return kind == OpKind::reduce_index || kind == OpKind::scan || kind == OpKind::gather_axis ||
           kind == OpKind::scatter_axis || kind == OpKind::sort || kind == OpKind::sort_index;
}

bool takes_whole_tensors(OpKind kind) { return kind == OpKind::contract || stands_alone(kind); }

bool AxisMap::is_identity(size_t rank) const {
    bool same = axes.size() == rank && takes_all();
    for (size_t i = 0; same && i < axes.size(); ++i) same = axes[i] == i;
    return same;
}

AxisMap through_movements(const Function& graph, ValueId value) {
    AxisMap map = itself(graph, value);
    // From here on `map` says where the long axes of its base stand in the value.
    for (OpId op = graph.value(value).op; op.valid() && moves_elements(graph, op); op = graph.value(map.base).op) {
        if (graph.op(op).operands.empty()) break;  // `positions`
        map = through(graph, op, map);
    }
    return map;
}

std::vector<AxisMap> sources_of(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    if (moves_elements(graph, id)) return {through_movements(graph, op.results[0])};
    std::vector<AxisMap> sources;
    const bool as_they_are = takes_whole_tensors(op.kind) || reshapes(graph, id);
    for (ValueId operand : op.operands) {
        sources.push_back(as_they_are ? itself(graph, operand) : through_movements(graph, operand));
    }
    return sources;
}

}  // namespace tsr::ir
