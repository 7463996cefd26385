// Builtins of graphs that are not elementwise operations on operands of one type: conversions, choices, reductions.
#include <algorithm>

#include "base/numerics.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/graph_making.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"
#include "sema/program/reductions.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ReduceOp;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using sema::Kind;

namespace {

// Elements that are not rounded yet stay so.
Val choice(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val condition = argument_value(b, info, 0);
    const Val then = argument_value(b, info, 1);
    const Val otherwise = argument_value(b, info, 2);
    const DType type = b.info(e).type.elem();
    const auto wide = [&](const Val& value) { return value.is_ssa() && b.type_of(value.id).elem != type; };
    const DType held = wide(then) || wide(otherwise) ? compute_of(b, e) : type;
    const auto shape = joint_shape(b, {condition, then, otherwise});
    if (!shape) {
        return Val::ssa(
            b.emit.inferred(OpKind::select, {b.truth(condition), b.scalar(then, held), b.scalar(otherwise, held)}),
            type);
    }
    const ValueId test = b.tile(condition, DType::boolean, *shape);
    return Val::ssa(
        b.emit.inferred(OpKind::select, {test, b.tile(then, held, *shape), b.tile(otherwise, held, *shape)}), type);
}

ReduceOp combining(Builtin function) {
    switch (function) {
        case Builtin::min:
            return ReduceOp::min;
        case Builtin::max:
            return ReduceOp::max;
        case Builtin::any:
            return ReduceOp::any;
        case Builtin::all:
            return ReduceOp::all;
        case Builtin::prod:
            return ReduceOp::mul;
        default:
            return ReduceOp::add;
    }
}

// Axis after axis, from the last.
ValueId combined(Body& b, ValueId value, ReduceOp op, const std::vector<size_t>& axes) {
    for (size_t i = axes.size(); i-- > 0;) {
        value = b.emit.inferred(OpKind::reduce, {value},
                                {{Attr::op, static_cast<int64_t>(op)}, {Attr::axis, static_cast<int64_t>(axes[i])}});
    }
    return value;
}

// The reduced axes come back, each of extent 1.
ValueId with_axes(Body& b, ValueId value, std::vector<ir::Dim> shape, const std::vector<size_t>& axes) {
    std::vector<int64_t> kept;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (std::ranges::binary_search(axes, i)) {
            shape[i] = ir::Dim::constant(1);
        } else {
            kept.push_back(static_cast<int64_t>(i));
        }
    }
    if (kept.empty()) return b.emit.inferred(OpKind::full, {value}, {{Attr::shape, shape}});
    return b.emit.inferred(OpKind::expand, {value}, {{Attr::axes, kept}, {Attr::shape, shape}});
}

// A tensor and what of it is combined.
struct ReducedTensor {
    Val x;
    std::vector<ir::Dim> shape;
    std::vector<size_t> axes;
    DType compute;
};

ValueId divided(Body& b, const Val& total, const Val& count, DType compute) {
    return element_operation(b, OpKind::div, {total, count}, compute, {}).id;
}

Val count_of(Body& b, const ReducedTensor& of) {
    ir::Dim count = ir::Dim::constant(1);
    for (const size_t axis : of.axes) count = count * of.shape[axis];
    return Val::ssa(b.scalar(b.dimension(count), of.compute));
}

// Integers are added as integers.
ValueId mean(Body& b, const ReducedTensor& of) {
    const DType elem = b.type_of(of.x.id).elem;
    const DType added = is_integer(elem) ? accumulation_type(elem, {}) : of.compute;
    const ValueId total = combined(b, b.emit.cast(of.x.id, added), ReduceOp::add, of.axes);
    return divided(b, Val::ssa(total), count_of(b, of), of.compute);
}

