#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/numerics/function_bounds.h"
#include "ir/numerics/roundings.h"
#include "ir/ops/element.h"

namespace tsr::ir {

namespace {

// What an element operation on floats does to errors of its operands.
enum class ErrorRule : uint8_t {
    sum,       // each passes on; the operation rounds
    quotient,  // of div
    product,   // of mul
    fused,     // of fma
    same,      // the operand's passes on: signs, casts
    either,    // the greater of them passes on
    chosen,    // of select: that of what is chosen
    decides,   // whole numbers and truths: they jump, so that an error changes everything or nothing
    none,      // bits
    function,  // of one number, with a slope
    power,     // of pow
    angle,     // of atan2
};

constexpr Row<ErrorRule> kErrorRules[]{
    {OpKind::add, ErrorRule::sum},         {OpKind::sub, ErrorRule::sum},          {OpKind::mul, ErrorRule::product},
    {OpKind::div, ErrorRule::quotient},    {OpKind::floordiv, ErrorRule::decides}, {OpKind::mod, ErrorRule::decides},
    {OpKind::neg, ErrorRule::same},        {OpKind::fma, ErrorRule::fused},        {OpKind::minimum, ErrorRule::either},
    {OpKind::maximum, ErrorRule::either},  {OpKind::bit_and, ErrorRule::none},     {OpKind::bit_or, ErrorRule::none},
    {OpKind::bit_xor, ErrorRule::none},    {OpKind::bit_not, ErrorRule::none},     {OpKind::shl, ErrorRule::none},
    {OpKind::shr, ErrorRule::none},        {OpKind::eq, ErrorRule::decides},       {OpKind::ne, ErrorRule::decides},
    {OpKind::lt, ErrorRule::decides},      {OpKind::le, ErrorRule::decides},       {OpKind::gt, ErrorRule::decides},
    {OpKind::ge, ErrorRule::decides},      {OpKind::select, ErrorRule::chosen},    {OpKind::cast, ErrorRule::same},
    {OpKind::bitcast, ErrorRule::decides}, {OpKind::pow, ErrorRule::power},        {OpKind::atan2, ErrorRule::angle},
    {OpKind::exp, ErrorRule::function},    {OpKind::exp2, ErrorRule::function},    {OpKind::expm1, ErrorRule::function},
    {OpKind::log, ErrorRule::function},    {OpKind::log2, ErrorRule::function},    {OpKind::log10, ErrorRule::function},
    {OpKind::log1p, ErrorRule::function},  {OpKind::sin, ErrorRule::function},     {OpKind::cos, ErrorRule::function},
    {OpKind::tan, ErrorRule::function},    {OpKind::asin, ErrorRule::function},    {OpKind::acos, ErrorRule::function},
    {OpKind::atan, ErrorRule::function},   {OpKind::sinh, ErrorRule::function},    {OpKind::cosh, ErrorRule::function},
    {OpKind::tanh, ErrorRule::function},   {OpKind::erf, ErrorRule::function},     {OpKind::cbrt, ErrorRule::function},
    {OpKind::rsqrt, ErrorRule::function},  {OpKind::sign, ErrorRule::decides},     {OpKind::isnan, ErrorRule::none},
    {OpKind::isinf, ErrorRule::none},      {OpKind::isfinite, ErrorRule::none},    {OpKind::table, ErrorRule::none},
    {OpKind::abs, ErrorRule::same},        {OpKind::sqrt, ErrorRule::function},    {OpKind::floor, ErrorRule::decides},
    {OpKind::ceil, ErrorRule::decides},    {OpKind::round, ErrorRule::decides},    {OpKind::trunc, ErrorRule::decides},
    {OpKind::cut, ErrorRule::same},        {OpKind::dither, ErrorRule::same},      {OpKind::philox, ErrorRule::none},
};
constexpr Total<kErrorRules, kElementFamily> kErrorRuleOf;

bool is_power_of_two(double value) {
    int exponent = 0;
    return std::isfinite(value) && std::abs(std::frexp(value, &exponent)) == 0.5;
}

}  // namespace

void FunctionBounds::element(OpId id) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const ValueId v = op.results[0];
    Seen& made = seen(v);
    const Seen& a = seen(given[0]);
    const ErrorRule rule = kErrorRuleOf[op.kind].answer;
    if (rule == ErrorRule::decides) {
        const bool erring = std::ranges::any_of(op.operands, [&](ValueId from) {
            return is_of_floats(from) && (!seen(from).error.zero() || !seen(from).unsaid.empty());
        });
        if (erring) decides(id);
    }
    if (!is_of_floats(v)) return;
    switch (rule) {
        case ErrorRule::sum:
            return add(id, made);
        case ErrorRule::product:
            return multiply(id, made);
        case ErrorRule::quotient:
            return divide(id, made);
        case ErrorRule::fused: {
            const Seen &b = seen(given[1]), &c = seen(given[2]);
            made.error = product_error(a, b);
            made.error += c.error;
            made.nonnegative = c.nonnegative && (given[0] == given[1] || (a.nonnegative && b.nonnegative));
            round(made, unit_of(fn_.type(v).elem));
            note_cancellation(id, made, c);
            return;
        }
        case ErrorRule::same:
            return keep(id, made);
        case ErrorRule::either: {
            const Seen& b = seen(given[1]);
            made.error = a.error;
            made.error.join(b.error);
            made.nonnegative =
                op.kind == OpKind::maximum ? a.nonnegative || b.nonnegative : a.nonnegative && b.nonnegative;
            return;
        }
        case ErrorRule::chosen:
            return choose(id, made);
        case ErrorRule::decides:
        case ErrorRule::none:
            return;
        case ErrorRule::function:
            return apply(id, made);
        case ErrorRule::power: {
            const Seen& b = seen(given[1]);
            const Magnitude log("|log(" + text_of(given[0]) + ")|");
            made.error = a.error.times(b.scale / a.scale, made.size * b.size * a.size.power(-1));
            made.error += b.error.times(1, made.size * log);
            break;
        }
        case ErrorRule::angle: {
            const Seen& b = seen(given[1]);
            const Magnitude far(fmt::format("hypot({}, {})", text_of(given[1]), text_of(given[0])));
            made.error = a.error.times(1, far.power(-1));
            made.error += b.error.times(1, far.power(-1));
            break;
        }
    }
    round_own(id, made);
}

