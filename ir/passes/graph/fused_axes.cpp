#include "ir/passes/graph/fused_axes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ir/ops/handle.h"
#include "ir/ops/register.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/fusions.h"

namespace tsr::ir {

namespace {

// Which axes of the space an operation's result, or what a `reduce` takes, runs along.
std::vector<size_t> stands_at(const FusedAxes& axes, const Function& fused, OpId id) {
    return axes.long_axes(long_extents(computed_type(fused, id)).size());
}

// Where the long axes of a tensor stand in the space, in one of its uses.
struct Use {
    std::vector<size_t> places;
    bool whole = true;    // else each of its axes is alone, and those of the space that they stand at
    bool packed = false;  // its rows begin at a byte: the last axis is joined with none
};

std::vector<Use> uses_of_tensors(const FusedAxes& axes, const Function& fused,
                                 std::map<ValueId, std::vector<Use>>& of_tensor) {
    std::vector<Use> all;
    for (OpId id : computed(fused)) {
        const std::vector<size_t> stands = stands_at(axes, fused, id);
        for (const AxisMap& source : sources_of(fused, id)) {
            const bool counts = defined_by(fused, source.base, OpKind::positions).has_value();
            const bool parameter = fused.value(source.base).region == fused.body;
            if (!counts && (!parameter || fused.type(source.base).kind != TypeKind::tensor)) continue;
            Use use{.places = {},
                    .whole = source.takes_all() && !counts,
                    .packed = is_packed(fused.type(source.base).elem)};
            for (size_t axis : source.axes) use.places.push_back(axis == AxisMap::kNone ? axis : stands[axis]);
            of_tensor[source.base].push_back(use);
            all.push_back(std::move(use));
        }
    }
    return all;
}

// Both axes stand in the tensor, one behind the other, or neither does.
bool joins_in(const Use& use, size_t axis) {
    const std::vector<size_t>& places = use.places;
    const auto first = std::ranges::find(places, axis);
    const auto second = std::ranges::find(places, axis + 1);
    if (!use.whole && (first != places.end() || second != places.end())) return false;
    if (first == places.end() || second == places.end()) return first == second;
    return second == first + 1 && !(use.packed && second + 1 == places.end());
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

const Type& computed_type(const Function& fused, OpId id) {
    const Op& op = fused.op(id);
    return fused.type(op.kind == OpKind::reduce ? AlongOp(fused, op).value() : op.results[0]);
}

bool combines(const Function& fused, OpId id) {
    const Op& op = fused.op(id);
    return op.kind == OpKind::reduce && computed_type(fused, id).shape[AlongOp(fused, id).axis()].constant_value() != 1;
}

std::vector<OpId> computed(const Function& fused) {
    const ValueSpan given = yielded(fused, fused.body);
    std::vector<OpId> ops;
    for (OpId id : fused.region(fused.body).ops) {
        const bool moved = moves_elements(fused, id) && std::ranges::count(given, fused.op(id).results[0]) > 0;
        if (computes_tensors(fused, id) || gathers_elements(fused, id) || moved) ops.push_back(id);
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

TensorAccess access_of(const FusedAxes& axes, const Function& fused, const AxisMap& source, OpId user) {
    const std::vector<size_t> stands = stands_at(axes, fused, user);
    TensorAccess access;
    for (size_t axis : source.axes) access.axes.push_back(axis == AxisMap::kNone ? axis : stands[axis]);
    if (source.takes_all()) {
        access.axes = joined_axes(axes, access.axes);
        access.starts.resize(access.axes.size());
        return access;
    }
    for (size_t& axis : access.axes) axis = axis == AxisMap::kNone ? axis : axes.joined[axis];
    access.starts = source.starts;
    return access;
}

FusedAxes fused_axes(const Function& fused) {
    FusedAxes axes;
    std::vector<Dim> space;
    for (OpId id : computed(fused)) {
        const Op& op = fused.op(id);
        const Type& type = computed_type(fused, id);
        std::vector<Dim> extents = long_extents(type);
        if (extents.size() >= space.size()) space = std::move(extents);
        if (combines(fused, id)) axes.axis = long_axis(type, static_cast<size_t>(op.attrs.integer(Attr::axis)));
    }
    // First each axis alone, so that accesses can be asked for.
    axes.joined.resize(space.size());
    std::iota(axes.joined.begin(), axes.joined.end(), size_t{0});
    std::map<ValueId, std::vector<Use>> of_tensor;
    const std::vector<Use> all = uses_of_tensors(axes, fused, of_tensor);
    const std::optional<size_t> combined = axes.axis;
    std::vector<size_t> joined(space.size());
    for (size_t i = 1; i < space.size(); ++i) {
        const bool apart = combined == i || combined == i - 1 ||
                           !std::ranges::all_of(all, [&](const Use& use) { return joins_in(use, i - 1); });
        joined[i] = joined[i - 1] + (apart ? 1 : 0);
    }
    axes.joined = joined;
    // A tensor that is read in two ways has one shape: where its uses would join it differently nothing is joined.
    const bool one_way = std::ranges::all_of(of_tensor, [&](const auto& tensor) {
        const auto cuts = [&](const Use& use) {
            const std::vector<size_t>& places = use.places;
            std::vector<bool> cut;
            for (size_t i = 1; i < places.size(); ++i) {
                cut.push_back(!use.whole || joined[places[i]] != joined[places[i - 1]] ||
                              places[i] != places[i - 1] + 1);
            }
            return cut;
        };
        return std::ranges::all_of(tensor.second,
                                   [&](const Use& use) { return cuts(use) == cuts(tensor.second.front()); });
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
