#include "ir/passes/graph/gathered_kernel.h"

#include <algorithm>
#include <map>

#include "ir/build/builder.h"
#include "ir/ops/handle.h"
#include "ir/ops/movements.h"
#include "ir/ops/register.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

class GatheredKernelMaker {
public:
    explicit GatheredKernelMaker(const Function& fused) : fused_(fused), root_(out_.kernel), builder_(&root_) {}

    FusedKernel run() {
        out_.begin(fused_, false);
        for (ValueId param : fused_.params()) {
            const Value& value = fused_.value(param);
            if (value.role.kind == ParamRole::Kind::dimension) continue;
            inputs_[param] =
                out_.add_parameter(value.type.is_scalar() ? value.type : in_kernel(value.type), false, value.name);
        }
        const ValueSpan results = yielded(fused_, fused_.body);
        for (ValueId result : results)
            outputs_.push_back(out_.add_parameter(in_kernel(fused_.type(result)), true, fused_.value(result).name));
        root_.to_end_of(out_.kernel.body);
        root_.set_place(out_.kernel.place);
        zero_ = builder_->index(0);
        one_ = builder_->index(1);
        space_ = long_extents(fused_.type(results[0]));
        loops(0);
        builder_->yield({});
        return std::move(out_);
    }

private:
    // ---- parameters and loops ----
    // Without the axes of one element; a scalar result is written as one.
    static Type in_kernel(const Type& type) {
        std::vector<Dim> shape = long_extents(type);
        if (shape.empty()) shape.push_back(Dim::constant(1));
        return Type::tensor(type.elem, std::move(shape), type.mut);
    }

    // What stands in the body of a loop or `if` is made by another builder; values made there are known only there.
    template <typename Fill>
    Values inside(Builder& body, Fill&& fill) {
        Builder* const outer = std::exchange(builder_, &body);
        const auto values = values_;
        Values result = fill();
        builder_ = outer;
        values_ = values;
        return result;
    }

    ValueId extent(const Dim& dim) { return builder_->dim(out_.renamed(dim)); }

    // The last axis of tensors joined along it, of so few elements that each iteration does all: of complex numbers.
    [[nodiscard]] bool is_done_at_once(size_t depth) const {
        constexpr int64_t kFew = 8;
        const OpId id = fused_.value(yielded(fused_, fused_.body)[0]).op;
        if (depth == 0 || depth + 1 != space_.size() || fused_.op(id).kind != OpKind::concat) return false;
        const ConcatOp op(fused_, id);
        const auto extent = space_[depth].constant_value();
        return extent && *extent <= kFew && op.axis() + 1 == fused_.type(op.result()).rank();
    }

    void loops(size_t depth) {
        if (depth == space_.size() && depth > 0) return store(at_);
        if (is_done_at_once(depth)) {
            for (int64_t i = 0; i < *space_[depth].constant_value(); ++i) {
                at_.push_back(builder_->index(i));
                store(at_);
                at_.pop_back();
            }
            return;
        }
        Attrs attrs{{Attr::loop, static_cast<int64_t>(LoopKind::tile_range)}};
        if (depth > 0) attrs.set(Attr::axis, static_cast<int64_t>(depth));
        const ValueId end = space_.empty() ? one_ : extent(space_[depth]);
        builder_->for_(zero_, end, one_, {}, std::move(attrs), [&](Builder& body, ValueId iv, const Values&) {
            return inside(body, [&] {
                if (space_.empty()) {
                    store({});
                } else {
                    at_.push_back(iv);
                    loops(depth + 1);
                    at_.pop_back();
                }
                return Values{};
            });
        });
    }

    void store(const Values& at) {
        const ValueSpan results = yielded(fused_, fused_.body);
        for (size_t i = 0; i < results.size(); ++i) {
            const ValueId value = element(results[i], on_all_axes(fused_.type(results[i]), at));
            builder_->write(outputs_[i], value, at.empty() ? Values{zero_} : at);
        }
    }