void FunctionBounds::decides(OpId id) {
    conditions_.insert(fmt::format("the bounds hold where `{}` of {} gives what it gives of exact operands",
                                   name(fn_.op(id).kind), line_of(id)));
}

void FunctionBounds::round_own(OpId id, Seen& made) {
    for (const RoundingPoint& rounding : roundings_of(fn_, id)) {
        const RoundoffUnit unit = unit_of(rounding.to);
        round(made, unit, rounding.most() / unit.roundoff);
    }
}

void FunctionBounds::note_cancellation(OpId id, const Seen& a, const Seen& b) {
    if (a.error.zero() && b.error.zero()) return;
    cancels_.insert(line_of(id));
}

void FunctionBounds::add(OpId id, Seen& made) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const Seen &a = seen(given[0]), &b = seen(given[1]);
    made.nonnegative = op.kind == OpKind::add && a.nonnegative && b.nonnegative;
    if (b.constant == 0 || (a.constant == 0 && op.kind == OpKind::add)) {
        const Seen& whole = b.constant == 0 ? a : b;
        made = whole;
        return;
    }
    made.error = a.error;
    made.error += b.error;
    if (op.kind == OpKind::sub) note_cancellation(id, a, b);
    round_own(id, made);
}

ErrorTerms FunctionBounds::product_error(const Seen& a, const Seen& b) {
    ErrorTerms error = a.error.times(b.scale, b.size);
    error += b.error.times(a.scale, a.size);
    return error;
}

void FunctionBounds::multiply(OpId id, Seen& made) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const Seen a = seen(given[0]), b = seen(given[1]);
    const bool named = !fn_.value(op.results[0]).name.empty();
    made.error = product_error(a, b);
    made.nonnegative = given[0] == given[1] || (a.nonnegative && b.nonnegative);
    if (!named || a.constant || b.constant) {
        made.size = a.size * b.size;
        made.scale = a.scale * b.scale;
    }
    if ((a.constant && is_power_of_two(*a.constant)) || (b.constant && is_power_of_two(*b.constant))) return;
    round_own(id, made);
}

