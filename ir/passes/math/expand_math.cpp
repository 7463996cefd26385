#include "ir/passes/math/expand_math.h"

#include <limits>

#include "ir/passes/math/functions.h"
#include "ir/passes/math/root.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

using math::Term;

Term formula(OpKind kind, const std::vector<Term>& x) {
    const bool single = x[0].type() == DType::f32;
    switch (kind) {
        case OpKind::exp:
            return math::exp(x[0]);
        case OpKind::exp2:
            return math::exp2(x[0]);
        case OpKind::expm1:
            return math::expm1(x[0]);
        case OpKind::log:
            return single ? math::f32::log(x[0]) : math::f64::log(x[0]);
        case OpKind::log2:
            return single ? math::f32::log2(x[0]) : math::f64::log2(x[0]);
        case OpKind::log10:
            return single ? math::f32::log10(x[0]) : math::f64::log10(x[0]);
        case OpKind::log1p:
            return single ? math::f32::log1p(x[0]) : math::f64::log1p(x[0]);
        case OpKind::sin:
            return math::sin(x[0]);
        case OpKind::cos:
            return math::cos(x[0]);
        case OpKind::tan:
            return math::tan(x[0]);
        case OpKind::asin:
            return math::asin(x[0]);
        case OpKind::acos:
            return math::acos(x[0]);
        case OpKind::atan:
            return single ? math::f32::atan(x[0]) : math::f64::atan(x[0]);
        case OpKind::atan2:
            return single ? math::f32::atan2(x[0], x[1]) : math::f64::atan2(x[0], x[1]);
        case OpKind::sinh:
            return math::sinh(x[0]);
        case OpKind::cosh:
            return math::cosh(x[0]);
        case OpKind::tanh:
            return math::tanh(x[0]);
        case OpKind::erf:
            return single ? math::f32::erf(x[0]) : math::f64::erf(x[0]);
        case OpKind::pow:
            return math::pow(x[0], x[1]);
        case OpKind::rsqrt:
            return math::rsqrt(x[0]);
        case OpKind::sign:
            return select(x[0] > 0.0, 1.0, select(x[0] < 0.0, -1.0, x[0] + 0.0));  // -0 + 0 is 0
        case OpKind::isnan:
            return x[0] != x[0];
        case OpKind::isinf:
            return math::abs(x[0]) == std::numeric_limits<double>::infinity();
        case OpKind::isfinite:
            return math::abs(x[0]) < std::numeric_limits<double>::infinity();
        default:
            return x[0];
    }
}

ValueId scalar_formula(Builder& builder, OpKind kind, const std::vector<ValueId>& operands, DType result) {
    std::vector<Term> terms;
    for (ValueId v : operands) {
        Term term{&builder, v};
        bool half = term.type() == DType::f16 || term.type() == DType::bf16;
        terms.push_back(half ? term.cast(DType::f32) : term);
    }
    Term out = formula(kind, terms);
    return out.type() == result ? out.id : out.cast(result).id;
}

// A small vector of one tile: element by element.
ValueId vector_formula(Builder& builder, OpKind kind, const std::vector<ValueId>& operands, const Type& result) {
    Values parts;
    for (uint32_t i = 0; i < result.width; ++i) {
        Values elements;
        for (ValueId v : operands) {
            elements.push_back(builder.value(OpKind::vector_extract, {v}, {{Attr::axis, static_cast<int64_t>(i)}}));
        }
        parts.push_back(scalar_formula(builder, kind, elements, result.elem));
    }
    return builder.value(OpKind::vector_build, parts);
}

}  // namespace

bool is_expanded(OpKind kind) {
    switch (kind) {
        case OpKind::exp:
        case OpKind::exp2:
        case OpKind::expm1:
        case OpKind::log:
        case OpKind::log2:
        case OpKind::log10:
        case OpKind::log1p:
        case OpKind::sin:
        case OpKind::cos:
        case OpKind::tan:
        case OpKind::asin:
        case OpKind::acos:
        case OpKind::atan:
        case OpKind::atan2:
        case OpKind::sinh:
        case OpKind::cosh:
        case OpKind::tanh:
        case OpKind::erf:
        case OpKind::pow:
        case OpKind::rsqrt:
        case OpKind::sign:
        case OpKind::isnan:
        case OpKind::isinf:
        case OpKind::isfinite:
            return true;
        default:
            return false;
    }
}

void expand_math(Function& function) {
    std::vector<OpId> found;
    auto collect = [&](OpId id) {
        const Op& op = function.op(id);
        if (is_expanded(op.kind) && is_float(function.type(op.operands[0]).elem)) found.push_back(id);
    };
    walk(function, function.body, collect);
    if (function.kernel.launch.valid()) walk(function, function.kernel.launch, collect);
    std::vector<std::pair<ValueId, ValueId>> replaced;
    for (OpId id : found) {
        Builder builder = Builder::at(function, id);
        const Op op = function.op(id);
        const Type type = function.type(op.results[0]);
        ValueId value = type.is_vector() ? vector_formula(builder, op.kind, op.operands, type)
                                         : scalar_formula(builder, op.kind, op.operands, type.elem);
        replaced.emplace_back(op.results[0], value);
    }
    std::vector<ValueId> to(function.value_count());
    for (auto [from, value] : replaced) to[from.index] = value;
    function.replace_uses(to);
    for (OpId id : found) function.remove(id);
}

}  // namespace tsr::ir