// The mean first, then that of the squares of what is beside it.
ValueId variance(Body& b, const ReducedTensor& of, const Val& correction) {
    ValueId middle = mean(b, of);
    const bool whole = of.axes.size() == of.shape.size();
    if (!whole) middle = with_axes(b, middle, of.shape, of.axes);
    const Val beside = element_operation(b, OpKind::sub, {of.x, Val::ssa(middle)}, of.compute, {});
    const Val squares = element_operation(b, OpKind::mul, {beside, beside}, of.compute, {});
    const Val total = Val::ssa(combined(b, squares.id, ReduceOp::add, of.axes));
    Val count = count_of(b, of);
    if (!correction.is(Val::Kind::undefined))
        count = element_operation(b, OpKind::sub, {count, correction}, of.compute, {});
    return divided(b, total, count, of.compute);
}

// The square root of a sum of squares. Where all of them are 0 its derivative is 0, and not that of a square root,
// which is infinite.
ValueId root(Body& b, ValueId square) {
    const ir::Type type = b.type_of(square);
    const auto filled = [&](double value) {
        const ValueId number = b.emit.constant(value, type.elem);
        return type.shape.empty() ? number : b.emit.inferred(OpKind::full, {number}, {{Attr::shape, type.shape}});
    };
    const ValueId zero = b.emit.inferred(OpKind::eq, {square, filled(0.0)});
    const ValueId positive = b.emit.inferred(OpKind::select, {zero, filled(1.0), square});
    return b.emit.inferred(OpKind::select, {zero, filled(0.0), b.emit.inferred(OpKind::sqrt, {positive})});
}

// Whether elements hold: as bools, or to be counted.
ValueId truths(Body& b, const ReducedTensor& of) {
    const DType elem = b.type_of(of.x.id).elem;
    if (elem == DType::boolean) return of.x.id;
    const Val zero = Val::of(sema::Static::of(int64_t{0}));
    return element_operation(b, OpKind::ne, {of.x, zero}, compute_type(elem, {}), DType::boolean).id;
}

ValueId reduced(Body& b, Builtin function, const ReducedTensor& of, const Val& correction) {
    switch (function) {
        case Builtin::mean:
            return mean(b, of);
        case Builtin::var:
            return variance(b, of, correction);
        case Builtin::std_:
            return root(b, variance(b, of, correction));
        case Builtin::any:
        case Builtin::all:
            return combined(b, truths(b, of), combining(function), of.axes);
        case Builtin::count_nonzero:
            return combined(b, b.emit.cast(truths(b, of), DType::i64), ReduceOp::add, of.axes);
        default:
            return combined(b, b.emit.cast(of.x.id, of.compute), combining(function), of.axes);
    }
}

Val reduction_of_tensor(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::ReductionArguments given = sema::reduction_arguments(info);
    const Val x = expression(b, *b.expr(given.x));
    const Val correction = given.correction.valid() ? expression(b, *b.expr(given.correction)) : Val{};
    const At at(b.emit, e.span);
    const std::vector<ir::Dim> shape = b.type_of(x.id).shape;
    const std::vector<size_t> axes = *sema::reduced_axes(b.instance().info(given.axis).value, shape.size());
    ValueId value = reduced(b, info.builtin, {x, shape, axes, compute_of(b, e)}, correction);
    const auto& keepdims = b.instance().info(given.keepdims).value;
    const bool keeps = keepdims && keepdims->boolean() == true;
    if (keeps && !shape.empty()) value = with_axes(b, value, shape, axes);
    return Val::ssa(value, b.info(e).type.elem());
}

}  // namespace

std::optional<Val> graph_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (auto moved = graph_movement(b, e, info)) return moved;
    if (auto made = graph_making(b, e, info)) return made;
    const ast::ExprId x = sema::reduction_arguments(info).x;
    if (x.valid() && b.instance().info(x).type.is(Kind::tensor)) return reduction_of_tensor(b, e, info);
    if (x.valid() && b.instance().info(x).type.is(Kind::list))
        return reduction_of_items(b, e, info.builtin, *b.expr(x));
    if (info.builtin == Builtin::where && b.info(e).type.is(Kind::tensor)) return choice(b, e, info);
    return indexed_builtin(b, e, info);
}

}  // namespace tsr::elaborate
