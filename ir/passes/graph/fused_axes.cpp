#include "ir/passes/graph/fused_axes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/ops/handle.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/fusions.h"

namespace tsr::ir {

namespace {

// Which axes of the space an operation's result, or what a `reduce` takes, runs along.
std::vector<size_t> stands_at(const FusedAxes& axes, const Function& fused, OpId id) {
    const Op& op = fused.op(id);
    const Type& type = fused.type(op.kind == OpKind::reduce ? op.operands[0] : op.results[0]);
    return axes.long_axes(long_extents(type).size());
}

// Where each parameter's long axes stand in the space, in each of its uses.
std::vector<std::vector<size_t>> accesses(const FusedAxes& axes, const Function& fused,
                                          std::map<ValueId, std::vector<std::vector<size_t>>>& of_tensor) {
    std::vector<std::vector<size_t>> all;
    for (OpId id : computed(fused)) {
        const std::vector<size_t> stands = stands_at(axes, fused, id);
        for (const AxisMap& source : sources_of(fused, id)) {
            const bool parameter = fused.value(source.base).region == fused.body;
            if (!parameter || fused.type(source.base).kind != TypeKind::tensor) continue;
            std::vector<size_t> places;
            for (size_t axis : source.axes) places.push_back(stands[axis]);
            of_tensor[source.base].push_back(places);
            all.push_back(std::move(places));
        }
    }
    return all;
}

// Both axes stand in the tensor, one behind the other, or neither does.
bool joins_in(const std::vector<size_t>& places, size_t axis) {
    const auto first = std::ranges::find(places, axis);
    const auto second = std::ranges::find(places, axis + 1);
    if (first == places.end() || second == places.end()) return first == second;
    return second == first + 1;
}

}  // namespace

std::vector<size_t> FusedAxes::outer() const {
    std::vector<size_t> all;
    for (size_t i = 0; i < extents.size(); ++i) {
        if (i != axis) all.push_back(i);
    }
    return all;
}

std::vector<size_t> FusedAxes::long_axes(size_t rank) const {
    std::vector<size_t> all;
    for (size_t i = 0; i < joined.size(); ++i) {
        if (rank == joined.size() || joined[i] != axis) all.push_back(i);
    }
    return all;
}

bool combines(const Function& fused, OpId id) {
    const Op& op = fused.op(id);
    return op.kind == OpKind::reduce &&
           fused.type(op.operands[0]).shape[op.attrs.integer(Attr::axis)].constant_value() != 1;
}

std::vector<OpId> computed(const Function& fused) {
    const ValueSpan given = yielded(fused, fused.body);
    std::vector<OpId> ops;
    for (OpId id : fused.region(fused.body).ops) {
        const bool moved = moves_elements(fused, id) && std::ranges::count(given, fused.op(id).results[0]) > 0;
        if (computes_tensors(fused, id) || moved) ops.push_back(id);
    }
    return ops;
}

std::vector<size_t> joined_axes(const FusedAxes& axes, const std::vector<size_t>& stands) {
    std::vector<size_t> all;
    for (size_t i = 0; i < stands.size(); ++i) {
        const size_t here = axes.joined[stands[i]];
        if (i > 0 && here == axes.joined[stands[i - 1]] && stands[i] == stands[i - 1] + 1) continue;
        all.push_back(here);
    }
    return all;
}

FusedAxes fused_axes(const Function& fused) {
    FusedAxes axes;
    std::vector<Dim> space;
    for (OpId id : computed(fused)) {
        const Op& op = fused.op(id);
        const Type& type = fused.type(op.kind == OpKind::reduce ? op.operands[0] : op.results[0]);
        std::vector<Dim> extents = long_extents(type);
        if (extents.size() >= space.size()) space = std::move(extents);
        if (combines(fused, id)) axes.axis = long_axis(type, static_cast<size_t>(op.attrs.integer(Attr::axis)));
    }
    // First each axis alone, so that accesses can be asked for.
    axes.joined.resize(space.size());
    std::iota(axes.joined.begin(), axes.joined.end(), size_t{0});
    std::map<ValueId, std::vector<std::vector<size_t>>> of_tensor;
    const auto all = accesses(axes, fused, of_tensor);
    const std::optional<size_t> combined = axes.axis;
    std::vector<size_t> joined(space.size());
    for (size_t i = 1; i < space.size(); ++i) {
        const bool apart = combined == i || combined == i - 1 ||
                           !std::ranges::all_of(all, [&](const auto& places) { return joins_in(places, i - 1); });
        joined[i] = joined[i - 1] + (apart ? 1 : 0);
    }
    axes.joined = joined;
    // A tensor that is read in two ways has one shape: where its uses would join it differently nothing is joined.
    const bool one_way = std::ranges::all_of(of_tensor, [&](const auto& tensor) {
        const auto cuts = [&](const std::vector<size_t>& places) {
            std::vector<bool> cut;
            for (size_t i = 1; i < places.size(); ++i)
                cut.push_back(joined[places[i]] != joined[places[i - 1]] || places[i] != places[i - 1] + 1);
            return cut;
        };
        return std::ranges::all_of(tensor.second,
                                   [&](const auto& places) { return cuts(places) == cuts(tensor.second.front()); });
    });
    if (!one_way) std::iota(axes.joined.begin(), axes.joined.end(), size_t{0});
    if (combined) axes.axis = axes.joined[*combined];
    for (size_t i = 0; i < space.size(); ++i) {
        if (axes.joined[i] == axes.extents.size()) {
            axes.extents.push_back(space[i]);
        } else {
            axes.extents.back() = axes.extents.back() * space[i];
        }
    }
    return axes;
}

}  // namespace tsr::ir
