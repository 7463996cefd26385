#include "ir/passes/graph/sink_gathers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ir/build/builder.h"
#include "ir/ops/effects.h"
#include "ir/ops/handle.h"
#include "ir/ops/indexed.h"
#include "ir/ops/register.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostGathers = 2;  // that one becomes
constexpr size_t kMostOps = 32;     // computed again, at most

class SunkGather {
public:
    SunkGather(Function& graph, OpId gather)
        : graph_(graph), gather_(graph, gather), letters_(gather_.letters()), builder_(Builder::at(graph, gather)) {
        builder_.set_place(graph.op(gather).place);
    }

    // The value that takes the gather's place.
    std::optional<ValueId> run() {
        if (!is_few() || !goes_inside(gather_.x()) || leaves_.empty() || leaves_.size() > kMostGathers)
            return std::nullopt;
        if (leaves_.contains(gather_.x()) || ops_ > kMostOps) return std::nullopt;
        return made(gather_.x());
    }

private:
    [[nodiscard]] const Type& result() const { return graph_.type(graph_.op(gather_.id).results[0]); }

    // One element of each row, or fewer: all extents are of the tensor, but for those of 1.
    [[nodiscard]] bool is_few() const {
        if (gather_.allows_outside()) return false;
        const Type& x = graph_.type(gather_.x());
        for (size_t axis = 0; axis < letters_.positions.size(); ++axis) {
            const size_t same = letters_.x.find(letters_.positions[axis]);
            const Dim& extent = result().shape[axis];
            if (extent.constant_value() != 1 && (same == std::string_view::npos || x.shape[same] != extent))
                return false;
        }
        return true;
    }

    // Where an axis of the tensor is in the result: nothing for one that ids take elements along.
    [[nodiscard]] std::optional<int64_t> place_of(size_t axis) const {
        const size_t at = letters_.positions.find(letters_.x[axis]);
        return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<int64_t>(at));
    }

    // The axes of an `expand` in the result, if it repeats its value along those that ids take elements along.
    [[nodiscard]] std::optional<std::vector<int64_t>> expanded_axes(const ExpandOp& op) const {
        std::vector<int64_t> axes;
        const Type& value = graph_.type(op.value());
        for (size_t i = 0; i < value.rank(); ++i) {
            std::optional<int64_t> place = place_of(static_cast<size_t>(op.axes()[i]));
            if (!place && value.shape[i].constant_value() == 1) place = own_axis();
            if (!place || std::ranges::find(axes, *place) != axes.end()) return std::nullopt;
            axes.push_back(*place);
        }
        return std::ranges::is_sorted(axes) ? std::optional(axes) : std::nullopt;
    }

    // An axis of one element that the ids have for themselves.
    [[nodiscard]] std::optional<int64_t> own_axis() const {
        for (size_t axis = 0; axis < letters_.positions.size(); ++axis) {
            const bool own = letters_.x.find(letters_.positions[axis]) == std::string_view::npos;
            if (own && result().shape[axis].constant_value() == 1) return static_cast<int64_t>(axis);
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_computed(ValueId v) const {
        const OpId id = graph_.value(v).op;
        return id.valid() && is_element(graph_.op(id).kind) && graph_.op(id).results.size() == 1;
    }

    // Finds the values that are gathered instead; false where there is no end of it.
    bool goes_inside(ValueId v) {
        if (seen_.contains(v) || graph_.type(v).kind != TypeKind::tensor) return true;
        seen_.emplace(v, ValueId());
        if (is_computed(v)) {
            const Op& op = graph_.op(graph_.value(v).op);
            return ++ops_ <= kMostOps &&
                   std::ranges::all_of(op.operands, [&](ValueId operand) { return goes_inside(operand); });
        }
        const OpId id = graph_.value(v).op;
        const bool repeated = id.valid() && (graph_.op(id).kind == OpKind::full ||
                                             (graph_.op(id).kind == OpKind::expand && expanded_axes({graph_, id})));
        if (!repeated) leaves_.emplace(v);
        return true;
    }

    ValueId made(ValueId v) {
        if (graph_.type(v).kind != TypeKind::tensor) return v;
        if (ValueId& known = seen_.at(v); known.valid()) return known;
        ValueId at;
        if (leaves_.contains(v)) {
            at = builder_.value(OpKind::gather_axis, {v, gather_.ids()}, graph_.op(gather_.id).attrs);
        } else {
            const Op op = graph_.op(graph_.value(v).op);
            Attrs attrs = op.attrs;
            Values operands = op.operands;
            if (op.kind == OpKind::expand) attrs.set(Attr::axes, *expanded_axes({graph_, graph_.value(v).op}));
            if (op.kind == OpKind::expand || op.kind == OpKind::full) attrs.set(Attr::shape, result().shape);
            if (is_element(op.kind)) {
                for (ValueId& operand : operands) operand = made(operand);
            }
            at = builder_.value(op.kind, std::move(operands), std::move(attrs));
        }
        return seen_[v] = at;
    }

    Function& graph_;
    IndexedOp gather_;
    IndexLetters letters_;
    Builder builder_;
    std::map<ValueId, ValueId> seen_;  // what each value is at the ids
    std::set<ValueId> leaves_;         // values that are gathered
    size_t ops_ = 0;
};

}  // namespace

void sink_gathers(Function& graph) {
    std::vector<OpId> gathers;
    for_each_op(graph, graph.body, [&](OpId id) {
        if (graph.op(id).kind == OpKind::gather_axis) gathers.push_back(id);
    });
    std::vector<ValueId> to(graph.value_count());
    std::vector<OpId> replaced;
    for (OpId gather : gathers) {
        const auto made = SunkGather(graph, gather).run();
        if (!made) continue;
        const ValueId was = graph.op(gather).results[0];
        graph.value(*made).name = graph.value(was).name;
        to.resize(graph.value_count());
        to[was.index] = *made;
        replaced.push_back(gather);
    }
    if (replaced.empty()) return;
    to.resize(graph.value_count());
    graph.replace_uses(to);
    for (OpId gather : replaced) graph.remove(gather);
}

}  // namespace tsr::ir
