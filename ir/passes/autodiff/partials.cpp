// Where functions have no derivative, the value here is the language's law (language reference, section 6).
#include "ir/passes/autodiff/partials.h"

#include <numbers>

#include "base/numerics.h"
#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"

namespace tsr::ir::autodiff {

using math::Term;

Term ElementAt::raw(size_t number) const { return {&at_, at_.function().op(op_).operands[number]}; }

Term ElementAt::operand(size_t number) const {
    const Term value = raw(number);
    return value.cast(accumulation_type(value.type(), {}));
}

Term ElementAt::result() const {
    const Term value{&at_, at_.function().op(op_).results[0]};
    return value.cast(accumulation_type(value.type(), {}));
}

namespace {

using Passed = std::optional<Term>;

Passed flat(const ElementAt&, size_t, Term) { return std::nullopt; }

Passed sum(const ElementAt&, size_t, Term seed) { return seed; }
Passed difference(const ElementAt&, size_t operand, Term seed) { return operand == 0 ? seed : -seed; }
Passed product(const ElementAt& of, size_t operand, Term seed) { return seed * of.operand(1 - operand); }
Passed quotient(const ElementAt& of, size_t operand, Term seed) {
    const Term scaled = seed / of.operand(1);
    return operand == 0 ? scaled : -(scaled * of.result());
}
Passed remainder(const ElementAt& of, size_t operand, Term seed) {
    if (operand == 0) return seed;
    return -(seed * math::apply(OpKind::floordiv, of.operand(0), of.operand(1)));
}
Passed negative(const ElementAt&, size_t, Term seed) { return -seed; }
Passed multiply_add(const ElementAt& of, size_t operand, Term seed) {
    return operand == 2 ? seed : seed * of.operand(1 - operand);
}

// Ties, and NaN, go to the first.
Passed extreme(const ElementAt& of, size_t operand, Term seed, OpKind keeps) {
    const Term a = of.operand(0);
    const Term first = math::apply(keeps, a, of.operand(1)) | (a != a);
    return operand == 0 ? select(first, seed, 0.0) : select(first, 0.0, seed);
}
Passed smaller(const ElementAt& of, size_t operand, Term seed) { return extreme(of, operand, seed, OpKind::le); }
Passed greater(const ElementAt& of, size_t operand, Term seed) { return extreme(of, operand, seed, OpKind::ge); }

Passed chosen(const ElementAt& of, size_t operand, Term seed) {
    if (operand == 0) return std::nullopt;
    return operand == 1 ? select(of.raw(0), seed, 0.0) : select(of.raw(0), 0.0, seed);
}

// The number that an operand is everywhere, where the program says so.
std::optional<double> constant_of(Term term) {
    const Function& fn = term.builder->function();
    ValueId value = term.id;
    for (OpKind around : {OpKind::cast, OpKind::full, OpKind::cast}) {
        if (const auto op = defined_by(fn, value, around)) value = fn.op(*op).operands.front();
    }
    const auto op = defined_by(fn, value, OpKind::constant);
    if (!op || !is_float(fn.type(value).elem)) return std::nullopt;
    return ConstantOp(fn, *op).real();
}

// y = 0 gives a constant, whatever x is; x = 0 does not move with y.
Passed power(const ElementAt& of, size_t operand, Term seed) {
    const Term x = of.operand(0);
    const Term y = of.operand(1);
    if (operand == 1) return select(x == 0.0, 0.0, seed * (of.result() * x.apply(OpKind::log)));
    const std::optional<double> fixed = constant_of(of.raw(1));
    if (fixed == 2.0) return seed * (x * 2.0);
    if (fixed == 1.0) return seed;
    return select(y == 0.0, 0.0, seed * (y * math::apply(OpKind::pow, x, y - 1.0)));
}

Passed angle(const ElementAt& of, size_t operand, Term seed) {
    const Term y = of.operand(0);
    const Term x = of.operand(1);
    const Term square = x * x + y * y;
    const Term along = operand == 0 ? seed * x : -(seed * y);
    return select(square == 0.0, 0.0, along / square);
}

Passed exp_rule(const ElementAt& of, size_t, Term seed) { return seed * of.result(); }
Passed exp2_rule(const ElementAt& of, size_t, Term seed) { return seed * (of.result() * std::numbers::ln2); }
Passed expm1_rule(const ElementAt& of, size_t, Term seed) { return seed * (of.result() + 1.0); }
Passed log_rule(const ElementAt& of, size_t, Term seed) { return seed / of.operand(0); }
Passed log2_rule(const ElementAt& of, size_t, Term seed) { return seed / (of.operand(0) * std::numbers::ln2); }
Passed log10_rule(const ElementAt& of, size_t, Term seed) { return seed / (of.operand(0) * std::numbers::ln10); }
Passed log1p_rule(const ElementAt& of, size_t, Term seed) { return seed / (of.operand(0) + 1.0); }
Passed sin_rule(const ElementAt& of, size_t, Term seed) { return seed * of.operand(0).apply(OpKind::cos); }
Passed cos_rule(const ElementAt& of, size_t, Term seed) { return -(seed * of.operand(0).apply(OpKind::sin)); }
Passed tan_rule(const ElementAt& of, size_t, Term seed) { return seed * (of.result() * of.result() + 1.0); }
// (1 - x) * (1 + x) keeps what 1 - x*x loses near 1.
Term below_one(Term x) { return (1.0 - x) * (x + 1.0); }
Passed asin_rule(const ElementAt& of, size_t, Term seed) { return seed / sqrt(below_one(of.operand(0))); }
Passed acos_rule(const ElementAt& of, size_t, Term seed) { return -(seed / sqrt(below_one(of.operand(0)))); }
Passed atan_rule(const ElementAt& of, size_t, Term seed) { return seed / (of.operand(0) * of.operand(0) + 1.0); }
Passed sinh_rule(const ElementAt& of, size_t, Term seed) { return seed * of.operand(0).apply(OpKind::cosh); }
Passed cosh_rule(const ElementAt& of, size_t, Term seed) { return seed * of.operand(0).apply(OpKind::sinh); }
Passed tanh_rule(const ElementAt& of, size_t, Term seed) { return seed * below_one(of.result()); }
Passed erf_rule(const ElementAt& of, size_t, Term seed) {
    const Term x = of.operand(0);
    return seed * ((-(x * x)).apply(OpKind::exp) * (2.0 * std::numbers::inv_sqrtpi));
}
Passed cbrt_rule(const ElementAt& of, size_t, Term seed) { return seed / (of.result() * of.result() * 3.0); }
Passed rsqrt_rule(const ElementAt& of, size_t, Term seed) { return seed * (of.result() / of.operand(0) * -0.5); }
Passed sqrt_rule(const ElementAt& of, size_t, Term seed) { return seed * (0.5 / of.result()); }
// 0 at 0.
Passed abs_rule(const ElementAt& of, size_t, Term seed) { return seed * of.operand(0).apply(OpKind::sign); }
// To narrower floats: as if nothing was rounded. The word of a stochastic rounding is no number.
Passed rounding(const ElementAt&, size_t operand, Term seed) { return operand == 0 ? Passed(seed) : std::nullopt; }

constexpr bool kSingular = true;
constexpr bool kChooses = true;
constexpr PartialRule none(OpKind kind, std::string_view why) { return {.kind = kind, .refused = why}; }
// What gives no floats, and what is flat between its jumps.
constexpr PartialRule no_slope(OpKind kind) { return {kind, flat}; }

constexpr PartialRule kPartials[]{
    {OpKind::add, sum},
    {OpKind::sub, difference},
    {OpKind::mul, product},
    {OpKind::div, quotient, kSingular},
    no_slope(OpKind::floordiv),
    {OpKind::mod, remainder, kSingular},
    {OpKind::neg, negative},
    {OpKind::fma, multiply_add},
    {OpKind::minimum, smaller, false, kChooses},
    {OpKind::maximum, greater, false, kChooses},
    no_slope(OpKind::bit_and),
    no_slope(OpKind::bit_or),
    no_slope(OpKind::bit_xor),
    no_slope(OpKind::bit_not),
    no_slope(OpKind::shl),
    no_slope(OpKind::shr),
    no_slope(OpKind::eq),
    no_slope(OpKind::ne),
    no_slope(OpKind::lt),
    no_slope(OpKind::le),
    no_slope(OpKind::gt),
    no_slope(OpKind::ge),
    {OpKind::select, chosen, false, kChooses},
    {OpKind::cast, sum},
    none(OpKind::bitcast, "the bits of a number have no derivative"),
    {OpKind::pow, power, kSingular},
    {OpKind::atan2, angle, kSingular},
    {OpKind::exp, exp_rule, kSingular},
    {OpKind::exp2, exp2_rule, kSingular},
    {OpKind::expm1, expm1_rule, kSingular},
    {OpKind::log, log_rule, kSingular},
    {OpKind::log2, log2_rule, kSingular},
    {OpKind::log10, log10_rule, kSingular},
    {OpKind::log1p, log1p_rule, kSingular},
    {OpKind::sin, sin_rule, kSingular},
    {OpKind::cos, cos_rule, kSingular},
    {OpKind::tan, tan_rule, kSingular},
    {OpKind::asin, asin_rule, kSingular},
    {OpKind::acos, acos_rule, kSingular},
    {OpKind::atan, atan_rule},
    {OpKind::sinh, sinh_rule, kSingular},
    {OpKind::cosh, cosh_rule, kSingular},
    {OpKind::tanh, tanh_rule},
    {OpKind::erf, erf_rule},
    {OpKind::cbrt, cbrt_rule, kSingular},
    {OpKind::rsqrt, rsqrt_rule, kSingular},
    no_slope(OpKind::sign),
    no_slope(OpKind::isnan),
    no_slope(OpKind::isinf),
    no_slope(OpKind::isfinite),
    no_slope(OpKind::table),
    {OpKind::abs, abs_rule},
    {OpKind::sqrt, sqrt_rule, kSingular},
    no_slope(OpKind::floor),
    no_slope(OpKind::ceil),
    no_slope(OpKind::round),
    no_slope(OpKind::trunc),
    {OpKind::cut, rounding},
    {OpKind::dither, rounding},
    no_slope(OpKind::philox),
};
constexpr Total<kPartials, kElementFamily> kOfElements;

}  // namespace

const PartialRule& partial_rule(OpKind kind) { return kOfElements[kind]; }

}  // namespace tsr::ir::autodiff