void FunctionBounds::divide(OpId id, Seen& made) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const Seen a = seen(given[0]), b = seen(given[1]);
    made.error = a.error.times(1 / b.scale, b.size.power(-1));
    made.error += b.error.times(a.scale / (b.scale * b.scale), a.size * b.size.power(-2));
    made.nonnegative = a.nonnegative && b.nonnegative;
    made.size = a.size * b.size.power(-1);
    made.scale = a.scale / b.scale;
    if (b.constant && is_power_of_two(*b.constant)) return;
    round_own(id, made);
}

void FunctionBounds::keep(OpId id, Seen& made) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const Seen& a = seen(given[0]);
    if (!is_of_floats(given[0])) {  // of a whole number
        made.nonnegative = a.nonnegative;
        made.constant = a.constant;
        if (a.constant) set_constant(made, *a.constant);
        if (a.constant && std::abs(*a.constant) * unit_roundoff(fn_.type(op.results[0]).elem) <= 1) return;
    } else {
        const bool named = !fn_.value(op.results[0]).name.empty() && fn_.value(given[0]).name.empty();
        const Magnitude own = made.size;
        made = a;
        if (named && a.error.zero() && !a.constant) made.size = own;
        if (op.kind == OpKind::abs) made.nonnegative = true;
        if (op.kind == OpKind::neg) {
            made.nonnegative = false;
            if (a.constant) made.constant = -*a.constant;
        }
        if (a.constant) return;  // a number of the program, rounded when it is read
    }
    round_own(id, made);
}

void FunctionBounds::set_constant(Seen& made, double value) {
    made.constant = value;
    made.nonnegative = value >= 0;
    if (!std::isfinite(value)) return;
    made.size = {};
    made.scale = std::abs(value);
}

void FunctionBounds::choose(OpId id, Seen& made) {
    const SelectOp op(fn_, id);
    const Seen &a = seen(op.then()), &b = seen(op.otherwise());
    if (a.constant.has_value() != b.constant.has_value()) {
        const Seen& varies = a.constant ? b : a;
        const Seen& fixed = a.constant ? a : b;
        const bool nonnegative = varies.nonnegative && *fixed.constant >= 0;
        made = varies;
        made.nonnegative = nonnegative;
        return;
    }
    made.error = a.error;
    made.error.join(b.error);
    made.nonnegative = a.nonnegative && b.nonnegative;
}

void FunctionBounds::apply(OpId id, Seen& made) {
    const Op& op = fn_.op(id);
    const ValueSpan given = op.operands;
    const Seen& x = seen(given[0]);
    const std::string text = text_of(given[0]);
    const Magnitude y = made.size, over_x = x.size.power(-1);
    const auto slope = [&](double factor, const Magnitude& magnitude) {
        made.error += x.error.times(factor, magnitude);
    };
    switch (op.kind) {
        case OpKind::exp:
        case OpKind::cosh:  // |sinh x| <= cosh x
            slope(1, y);
            break;
        case OpKind::exp2:
            slope(std::numbers::ln2, y);
            break;
        case OpKind::expm1:
        case OpKind::sinh:  // cosh x <= 1 + |sinh x|
            slope(1, {});
            slope(1, y);
            break;
        case OpKind::log:
            slope(1 / x.scale, over_x);
            break;
        case OpKind::log2:
            slope(1 / (x.scale * std::numbers::ln2), over_x);
            break;
        case OpKind::log10:
            slope(1 / (x.scale * std::numbers::ln10), over_x);
            break;
        case OpKind::log1p:
            slope(1, Magnitude("|1 + " + text + "|").power(-1));
            break;
        case OpKind::tan:
            slope(1, {});
            slope(1, y.power(2));
            break;
        case OpKind::asin:
        case OpKind::acos:
            slope(1, Magnitude("sqrt(1 - (" + text + ")^2)").power(-1));
            break;
        case OpKind::erf:
            slope(2 * std::numbers::inv_sqrtpi, {});
            break;
        case OpKind::cbrt:
            slope(1 / (3 * x.scale), y * over_x);
            break;
        case OpKind::sqrt:
        case OpKind::rsqrt:
            slope(1 / (2 * x.scale), y * over_x);
            break;
        default:  // sin, cos, atan, tanh: at most 1
            slope(1, {});
    }
    made.nonnegative = op.kind == OpKind::exp || op.kind == OpKind::exp2 || op.kind == OpKind::cosh ||
                       op.kind == OpKind::sqrt || op.kind == OpKind::rsqrt || op.kind == OpKind::acos;
    round_own(id, made);
}

}  // namespace tsr::ir
