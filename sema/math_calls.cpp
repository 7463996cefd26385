// The builtins that kernels and host programs share: elementwise math, conversions, print.
#include <cmath>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/fold.h"

namespace tsr::sema {

namespace {

Value typed(Type type) {
    Value value;
    value.type = std::move(type);
    return value;
}

bool takes_integers(Builtin function) {
    switch (function) {
        case Builtin::abs:
        case Builtin::sign:
        case Builtin::min:
        case Builtin::max:
        case Builtin::minimum:
        case Builtin::maximum:
        case Builtin::clip:
            return true;
        default:
            return false;
    }
}

bool is_test(Builtin function) {
    return function == Builtin::isnan || function == Builtin::isinf || function == Builtin::isfinite;
}

bool whole_tensor(const Value& v) {
    return v.type.is(Kind::tensor) || v.type.is(Kind::tile) || v.type.is(Kind::view) || v.type.is(Kind::buffer);
}

}  // namespace

Value Body::elementwise(const ast::Expr& e, Builtin function, const std::vector<const ast::Expr*>& operands) {
    std::vector<Value> values;
    std::vector<Static> known;
    bool broken = false;
    for (const ast::Expr* operand : operands) {
        values.push_back(expr(*operand));
        broken |= values.back().broken();
        if (values.back().value) known.push_back(*values.back().value);
    }
    if (broken) return {};
    std::string name(spelling(function));
    for (size_t i = 0; i < values.size(); ++i) {
        const Type& type = values[i].type;
        if (type.is(Kind::tensor))
            return refuse(Feature::graphs, e.span, fmt::format("`{}` of a whole tensor is", name));
        if (type.is_number() || (type.is(Kind::vector) && type.elem() != DType::boolean)) continue;
        error("E0302", operands[i]->span, fmt::format("`{}` takes numbers, this is {}", name, shown(type)));
        return {};
    }
    Value joined = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
        Span between = operands[0]->span.to(operands[i]->span);
        auto type =
            operands_join(*operands[i - 1], joined, *operands[i], values[i], between, fmt::format("`{}`", name));
        if (!type) return {};
        joined.type = *type;
        if (!joined.type.is_literal()) joined.value.reset();
    }
    bool all_known = known.size() == values.size();
    if (all_known && joined.type.is_literal()) {
        if (auto folded = fold(function, known)) {
            Value result;
            bool rounds = function == Builtin::floor || function == Builtin::ceil || function == Builtin::round ||
                          function == Builtin::trunc;
            result.type = folded->is_integer() ? Type::int_literal() : Type::float_literal();
            result.value = folded;
            (void)rounds;
            if (auto n = folded->integer()) result.dim = ir::Dim::constant(*n);
            return result;
        }
    }
    Type type = joined.type;
    bool integers = type.is_integer() || (type.is(Kind::vector) && is_integer(type.elem()));
    if (integers && !takes_integers(function)) {
        if (type.is(Kind::int_literal)) {
            type = Type::float_literal();
        } else {
            auto& d =
                error("E0302", operands[0]->span, fmt::format("`{}` takes floats, this is {}", name, shown(type)));
            offer_cast(d, *operands[0], values[0].type, DType::f32);
            return {};
        }
    }
    Value result;
    DType elem = settled(type, {});
    result.compute = compute_type(elem, type.policy());
    if (is_test(function)) {
        result.type = type.is(Kind::vector) ? Type::vector(DType::boolean, *type.length()) : Type::boolean();
    } else {
        result.type = type.is_literal() ? type : type.with_elem(sema::result_type(elem, type.policy()));
    }
    for (const Value& v : values) {
        if (!v.is_static()) return result;
    }
    for (const Value& v : values) result.rounds |= v.rounds;
    return result;
}

