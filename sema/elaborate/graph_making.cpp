#include "sema/elaborate/graph_making.h"

#include "sema/elaborate/arguments.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

namespace {

std::vector<Dim> shape_of(Body& b, const sema::Type& type) {
    std::vector<Dim> shape;
    for (const Dim& extent : type.shape()) shape.push_back(dim_in_function(b, extent));
    return shape;
}

Val filled(Body& b, const Val& value, const sema::Type& type) {
    const ValueId element = b.scalar(b.rounded(value), type.elem());
    const std::vector<Dim> shape = shape_of(b, type);
    if (shape.empty()) return Val::ssa(element, type.elem());
    return Val::ssa(b.emit.inferred(OpKind::full, {element}, {{Attr::shape, shape}}), type.elem());
}

Val number(int64_t value) { return Val::of(sema::Static::of(value)); }

// start + i * step: floats in f64, rounded once; integers in i64.
Val counted(Body& b, const CallInfo& info, const sema::Type& type) {
    const bool one_bound = argument(b, info, 1) == nullptr;
    const Val start = one_bound ? number(0) : argument_value(b, info, 0);
    const Val step = argument(b, info, 2) ? argument_value(b, info, 2) : number(1);
    const DType in = is_float(type.elem()) ? DType::f64 : DType::i64;
    const std::vector<Dim> shape = shape_of(b, type);
    ValueId value =
        b.emit.cast(b.emit.inferred(OpKind::positions, {}, {{Attr::type, DType::i64}, {Attr::shape, shape}}), in);
    const auto with = [&](OpKind op, const Val& other, int64_t neutral) {
        if (other.is_fixed() && other.fixed.integer() == neutral) return;
        const ValueId all = b.emit.inferred(OpKind::full, {b.scalar(b.rounded(other), in)}, {{Attr::shape, shape}});
        value = b.emit.inferred(op, {value, all});
    };
    with(OpKind::mul, step, 1);
    with(OpKind::add, start, 0);
    return Val::ssa(b.emit.cast(value, type.elem()), type.elem());
}

}  // namespace

std::optional<Val> graph_making(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    switch (info.builtin) {
        case Builtin::zeros:
        case Builtin::empty:
        case Builtin::zeros_like:
            return filled(b, number(0), type);
        case Builtin::ones:
        case Builtin::ones_like:
            return filled(b, number(1), type);
        case Builtin::full:
            return filled(b, argument_value(b, info, 1), type);
        case Builtin::arange:
            return counted(b, info, type);
        default:
            return std::nullopt;
    }
}

}  // namespace tsr::elaborate