    // ---- positions: an index for each axis of a value ----
    Values on_all_axes(const Type& type, const Values& at) const {
        Values all;
        size_t next = 0;
        for (const Dim& extent : type.shape) all.push_back(extent.constant_value() == 1 ? zero_ : at[next++]);
        return all;
    }
    static Values on_long_axes(const Type& type, const Values& at) {
        Values some;
        for (size_t axis = 0; axis < type.rank(); ++axis) {
            if (type.shape[axis].constant_value() != 1) some.push_back(at[axis]);
        }
        return some;
    }

    ValueId sum(ValueId a, ValueId b) {
        if (a == zero_) return b;
        return b == zero_ ? a : builder_->add(a, b);
    }

    // ---- elements ----
    ValueId element(ValueId v, const Values& at) {
        if (const auto known = values_.find({v, at}); known != values_.end()) return known->second;
        return values_[{v, at}] = made(v, at);
    }

    ValueId made(ValueId v, const Values& at) {
        const Type& type = fused_.type(v);
        if (const auto input = inputs_.find(v); input != inputs_.end()) {
            if (type.is_scalar()) return input->second;
            const Values place = on_long_axes(type, at);
            return builder_->read(input->second, place.empty() ? Values{zero_} : place);
        }
        const OpId id = fused_.value(v).op;
        const Op& op = fused_.op(id);
        if (op.kind == OpKind::constant) return builder_->value(OpKind::constant, {}, op.attrs);
        if (moves_elements(fused_, id)) return moved(v, at);
        // Whose elements are not computed from elements at the same place.
        static constexpr std::pair<OpKind, ValueId (GatheredKernelMaker::*)(OpId, const Values&)> kElsewhere[] = {
            {OpKind::slice, &GatheredKernelMaker::of_slice},
            {OpKind::pad, &GatheredKernelMaker::of_pad},
            {OpKind::concat, &GatheredKernelMaker::of_concat},
            {OpKind::update, &GatheredKernelMaker::of_update},
            {OpKind::reduce, &GatheredKernelMaker::of_reduce}};
        for (const auto& [kind, of] : kElsewhere) {
            if (op.kind == kind) return (this->*of)(id, at);
        }
        Values operands;
        for (ValueId operand : op.operands) operands.push_back(element(operand, at));
        builder_->set_place(op.place);
        return builder_->value(op.kind, std::move(operands), op.attrs);
    }

    ValueId moved(ValueId v, const Values& at) {
        const AxisMap map = through_movements(fused_, v);
        const Type& base = fused_.type(map.base);
        const Values here = on_long_axes(fused_.type(v), at);
        Values place;
        for (size_t i = 0; i < map.axes.size(); ++i) {
            ValueId index = map.axes[i] == AxisMap::kNone ? zero_ : here[map.axes[i]];
            for (ValueId scalar : map.starts[i].scalars) index = sum(index, element(scalar, {}));
            if (map.starts[i].offset != 0) index = sum(index, builder_->index(map.starts[i].offset));
            place.push_back(index);
        }
        if (defined_by(fused_, map.base, OpKind::positions))
            return builder_->cast(place.empty() ? zero_ : place[0], base.elem);
        return element(map.base, on_all_axes(base, place));
    }

    ValueId of_slice(OpId id, const Values& at) {
        const BlockOp op(fused_, id);
        Values place;
        for (size_t axis = 0; axis < at.size(); ++axis) {
            const ValueId start = element(op.starts()[axis], {});
            const int64_t step = op.step(axis);
            place.push_back(at[axis] == zero_
                                ? start
                                : sum(start, step == 1 ? at[axis] : builder_->mul(at[axis], builder_->index(step))));
        }
        return element(op.value(), place);
    }

    // Along an axis of one element, which is what it gives: a fusion that gathers combines along no other.
    ValueId of_reduce(OpId id, const Values& at) {
        const AlongOp op(fused_, id);
        Values place = at;
        place.insert(place.begin() + op.axis(), zero_);
        return builder_->cast(element(op.value(), place), fused_.type(op.result()).elem);
    }