namespace {

Value conversion(Body& b, const ast::Expr& e, const Matched& m, Builtin function) {
    const ast::Expr& x = *m.arguments[0];
    Value value = b.expr(x);
    auto to = b.dtype(*m.arguments[1]);
    if (value.broken() || !to) return {};
    if (*to == DType::c64) return b.refuse(Feature::host, m.arguments[1]->span, "complex numbers are");
    if (value.type.is(Kind::tensor) && function == Builtin::cast) {
        if (b.in_kernel()) {
            b.error("E0302", x.span, "a kernel converts elements, not whole tensors");
            return {};
        }
        TensorDetail detail;
        detail.shape = value.type.tensor().shape;
        detail.mut = true;
        return typed(Type::tensor(*to, std::move(detail)));
    }
    bool element = value.type.is_number() || value.type.is_bool() || value.type.is(Kind::vector);
    if (!element) {
        b.error("E0302", x.span, fmt::format("`{}` takes a number, this is {}", spelling(function), shown(value.type)));
        return {};
    }
    DType from = settled(value.type, value.value);
    if (function == Builtin::bitcast && bits(from) != bits(*to)) {
        b.error("E0302", e.span,
                fmt::format("`bitcast` keeps the bits: `{}` has {}, `{}` has {}", name(from), bits(from), name(*to),
                            bits(*to)));
        return {};
    }
    Value result;
    result.type = value.type.is(Kind::vector) ? value.type.with_elem(*to) : Type::scalar(*to);
    if (function == Builtin::cast && is_integer(*to) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

// `float(x)`, `float('inf')`, `int(x)`.
Value python_conversion(Body& b, const Matched& m, DType to) {
    if (!m.arguments[0]) return typed(Type::scalar(to));
    const ast::Expr& x = *m.arguments[0];
    Value value = b.expr(x);
    if (value.broken()) return {};
    const std::string* text = value.value ? value.value->string() : nullptr;
    if (text && to == DType::f32) {
        Value result = typed(Type::float_literal());
        if (*text == "inf" || *text == "+inf" || *text == "infinity") result.value = Static::of(HUGE_VAL);
        if (*text == "-inf" || *text == "-infinity") result.value = Static::of(-HUGE_VAL);
        if (*text == "nan") result.value = Static::of(std::nan(""));
        if (result.value) return result;
        b.error("E0302", x.span, fmt::format("\"{}\" is not a number: `float` takes 'inf', '-inf' and 'nan'", *text));
        return {};
    }
    if (!value.type.is_number() && !value.type.is_bool()) {
        b.error("E0302", x.span, fmt::format("a number is wanted here, this is {}", shown(value.type)));
        return {};
    }
    Value result = typed(Type::scalar(to));
    if (is_integer(to) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

Value length_of(Body& b, const Matched& m) {
    const ast::Expr& x = *m.arguments[0];
    Value value = b.expr(x);
    if (value.broken()) return {};
    std::optional<int64_t> known;
    if (value.type.is(Kind::tuple)) known = static_cast<int64_t>(value.type.parts().size());
    if (value.type.is(Kind::list)) known = value.type.length();
    if (value.type.is_memory() && value.type.rank() > 0) {
        ir::Dim dim = value.type.shape()[0];
        known = dim.constant_value();
        if (!known) {
            Value result = typed(Type::index());
            result.dim = dim;
            return result;
        }
    }
    if (known) {
        Value result = typed(Type::int_literal());
        result.value = Static::of(*known);
        result.dim = ir::Dim::constant(*known);
        return result;
    }
    if (value.type.is(Kind::list) || (value.type.is(Kind::string) && !b.in_kernel())) return typed(Type::index());
    b.error("E0302", x.span, fmt::format("{} has no length", shown(value.type)));
    return {};
}

Value select(Body& b, const ast::Expr& e, const Matched& m) {
    Value condition = b.expr(*m.arguments[0]), then = b.expr(*m.arguments[1]), otherwise = b.expr(*m.arguments[2]);
    if (condition.broken() || then.broken() || otherwise.broken()) return {};
    if (whole_tensor(condition) || whole_tensor(then) || whole_tensor(otherwise))
        return b.refuse(Feature::graphs, e.span, "`where` on whole tensors is");
    bool vector = condition.type.is(Kind::vector) && condition.type.elem() == DType::boolean;
    if (!vector) b.require_bool(*m.arguments[0], condition);
    auto joined = b.operands_join(*m.arguments[1], then, *m.arguments[2], otherwise,
                                  m.arguments[1]->span.to(m.arguments[2]->span), "`where`");
    if (!joined) return {};
    if (vector && joined->is_scalar()) joined = Type::vector(joined->elem(), *condition.type.length());
    return typed(*joined);
}

Value print_values(Body& b, const Matched& m) {
    for (const ast::Expr* value : m.rest) {
        Value v = b.expr(*value);
        if (v.broken()) continue;
        bool simple = v.type.is_number() || v.type.is_bool() || v.type.is(Kind::string) || v.type.is(Kind::dtype) ||
                      v.type.is(Kind::none);
        bool host = v.type.is(Kind::tensor) || v.type.is(Kind::list) || v.type.is(Kind::tuple);
        if (simple || v.type.is(Kind::vector) || (host && !b.in_kernel())) continue;
        b.error("E0302", value->span,
                b.in_kernel() ? fmt::format("a kernel prints numbers and strings, this is {}", shown(v.type))
                              : fmt::format("{} is not printed", shown(v.type)));
    }
    for (size_t i = 1; i < 3; ++i) {
        if (m.arguments[i]) b.static_string(*m.arguments[i], "this parameter of `print`");
    }
    return typed(Type::none());
}

}  // namespace

Value Body::math_call(const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    switch (row.id) {
        case Builtin::cast:
        case Builtin::bitcast:
            return conversion(*this, e, m, row.id);
        case Builtin::int_:
            return python_conversion(*this, m, DType::i32);
        case Builtin::float_:
            return python_conversion(*this, m, DType::f32);
        case Builtin::len:
            return length_of(*this, m);
        case Builtin::where:
            return select(*this, e, m);
        case Builtin::print:
            return print_values(*this, m);
        case Builtin::range:
            for (const ast::Expr* argument : m.arguments) {
                if (argument) require_integer(*argument, expr(*argument), "a bound of `range`");
            }
            return typed(Type::range());
        case Builtin::min:
        case Builtin::max: {
            for (size_t i = 1; i < 3; ++i) {
                if (m.arguments[i]) expr(*m.arguments[i]);
            }
            if (m.rest.size() == 1) {
                Value only = expr(*m.rest[0]);
                if (only.type.is(Kind::tensor))
                    return refuse(Feature::graphs, e.span, fmt::format("`{}` of a whole tensor is", row.paths.front()));
            }
            if (m.rest.size() < 2) {
                error("E0315", e.span, fmt::format("`{}` takes two or more values", row.paths.front()));
                return {};
            }
            return elementwise(e, row.id, m.rest);
        }
        default:
            return elementwise(e, row.id, m.arguments);
    }
}

}  // namespace tsr::sema
