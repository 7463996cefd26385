#include "sema/builtin_calls/math_calls.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/builtin_calls/sequence_calls.h"
#include "sema/builtin_calls/tensor_reductions.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/expressions/comprehensions.h"
#include "sema/expressions/formatted_strings.h"
#include "sema/expressions/operators.h"
#include "sema/expressions/register_tiles.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/fold.h"
#include "sema/types/numeric.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

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

// The smallest or largest of dimensions is one.
std::optional<ir::Dim> extreme_dimension(Builtin function, const std::vector<Value>& values) {
    const bool least = function == Builtin::min || function == Builtin::minimum;
    if (!least && function != Builtin::max && function != Builtin::maximum) return std::nullopt;
    std::optional<ir::Dim> result = values[0].dim;
    for (size_t i = 1; i < values.size() && result; ++i) {
        if (!values[i].dim) return std::nullopt;
        result = least ? ir::Dim::minimum(*result, *values[i].dim) : ir::Dim::maximum(*result, *values[i].dim);
    }
    return result;
}

}  // namespace

// A scalar function of numbers: types, compute type, value. For math functions and methods.
static Value elementwise_call(Body& b, const ast::Expr& e, Builtin function,
                              const std::vector<const ast::Expr*>& operands) {
    std::vector<Value> values;
    std::vector<Static> known;
    bool broken = false;
    for (const ast::Expr* operand : operands) {
        values.push_back(expression(b, *operand));
        broken |= values.back().broken();
        if (values.back().value) known.push_back(*values.back().value);
    }
    if (broken) return {};
    std::string name(spelling(function));
    if (!require_no_kernel(b, e.span, fmt::format("`{}`", name), values)) return {};
    for (size_t i = 0; i < values.size(); ++i) {
        const Type& type = values[i].type;
        if (is_element(type) && !has_bools(type)) continue;
        auto& d = b.error("E0302", operands[i]->span, fmt::format("`{}` takes numbers, this is {}", name, shown(type)));
        offer_load(b, d, *operands[i], type);
        return {};
    }
    Value joined = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
        Span between = operands.front()->span.to(operands[i]->span);
        auto type =
            operands_join(b, *operands[i - 1], joined, *operands[i], values[i], between, fmt::format("`{}`", name));
        if (!type) return {};
        joined.type = *type;
        if (!joined.type.is_literal()) joined.value.reset();
    }
    bool all_known = known.size() == values.size();
    if (all_known && joined.type.is_literal()) {
        if (auto folded = fold(function, known)) {
            Value result;
            result.type = folded->is_integer() ? Type::int_literal() : Type::float_literal();
            result.value = folded;
            if (auto n = folded->integer()) result.dim = ir::Dim::constant(*n);
            return result;
        }
    }
    note_extents(b, e, values);
    Type type = joined.type;
    if (has_integers(type) && !takes_integers(function)) {
        if (type.is(Kind::int_literal)) {
            type = Type::float_literal();
        } else {
            auto& d = b.error("E0302", operands.front()->span,
                              fmt::format("`{}` takes floats, this is {}", name, shown(type)));
            offer_cast(b, d, *operands.front(), values[0].type, DType::f32);
            return {};
        }
    }
    Value result;
    DType elem = settled(type, {});
    result.compute = compute_type(elem, type.policy());
    if (is_test(function)) {
        result.type = bool_like(type);
    } else {
        result.type = number_result(type);
    }
    if (!b.rules().in_group) result.dim = extreme_dimension(function, values);
    return result;
}

