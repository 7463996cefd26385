#include "sema/types/fold.h"

#include <bit>
#include <cmath>
#include <span>

#include "ir/law/float_format.h"
#include "ir/law/scalar.h"
#include "sema/builtins/elementwise.h"

namespace tsr::sema {

namespace {

__extension__ using Wide = __int128;

std::optional<Wide> wide(const Static& value) {
    if (auto v = value.integer()) return *v;
    if (const auto* v = std::get_if<uint64_t>(&value.value)) return *v;
    return std::nullopt;
}

Folded narrowed(Wide value) {
    if (value >= INT64_MIN && value <= INT64_MAX) return {Static::of(static_cast<int64_t>(value)), ""};
    if (value > 0 && value <= static_cast<Wide>(UINT64_MAX))
        return {Static::of_unsigned(static_cast<uint64_t>(value)), ""};
    return {std::nullopt, "the result does not fit 64 bits"};
}

Wide floor_quotient(Wide a, Wide b) {
    Wide q = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

Folded power(Wide base, Wide exponent) {
    if (base == 0 || base == 1) return narrowed(exponent == 0 ? 1 : base);
    if (base == -1) return narrowed(exponent % 2 == 0 ? 1 : -1);
    if (exponent > 1 && (base > UINT32_MAX || base < -static_cast<Wide>(UINT32_MAX))) {
        return {std::nullopt, "the result does not fit 64 bits"};
    }
    Wide result = 1;
    for (Wide i = 0; i < exponent; ++i) {
        result *= base;
        if (result > static_cast<Wide>(UINT64_MAX) || result < -static_cast<Wide>(UINT64_MAX)) return narrowed(result);
    }
    return narrowed(result);
}

Folded shifted(Wide value, Wide by, bool left) {
    if (by < 0) return {std::nullopt, "a shift by a negative number"};
    if (by >= 64)
        return left && value != 0 ? Folded{std::nullopt, "the result does not fit 64 bits"}
                                  : narrowed(value < 0 ? -1 : 0);
    if (!left) return narrowed(value >> static_cast<int>(by));
    return narrowed(value * (static_cast<Wide>(1) << static_cast<int>(by)));
}

Folded fold_integers(ast::BinaryOp op, Wide a, Wide b) {
    using enum ast::BinaryOp;
    switch (op) {
        case add:
            return narrowed(a + b);
        case sub:
            return narrowed(a - b);
        case mul:
            return narrowed(a * b);
        case div:
            if (b == 0) return {std::nullopt, "division by zero"};
            return {Static::of(static_cast<double>(a) / static_cast<double>(b)), ""};
        case floordiv:
            if (b == 0) return {std::nullopt, "division by zero"};
            return narrowed(floor_quotient(a, b));
        case mod:
            if (b == 0) return {std::nullopt, "division by zero"};
            return narrowed(a - floor_quotient(a, b) * b);
        case pow:
            if (b < 0) return {Static::of(std::pow(static_cast<double>(a), static_cast<double>(b))), ""};
            return power(a, b);
        case bit_and:
            return narrowed(a & b);
        case bit_or:
            return narrowed(a | b);
        case bit_xor:
            return narrowed(a ^ b);
        case shl:
            return shifted(a, b, true);
        case shr:
            return shifted(a, b, false);
        case matmul:
            return {};
    }
    return {};
}

// The exact remainder with the sign of the divisor, which a zero has too.
double remainder_down(double a, double b) {
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return std::signbit(rest) != std::signbit(b) ? rest + b : rest;
}

Folded fold_reals(ast::BinaryOp op, double a, double b) {
    using enum ast::BinaryOp;
    switch (op) {
        case add:
            return {Static::of(a + b), ""};
        case sub:
            return {Static::of(a - b), ""};
        case mul:
            return {Static::of(a * b), ""};
        case div:
            return {Static::of(a / b), ""};
        case floordiv:
            return {Static::of(std::floor(a / b)), ""};
        case mod:
            return {Static::of(remainder_down(a, b)), ""};
        case pow:
            return {Static::of(std::pow(a, b)), ""};
        case matmul:
        case bit_and:
        case bit_or:
        case bit_xor:
        case shl:
        case shr:
            return {};
    }
    return {};
}

Folded fold_bools(ast::BinaryOp op, bool a, bool b) {
    if (op == ast::BinaryOp::bit_and) return {Static::of(a && b), ""};
    if (op == ast::BinaryOp::bit_or) return {Static::of(a || b), ""};
    if (op == ast::BinaryOp::bit_xor) return {Static::of(a != b), ""};
    return {};
}

template <typename T>
bool compared(ast::CompareOp op, const T& a, const T& b) {
    using enum ast::CompareOp;
    switch (op) {
        case eq:
            return a == b;
        case ne:
            return a != b;
        case lt:
            return a < b;
        case le:
            return a <= b;
        case gt:
            return a > b;
        case ge:
            return a >= b;
        case in:
        case not_in:
            break;
    }
    return false;
}

}  // namespace

Folded fold(ast::UnaryOp op, const Static& operand) {
    using enum ast::UnaryOp;
    if (auto b = operand.boolean()) {
        if (op == logical_not || op == invert) return {Static::of(!*b), ""};
        return {};
    }
    if (auto v = wide(operand)) {
        if (op == minus) return narrowed(-*v);
        if (op == plus) return {operand, ""};
        if (op == invert) return narrowed(~*v);
        return {};
    }
    auto real = operand.real();
    if (real && op == minus) return {Static::of(-*real), ""};
    if (real && op == plus) return {operand, ""};
    return {};
}

Static converted(const Static& value, DType type) {
    if (is_float(type)) {
        const auto real = value.real();
        if (!real) return value;
        return Static::of(ir::decode_float(type, ir::encode_float(type, *real)));
    }
    if (type == DType::boolean) return value;
    if (const auto whole = wide(value)) {
        const auto bits = ir::canonical(type, static_cast<uint64_t>(*whole));
        return type == DType::u64 ? Static::of_unsigned(bits) : Static::of(static_cast<int64_t>(bits));
    }
    if (const auto truth = value.boolean()) return Static::of(static_cast<int64_t>(*truth));
    return value;
}

Static cast_to(const Static& value, DType type) {
    if (type == DType::boolean) return Static::of(value.truth().value_or(false));
    if (const auto truth = value.boolean()) return converted(Static::of(int64_t{*truth}), type);
    const auto* real = std::get_if<double>(&value.value);
    if (!real || !is_integer(type)) return converted(value, type);
    const auto bits = ir::cast_scalar(DType::f64, type, std::bit_cast<ir::Bits>(*real));
    return type == DType::u64 ? Static::of_unsigned(bits) : Static::of(static_cast<int64_t>(bits));
}

Folded fold(ast::BinaryOp op, const Static& lhs, const Static& rhs) {
    auto a = wide(lhs), b = wide(rhs);
    if (a && b) return fold_integers(op, *a, *b);
    if (lhs.is_number() && rhs.is_number()) return fold_reals(op, *lhs.real(), *rhs.real());
    if (lhs.boolean() && rhs.boolean()) return fold_bools(op, *lhs.boolean(), *rhs.boolean());
    if (lhs.string() && rhs.string() && op == ast::BinaryOp::add)
        return {Static::of(*lhs.string() + *rhs.string()), ""};
    if (lhs.tuple() && rhs.tuple() && lhs.is_list == rhs.is_list && op == ast::BinaryOp::add) {
        std::vector<Static> both = *lhs.tuple();
        both.insert(both.end(), rhs.tuple()->begin(), rhs.tuple()->end());
        return {lhs.is_list ? Static::list(std::move(both)) : Static::of(std::move(both)), ""};
    }
    return {};
}

// `x.dtype in (f32, f64)`
static std::optional<bool> found_in(ast::CompareOp op, const Static& item, const Static& items) {
    if (!items.tuple()) return std::nullopt;
    bool found = false;
    for (const Static& one : *items.tuple()) {
        const auto same = fold(ast::CompareOp::eq, item, one);
        if (!same) return std::nullopt;
        found = found || *same;
    }
    return found == (op == ast::CompareOp::in);
}

std::optional<bool> fold(ast::CompareOp op, const Static& lhs, const Static& rhs) {
    if (op == ast::CompareOp::in || op == ast::CompareOp::not_in) return found_in(op, lhs, rhs);
    auto a = wide(lhs), b = wide(rhs);
    if (a && b) return compared(op, *a, *b);
    if (lhs.is_number() && rhs.is_number()) return compared(op, *lhs.real(), *rhs.real());
    if (lhs.string() && rhs.string()) return compared(op, *lhs.string(), *rhs.string());
    if (lhs.value.index() != rhs.value.index()) return std::nullopt;
    if (op == ast::CompareOp::eq) return lhs == rhs;
    if (op == ast::CompareOp::ne) return !(lhs == rhs);
    return std::nullopt;
}

namespace {

// A function of one number, as the IR computes it in f64.
std::optional<double> fold_real(ir::OpKind op, double x) {
    const auto bits = std::bit_cast<ir::Bits>(x);
    const auto result = ir::fold(op, DType::f64, DType::f64, std::span(&bits, 1));
    return result ? std::optional(std::bit_cast<double>(*result)) : std::nullopt;
}

std::optional<Static> fold_extreme(Builtin function, const std::vector<Static>& values) {
    bool smallest = function == Builtin::min || function == Builtin::minimum;
    const Static* best = nullptr;
    for (const Static& v : values) {
        if (!v.is_number()) return std::nullopt;
        if (std::isnan(*v.real())) return v;
        if (!best || *fold(smallest ? ast::CompareOp::lt : ast::CompareOp::gt, v, *best)) best = &v;
    }
    if (!best) return std::nullopt;
    return *best;
}

}  // namespace

std::optional<Static> fold(Builtin function, const std::vector<Static>& arguments) {
    if (arguments.empty() || !arguments[0].is_number()) return std::nullopt;
    bool extreme = function == Builtin::min || function == Builtin::max || function == Builtin::minimum ||
                   function == Builtin::maximum;
    if (extreme) return fold_extreme(function, arguments);
    if (arguments.size() == 3 && function == Builtin::clip) {
        const auto raised = fold_extreme(Builtin::max, {arguments[0], arguments[1]});
        return raised ? fold_extreme(Builtin::min, {*raised, arguments[2]}) : std::nullopt;
    }
    if (arguments.size() == 2 && function == Builtin::pow)
        return fold(ast::BinaryOp::pow, arguments[0], arguments[1]).value;
    if (arguments.size() != 1) return std::nullopt;
    const double x = *arguments[0].real();
    if (function == Builtin::abs && arguments[0].is_integer()) {
        return x < 0 ? fold(ast::UnaryOp::minus, arguments[0]).value : arguments[0];
    }
    if (function == Builtin::sign && arguments[0].is_integer()) return Static::of(int64_t{x > 0} - int64_t{x < 0});
    const auto op = elementwise_operation(function);
    const bool test = op == ir::OpKind::isnan || op == ir::OpKind::isinf || op == ir::OpKind::isfinite;
    if (!op || test) return std::nullopt;
    const auto result = fold_real(*op, x);
    return result ? std::optional(Static::of(*result)) : std::nullopt;
}

}  // namespace tsr::sema