    // Where in a tensor a position is, one that may lie outside; `inside` says whether it does not.
    struct Place {
        Values at;
        ValueId inside;
    };
    void limit(Place& place, ValueId condition) {
        place.inside = place.inside.valid() ? builder_->bit_and(place.inside, condition) : condition;
    }
    Place place_in(const Type& type, ValueSpan starts, const Values& at, const std::vector<int64_t>& steps) {
        Place place;
        for (size_t axis = 0; axis < at.size(); ++axis) {
            const ValueId start = element(starts[axis], {});
            ValueId index = builder_->sub(at[axis], start);
            if (steps[axis] != 1) {
                const ValueId step = builder_->index(steps[axis]);
                limit(place, builder_->eq(builder_->mod(index, step), zero_));
                index = builder_->floordiv(index, step);
            }
            limit(place, builder_->ge(index, zero_));
            limit(place, builder_->lt(index, extent(type.shape[axis])));
            place.at.push_back(index);
        }
        return place;
    }

    ValueId one_of_two(ValueId condition, const std::function<ValueId()>& then,
                       const std::function<ValueId()>& otherwise) {
        const auto side = [this](const std::function<ValueId()>& value) {
            return [this, &value](Builder& body) { return inside(body, [&] { return Values{value()}; }); };
        };
        const OpId choice = builder_->if_(condition, side(then), side(otherwise));
        return out_.kernel.op(choice).results[0];
    }

    ValueId of_pad(OpId id, const Values& at) {
        const PadOp op(fused_, id);
        const Place place =
            place_in(fused_.type(op.value()), op.starts(), at, std::vector<int64_t>(at.size(), int64_t{1}));
        return one_of_two(
            place.inside, [&] { return element(op.value(), place.at); }, [&] { return element(op.fill(), {}); });
    }

    // Of the parts from `part` on, which begins at `begin` along the axis.
    // Of a joined tensor: an element of its part, or of a later one.
    ValueId of_part(const ConcatOp& op, size_t part, ValueId begin, const Values& at) {
        Values place = at;
        place[op.axis()] = begin == zero_ ? at[op.axis()] : builder_->sub(at[op.axis()], begin);
        const ValueId value = op.parts()[part];
        if (part + 1 == op.parts().size()) return element(value, place);
        const ValueId end = sum(begin, extent(fused_.type(value).shape[op.axis()]));
        return one_of_two(
            builder_->lt(at[op.axis()], end), [&] { return element(value, place); },
            [&] { return of_part(op, part + 1, end, at); });
    }

    ValueId of_concat(OpId id, const Values& at) { return of_part(ConcatOp(fused_, id), 0, zero_, at); }

    ValueId of_update(OpId id, const Values& at) {
        const BlockOp op(fused_, id);
        std::vector<int64_t> steps;
        for (size_t axis = 0; axis < at.size(); ++axis) steps.push_back(op.step(axis));
        const Place place = place_in(fused_.type(op.block()), op.starts(), at, steps);
        return one_of_two(
            place.inside, [&] { return element(op.block(), place.at); }, [&] { return element(op.value(), at); });
    }

    const Function& fused_;
    FusedKernel out_;
    Builder root_;
    Builder* builder_;  // of the region where operations are made now
    ValueId zero_, one_;
    std::vector<Dim> space_;
    Values at_;  // an index for each axis of the space
    std::map<ValueId, ValueId> inputs_;
    Values outputs_;
    std::map<std::pair<ValueId, Values>, ValueId> values_;  // known in the region where operations are made now
};

}  // namespace

bool gathers(const Function& fused) {
    return std::ranges::any_of(fused.region(fused.body).ops, [&](OpId id) { return gathers_elements(fused, id); });
}

FusedKernel gathered_kernel(const Function& fused) { return GatheredKernelMaker(fused).run(); }

}  // namespace tsr::ir
