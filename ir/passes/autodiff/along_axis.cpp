#include "ir/passes/autodiff/along_axis.h"

#include <numeric>
#include <string>

#include "ir/ops/register.h"
#include "ir/passes/autodiff/types.h"
#include "ir/passes/math/term.h"

namespace tsr::ir::autodiff {

namespace {

// A tensor along one of its axes.
class Along {
public:
    Along(Builder& at, ValueId like, size_t axis) : at_(at), shape_(at.function().type(like).shape), axis_(axis) {}

    ValueId filled(ValueId number) { return at_.value(OpKind::full, {number}, {{Attr::shape, shape_}}); }

    // Each element `by` places further (forwards: 1, backwards: -1); what comes in is `fill`.
    ValueId shifted(ValueId value, int64_t by, ValueId fill) {
        Values operands{value, fill};
        for (size_t i = 0; i < shape_.size(); ++i) operands.push_back(at_.index(i == axis_ ? by : 0));
        return at_.value(OpKind::pad, std::move(operands), {{Attr::shape, shape_}});
    }

    ValueId scan(ValueId value, ReduceOp op, bool reverse) {
        Attrs attrs{{Attr::op, static_cast<int64_t>(op)}, {Attr::axis, static_cast<int64_t>(axis_)}};
        if (reverse) attrs.set(Attr::reverse, kFlag);
        return at_.value(OpKind::scan, {value}, std::move(attrs));
    }

    // The scan of what stands before each element, in the direction of the scan.
    ValueId before(ValueId value, ReduceOp op, bool reverse, ValueId fill) {
        return shifted(scan(value, op, reverse), reverse ? -1 : 1, fill);
    }

    // The number of each place along the axis, i64.
    ValueId numbers() {
        const ValueId line = at_.value(OpKind::positions, {},
                                       {{Attr::shape, std::vector<Dim>{shape_[axis_]}}, {Attr::type, DType::i64}});
        return at_.value(OpKind::expand, {line},
                         {{Attr::shape, shape_}, {Attr::axes, std::vector<int64_t>{static_cast<int64_t>(axis_)}}});
    }

    // r = b + a * (r one place before), 0 before the first; from the last place on where it is reversed.
    ValueId recurrence(ValueId a, ValueId b, bool reverse) {
        const Type type = at_.function().type(b);
        std::vector<Dim> one = shape_;
        one[axis_] = Dim::constant(1);
        const ValueId count = at_.dim(shape_[axis_]);
        const ValueId none = zeros_of(at_, Type::tensor(type.elem, one, false));
        const OpId loop = at_.for_(
            at_.index(0), count, at_.index(1), {none, b}, {{Attr::loop, static_cast<int64_t>(LoopKind::in_order)}},
            [&](Builder& in, ValueId round, const Values& now) {
                const ValueId place = reverse ? in.sub(in.sub(count, in.index(1)), round) : round;
                const auto at_place = [&](Values operands) {
                    for (size_t i = 0; i < shape_.size(); ++i) operands.push_back(i == axis_ ? place : in.index(0));
                    return operands;
                };
                const auto slice = [&](ValueId of) {
                    return in.value(OpKind::slice, at_place({of}), {{Attr::shape, one}});
                };
                const ValueId next = in.add(slice(b), in.mul(slice(a), now[0]));
                return Values{next, in.value(OpKind::update, at_place({now[1], next}))};
            });
        return at_.function().op(loop).results[1];
    }