namespace {

Value conversion(Body& b, const ast::Expr& e, const Matched& m, Builtin function) {
    const ast::Expr& x = *m.arguments[0];
    Value value = expression(b, x);
    auto to = named_dtype(b, *m.arguments[1]);
    if (value.broken() || !to) return {};
    const bool number = value.type.is_number();
    const bool real = !is_complex(value.type) && (number || (value.type.is(Kind::tensor) && !has_bools(value.type)));
    if (*to == DType::c64 && real && function == Builtin::cast) {
        const std::string_view name = number ? "_of_number" : "_of_real";
        return library_call(b, e, {.name = name, .file = "complex_numbers", .signature = {}, .doc = {}}, {&x});
    }
    if (*to == DType::c64 && is_complex(value.type) && function == Builtin::cast) return value;
    if (*to == DType::c64) return b.refuse(Feature::host, m.arguments[1]->span, "complex numbers are");
    if (value.type.is(Kind::tensor) && function == Builtin::cast) {
        if (!b.rules().tensor_values) {
            b.error("E0302", x.span, "a kernel converts elements, not whole tensors");
            return {};
        }
        TensorDetail detail;
        detail.shape = value.type.tensor().shape;
        detail.mut = true;
        return typed(Type::tensor(*to, std::move(detail)));
    }
    if (!is_element(value.type) || value.type.is(Kind::tensor)) {
        auto& d = b.error("E0302", x.span,
                          fmt::format("`{}` takes a number, this is {}", spelling(function), shown(value.type)));
        offer_load(b, d, x, value.type);
        return {};
    }
    DType from = settled(value.type, value.value);
    if (function == Builtin::bitcast && bits(from) != bits(*to)) {
        b.error("E0302", e.span,
                fmt::format("`bitcast` keeps the bits: `{}` has {}, `{}` has {}", name(from), bits(from), name(*to),
                            bits(*to)));
        return {};
    }
    if (auto literal = item_literal(b, value, *to); literal && function == Builtin::cast) return *literal;
    Value result;
    result.type = value.type.is(Kind::vector) ? value.type.with_elem(*to)
                  : value.type.is(Kind::tile) ? Type::tile(*to, value.type.tile_shape())
                                              : Type::scalar(*to);
    if (function == Builtin::cast && is_integer(*to) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

// `float(x)`, `float('inf')`, `int(x)`.
Value python_conversion(Body& b, const Matched& m, DType to) {
    if (!m.arguments[0]) return typed(Type::scalar(to));
    const ast::Expr& x = *m.arguments[0];
    Value value = expression(b, x);
    if (value.broken()) return {};
    const std::string* text = value.value ? value.value->string() : nullptr;
    if (text && to == DType::f32) {
        Value result = typed(Type::float_literal());
        if (*text == "inf" || *text == "+inf" || *text == "infinity") result.value = Static::of(HUGE_VAL);
        if (*text == "-inf" || *text == "-infinity") result.value = Static::of(-HUGE_VAL);
        if (*text == "nan") result.value = Static::of(std::nan(""));
        if (result.value) return result;
    }
    // Of a text: what Python reads there. An integer may be larger than an i32.
    if (value.type.is(Kind::string) && b.rules().host_objects) {
        return typed(Type::scalar(is_integer(to) ? DType::i64 : DType::f64));
    }
    if (!value.type.is_number() && !value.type.is_bool()) {
        b.error("E0302", x.span, fmt::format("a number is wanted here, this is {}", shown(value.type)));
        return {};
    }
    if (auto literal = item_literal(b, value, to)) return *literal;
    Value result = typed(Type::scalar(to));
    if (is_integer(to) && value.type.is_integer()) result.dim = value.dim;
    return result;
}

Value length_of(Body& b, const Matched& m) {
    const ast::Expr& x = *m.arguments[0];
    Value value = expression(b, x);
    if (value.broken()) return {};
    std::optional<int64_t> known;
    if (value.type.is(Kind::tuple)) known = static_cast<int64_t>(value.type.parts().size());
    const bool counts = !b.rules().host_objects || std::holds_alternative<ast::List>(x.node);
    if (value.type.is(Kind::list) && counts) known = value.type.length();
    if (value.type.is_keyed_dict()) known = static_cast<int64_t>(value.type.parts().size());
    if (value.value && value.value->tuple()) known = static_cast<int64_t>(value.value->tuple()->size());
    const bool shaped = value.type.is_memory() || value.type.is(Kind::tile) || value.type.is(Kind::local);
    if (shaped && value.type.rank() > 0) {
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
    const bool counted = value.type.is(Kind::list) || value.type.is(Kind::dict) || value.type.is(Kind::string);
    if (counted && (value.type.is(Kind::list) || b.rules().host_objects)) return typed(Type::index());
    if (value.type.is(Kind::string)) {
        say_elsewhere(b, x.span, "the length of a string is");
    } else {
        b.error("E0302", x.span, fmt::format("{} has no length", shown(value.type)));
    }
    return {};
}

Value select(Body& b, const ast::Expr& e, const Matched& m) {
    const ast::Expr* written[] = {m.arguments[0], m.arguments[1], m.arguments[2]};
    Value condition = expression(b, *written[0]), then = expression(b, *written[1]),
          otherwise = expression(b, *written[2]);
    if (condition.broken() || then.broken() || otherwise.broken()) return {};
    if (!require_no_kernel(b, e.span, "`where`", {condition, then, otherwise})) return {};
    for (size_t i = 1; i < 3; ++i) {
        const Type& type = i == 1 ? then.type : otherwise.type;
        if (!type.is(Kind::view) && !type.is(Kind::buffer)) continue;
        auto& d = b.error("E0302", written[i]->span, fmt::format("`where` takes values, this is {}", shown(type)));
        offer_load(b, d, *written[i], type);
        return {};
    }
    const bool masked = holds_elements(condition.type);
    if (!masked || !has_bools(condition.type)) {
        require_bool(b, *written[0], condition);
        if (!condition.type.is_bool()) return {};
    }
    auto joined =
        operands_join(b, *written[1], then, *written[2], otherwise, written[1]->span.to(written[2]->span), "`where`");
    if (!joined) return {};
    note_extents(b, e, {condition, then, otherwise});
    const auto chosen = [](const Type& type) {
        Value result = typed(type);
        result.compute = number_choice(type);
        return result;
    };
    if (!masked) return chosen(*joined);
    // The elements of the results in the shape that they have together with the condition.
    if (joined->is_literal()) joined = settled_type(*joined, {});
    Value mask = condition, values;
    mask.type = mask.type.is(Kind::tensor) ? new_tensor(Type::scalar(joined->elem()), mask.type.shape())
                                           : mask.type.with_elem(joined->elem()).carrying({});
    values.type = *joined;
    auto whole = operands_join(b, *written[0], mask, *written[1], values, e.span, "`where`");
    return whole ? chosen(*whole) : Value{};
}

// In a graph: a tensor, a number, a tuple of them.
bool is_printed_value(const Type& type) {
    if (type.is(Kind::tuple)) return std::ranges::all_of(type.parts(), is_printed_value);
    return type.is(Kind::tensor) || type.is_number() || type.is_bool();
}

Value print_values(Body& b, const Matched& m) {
    for (const ast::Expr* value : m.rest) {
        Value v = message_part(b, *value);
        if (v.broken()) continue;
        bool simple = v.type.is_number() || v.type.is_bool() || v.type.is(Kind::string) || v.type.is(Kind::dtype) ||
                      v.type.is(Kind::none);
        bool host = v.type.is(Kind::tensor) || v.type.is(Kind::list) || v.type.is(Kind::tuple) ||
                    v.type.is(Kind::dict) || v.type.is(Kind::record);
        if (simple || v.type.is(Kind::vector) || (host && b.rules().host_objects)) continue;
        if (b.rules().new_values && is_printed_value(v.type)) continue;
        if (b.rules().new_values && host) {
            b.refuse(Feature::graphs, value->span, fmt::format("`print` of {} in a graph function is", shown(v.type)));
            continue;
        }
        b.error("E0302", value->span,
                !b.rules().in_group ? fmt::format("{} is not printed", shown(v.type))
                                    : fmt::format("a kernel prints numbers and strings, this is {}", shown(v.type)));
    }
    for (size_t i = 1; i < 3; ++i) {
        if (m.arguments[i]) static_string(b, *m.arguments[i], "this parameter of `print`");
    }
    return typed(Type::none());
}

}  // namespace

Value math_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    switch (row.id) {
        case Builtin::cast:
        case Builtin::bitcast:
            return conversion(b, e, m, row.id);
        case Builtin::int_:
            return python_conversion(b, m, DType::i32);
        case Builtin::float_:
            return python_conversion(b, m, DType::f32);
        case Builtin::len:
            return length_of(b, m);
        case Builtin::where:
            return select(b, e, m);
        case Builtin::print:
            return print_values(b, m);
        case Builtin::range:
            for (const ast::Expr* argument : m.arguments) {
                if (argument) require_integer(b, *argument, expression(b, *argument), "a bound of `range`");
            }
            return typed(Type::range());
        case Builtin::min:
        case Builtin::max: {
            const ast::Expr* receiver = m.arguments[0];
            if (receiver || m.rest.size() == 1) {
                const ast::Expr& one = receiver ? *receiver : *m.rest[0];
                const Value only = expression(b, one);
                if (only.broken()) return {};
                const bool list = only.type.is(Kind::list) && !b.rules().host_objects;
                const bool reduces = list || only.type.is(Kind::tensor) || b.rules().host_objects;
                if (reduces) return reduction_call(b, e, row, one, only);
            }
            if (!require_no_axis(b, e, row)) return {};
            if (m.rest.size() < 2) {
                b.error("E0315", e.span, fmt::format("`{}` takes two or more values", row.paths.front()));
                return {};
            }
            return elementwise_call(b, e, row.id, m.rest);
        }
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
        case Builtin::clip:
            return elementwise_call(b, e, row.id, m.arguments);
        case Builtin::pi:
        case Builtin::e:
        case Builtin::tau:
        case Builtin::inf:
        case Builtin::nan:
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MADE
            TSR_CASES_FORM
            break;
    }
    ir::internal_error("a function of numbers without a rule");
}

}  // namespace tsr::sema
