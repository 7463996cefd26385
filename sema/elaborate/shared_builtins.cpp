// Elementwise functions, conversions, and what else kernels and host functions share.
#include "sema/builtins/builtin_cases.h"
#include "sema/builtins/elementwise.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/conversions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/text.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"
#include "sema/types/fold.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using sema::Kind;

namespace {

// Of whole numbers these are the number itself, or known.
bool rounds(OpKind op) {
    return op == OpKind::floor || op == OpKind::ceil || op == OpKind::round || op == OpKind::trunc;
}
bool asks(OpKind op) { return op == OpKind::isnan || op == OpKind::isinf || op == OpKind::isfinite; }

Val apply(Body& b, const ast::Expr& e, OpKind op, const std::vector<Val>& operands) {
    const sema::ExprInfo& info = b.info(e);
    const DType compute = compute_of(b, e);
    if (is_integer(compute)) {
        if (rounds(op)) return operands.front();
        if (asks(op)) return Val::truth(op == OpKind::isfinite);
    }
    return element_operation(b, op, operands, compute, b.computed_dtype(info.type));
}

// min and max of two values or more, from left to right.
Val extreme(Body& b, const ast::Expr& e, const CallInfo& info) {
    const bool least = info.builtin == Builtin::min;
    std::vector<Val> values;
    if (info.rest.size() == 1) {
        const ast::Expr& items = *b.expr(info.rest[0]);
        return b.rules().host_objects ? reduction(b, e, info.builtin, items)
                                      : reduction_of_items(b, e, info.builtin, items);
    }
    for (const ast::ExprId value : info.rest) values.push_back(expression(b, *b.expr(value)));
    if (values.empty()) return {};
    const auto type = b.computed_dtype(b.info(e).type);
    const DType compute = compute_of(b, e);
    Val result = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
        if (result.is_fixed() && values[i].is_fixed()) {
            if (auto folded = sema::fold(info.builtin, {result.fixed, values[i].fixed})) {
                result = Val::of(*folded);
                continue;
            }
        }
        result = element_operation(b, least ? OpKind::minimum : OpKind::maximum, {result, values[i]}, compute, type);
    }
    return result;
}

Val where(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val condition = argument_value(b, info, 0);
    Val then = argument_value(b, info, 1);
    Val otherwise = argument_value(b, info, 2);
    const sema::Type& type = b.info(e).type;
    const bool tiles = type.is(Kind::tile);  // of which a side may be smaller than the result
    if (condition.is_fixed() && !tiles) return condition.is_fixed_bool(true) ? then : otherwise;
    unify(b, then, otherwise, type, b.info(e).compute);
    if (condition.is_fixed()) return condition.is_fixed_bool(true) ? then : otherwise;
    const bool mask = condition.is_ssa() && !b.type_of(condition.id).is_scalar();
    const ValueId test = !mask   ? b.truth(condition)
                         : tiles ? b.tile(condition, DType::boolean, type.shape())
                                 : condition.id;
    return Val::ssa(b.emit.inferred(OpKind::select, {test, then.id, otherwise.id}), element_type(b, then));
}

// In kernels and graphs complex numbers are their parts already.
Val complex_view(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val value = b.rounded(argument_value(b, info, 0));
    const sema::Type& type = b.info(e).type;
    if (!type.is(Kind::tensor)) return complex_number(b, value);
    if (b.function().level != ir::Level::host) return Val::ssa(value.id, type.elem());
    return Val::ssa(info.builtin == Builtin::view_as_real ? pairs_of(b, value.id) : of_pairs(b, value.id, type));
}