    // Letters of a gather of whole lines along the axis: "ac,ab->ab".
    [[nodiscard]] std::string letters() const {
        std::string places(shape_.size(), 'a');
        std::iota(places.begin(), places.end(), 'a');
        std::string x = places;
        x[axis_] = static_cast<char>('a' + shape_.size());
        return x + "," + places + "->" + places;
    }
    // What stands at the places that the numbers along the axis say; and its adjoint.
    ValueId taken(ValueId value, ValueId from) {
        return at_.value(OpKind::gather_axis, {value, from}, {{Attr::letters, letters()}});
    }
    ValueId given_back(ValueId g, ValueId from) {
        const ValueId zeros = zeros_of(at_, at_.function().type(g));
        return at_.value(OpKind::scatter_axis, {zeros, from, g},
                         {{Attr::letters, letters()}, {Attr::op, static_cast<int64_t>(ReduceOp::add)}});
    }

private:
    Builder& at_;
    std::vector<Dim> shape_;
    size_t axis_;
};

// What goes along an axis, in the type that derivatives are computed in.
struct Scanned {
    Scanned(Builder& at, OpId op)
        : handle(at.function(), op),
          x(at.cast(handle.value(), derivative_type(at.function().type(handle.value())).elem)),
          along(at, x, static_cast<size_t>(handle.axis())),
          reverse(handle.attrs().has(Attr::reverse)),
          one(at.constant(1.0, at.function().type(x).elem)),
          op(handle.what()) {}
    AlongOp handle;
    ValueId x;
    Along along;
    bool reverse;
    ValueId one;
    ReduceOp op;
};

// The product of all others: of those before and those behind, so that zeros among them do no harm.
ValueId others(Builder& at, Scanned& of) {
    return at.mul(of.along.before(of.x, ReduceOp::mul, false, of.one),
                  of.along.before(of.x, ReduceOp::mul, true, of.one));
}

ValueId along_again(Builder& at, const Scanned& of, ValueId value) {
    const std::vector<Dim> shape = at.function().type(of.x).shape;
    if (shape.size() == 1) return at.value(OpKind::full, {value}, {{Attr::shape, shape}});
    std::vector<int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    axes.erase(axes.begin() + of.handle.axis());
    return at.value(OpKind::expand, {value}, {{Attr::axes, axes}, {Attr::shape, shape}});
}

// For each place of a running extreme: where the element stands that it is, the first of equal ones. NaN stays.
ValueId extreme_places(Builder& at, Scanned& of) {
    const bool greatest = of.op == ReduceOp::max;
    const double worst = greatest ? -math::kInfinity : math::kInfinity;
    const DType type = at.function().type(of.x).elem;
    const ValueId before = of.along.before(of.x, of.op, of.reverse, at.constant(worst, type));
    const OpKind beats = greatest ? (of.reverse ? OpKind::ge : OpKind::gt) : (of.reverse ? OpKind::le : OpKind::lt);
    ValueId not_a_number = at.ne(of.x, of.x);
    // Read from the beginning the first NaN stays; from the end each is before those behind it.
    if (!of.reverse) not_a_number = at.bit_and(not_a_number, at.eq(before, before));
    const ValueId is_new = at.bit_or(at.element(beats, {of.x, before}), not_a_number);
    const ValueId numbers = of.along.numbers();
    const ValueId end = at.cast(
        at.sub(at.dim(at.function().type(of.x).shape[static_cast<size_t>(of.handle.axis())]), at.index(1)), DType::i64);
    const ValueId none = of.along.filled(of.reverse ? end : at.constant(0, DType::i64));
    return of.along.scan(at.select(is_new, numbers, none), of.reverse ? ReduceOp::min : ReduceOp::max, of.reverse);
}

ValueId order_of(Builder& at, OpId op) {
    return at.value(OpKind::sort_index, {AlongOp(at.function(), op).value()}, at.function().op(op).attrs);
}

Along along_operand(Builder& at, OpId op) {
    const AlongOp handle(at.function(), op);
    return {at, handle.value(), static_cast<size_t>(handle.axis())};
}

}  // namespace

ValueId product_adjoint(Builder& at, OpId op, ValueId g) {
    Scanned of(at, op);
    return at.mul(along_again(at, of, g), others(at, of));
}

ValueId product_tangent(Builder& at, OpId op, ValueId tangent) {
    Scanned of(at, op);
    return at.value(OpKind::reduce, {at.mul(tangent, others(at, of))},
                    {{Attr::op, static_cast<int64_t>(ReduceOp::add)}, {Attr::axis, of.handle.axis()}});
}

// Of products: R = g + (the next element) * (R of the next place), times the product of those before. No division.
ValueId scan_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    Scanned of(at, op);
    if (of.op == ReduceOp::add) return of.along.scan(g, ReduceOp::add, !of.reverse);
    if (of.op != ReduceOp::mul) return of.along.given_back(g, extreme_places(at, of));
    const ValueId next = of.along.shifted(of.x, of.reverse ? 1 : -1, of.one);
    const ValueId sums = of.along.recurrence(next, g, !of.reverse);
    return at.mul(of.along.before(of.x, ReduceOp::mul, of.reverse, of.one), sums);
}

ValueId scan_tangent(Builder& at, OpId op, const Tangents& tangents) {
    Scanned of(at, op);
    if (of.op == ReduceOp::add) return of.along.scan(*tangents[0], ReduceOp::add, of.reverse);
    if (of.op != ReduceOp::mul) return of.along.taken(*tangents[0], extreme_places(at, of));
    const ValueId moved = at.mul(*tangents[0], of.along.before(of.x, ReduceOp::mul, of.reverse, of.one));
    return of.along.recurrence(of.x, moved, of.reverse);
}

ValueId sort_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    return along_operand(at, op).given_back(g, order_of(at, op));
}

ValueId sort_tangent(Builder& at, OpId op, const Tangents& tangents) {
    return along_operand(at, op).taken(*tangents[0], order_of(at, op));
}

}  // namespace tsr::ir::autodiff