Val length(Body& b, const CallInfo& info) {
    const ast::Expr& of = *argument(b, info, 0);
    const Val value = expression(b, of);
    const sema::Type& type = b.info(of).type;
    if (type.is(Kind::dict)) return Val::ssa(list_length(b, container(b, value, type)), DType::index);
    if (value.has_elements()) return Val::index(static_cast<int64_t>(value.element_count()));
    if (b.rules().host_objects && type.is(Kind::list)) {
        return Val::ssa(list_length(b, value.id), DType::index);
    }
    if (type.is(Kind::string)) {
        const ir::Type number = ir::Type::scalar(DType::index);
        return Val::ssa(host(b, "string_length", {b.handle(value, type)}, number), DType::index);
    }
    if (b.function().level == ir::Level::host && type.is(Kind::tensor) && type.rank() > 0) {
        return Val::ssa(b.emit.inferred(OpKind::shape_of, {value.id}, {{ir::Attr::axis, int64_t{0}}}), DType::index);
    }
    const std::vector<ir::Dim> shape = type.shape();
    return shape.empty() ? Val::index(0) : b.dimension(shape[0]);
}

}  // namespace

std::optional<Val> shared_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (const auto op = sema::elementwise_operation(info.builtin)) {
        std::vector<Val> operands;
        for (size_t i = 0; i < info.arguments.size(); ++i) operands.push_back(argument_value(b, info, i));
        const At at(b.emit, e.span);
        return apply(b, e, *op, operands);
    }
    if (info.builtin == Builtin::view_as_real || info.builtin == Builtin::view_as_complex)
        return complex_view(b, e, info);
    const bool reduces = info.builtin == Builtin::sum || info.builtin == Builtin::any || info.builtin == Builtin::all;
    if (reduces && !b.rules().host_objects) return reduction_of_items(b, e, info.builtin, *argument(b, info, 0));
    if (!b.rules().host_objects) {
        if (auto items = unrolled_sequence(b, info)) return items;
    }
    switch (info.builtin) {
        case Builtin::min:
        case Builtin::max:
            return extreme(b, e, info);
        case Builtin::clip: {
            const Val x = argument_value(b, info, 0);
            const Val low = argument_value(b, info, 1);
            const Val high = argument_value(b, info, 2);
            const DType compute = compute_of(b, e);
            const auto type = b.computed_dtype(b.info(e).type);
            const Val raised = element_operation(b, OpKind::maximum, {x, low}, compute, type);
            return element_operation(b, OpKind::minimum, {raised, high}, compute, type);
        }
        case Builtin::where:
            return where(b, e, info);
        case Builtin::cast:
        case Builtin::int_:
        case Builtin::float_:
            return convert(b, argument_value(b, info, 0), b.info(e).type);
        case Builtin::bitcast: {
            const Val value = argument_value(b, info, 0);
            const DType from = element_type_alone(b, value);
            const DType to = b.info(e).type.elem();
            const ValueId id = value.is_ssa() ? b.emit.cast(value.id, from) : b.scalar(value, from);
            return Val::ssa(b.emit.inferred(OpKind::bitcast, {id}, {{ir::Attr::type, to}}), to);
        }
        case Builtin::len:
            return length(b, info);
        case Builtin::print:
            return print_call(b, info);
        case Builtin::abs:
        case Builtin::sign:
        case Builtin::sqrt:
        case Builtin::rsqrt:
        case Builtin::exp:
        case Builtin::exp2:
        case Builtin::expm1:
        case Builtin::log:
        case Builtin::log2:
        case Builtin::log10:
        case Builtin::log1p:
        case Builtin::sin:
        case Builtin::cos:
        case Builtin::tan:
        case Builtin::asin:
        case Builtin::acos:
        case Builtin::atan:
        case Builtin::atan2:
        case Builtin::sinh:
        case Builtin::cosh:
        case Builtin::tanh:
        case Builtin::erf:
        case Builtin::cbrt:
        case Builtin::floor:
        case Builtin::ceil:
        case Builtin::round:
        case Builtin::trunc:
        case Builtin::isnan:
        case Builtin::isinf:
        case Builtin::isfinite:
        case Builtin::pow:
        case Builtin::fma:
        case Builtin::minimum:
        case Builtin::maximum:
        case Builtin::range:
        case Builtin::pi:
        case Builtin::e:
        case Builtin::tau:
        case Builtin::inf:
        case Builtin::nan:
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MADE
            TSR_CASES_FORM
            return std::nullopt;
    }
    __builtin_unreachable();
}

}  // namespace tsr::elaborate
