#include "ir/law/float_arithmetic.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ir/core/total.h"
#include "ir/law/float_format.h"

namespace tsr::ir {

namespace {

// How a format computes: `Exact` carries + - * / sqrt with one rounding, `Wide` the functions with a bound.
// A double holds a sum, product, quotient or root of 16-bit floats well enough that rounding it again gives what
// rounding once would (Figueroa 1995: 53 >= 2 * 11 + 2).
struct F64 {
    using Exact = double;
    using Wide = long double;
    static double load(Bits v) { return std::bit_cast<double>(v); }
    static Bits store(long double v) { return encode_float(DType::f64, static_cast<double>(v)); }
    static constexpr Bits kSign = Bits{1} << 63;
};
struct F32 {
    using Exact = float;
    using Wide = double;
    static float load(Bits v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
    static Bits store(double v) {
        return std::isnan(v) ? encode_float(DType::f32, v) : std::bit_cast<uint32_t>(static_cast<float>(v));
    }
    static constexpr Bits kSign = Bits{1} << 31;
};
template <DType type>
struct Narrow {
    using Exact = double;
    using Wide = double;
    static double load(Bits v) { return decode_float(type, v); }
    static Bits store(double v) { return encode_float(type, v); }
    static constexpr Bits kSign = Bits{1} << 15;
};

// The sum of two doubles rounded to odd: the last bit is set where it is inexact, so that a later rounding to fewer
// bits is as if it were the only one (Boldo and Melquiond 2008).
double add_to_odd(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return sum;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
    return std::nextafter(
        sum, error > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
}

template <typename F>
typename F::Exact fused(typename F::Exact a, typename F::Exact b, typename F::Exact c) {
    if constexpr (std::is_same_v<F, F64> || std::is_same_v<F, F32>) {
        return std::fma(a, b, c);
    } else {
        return add_to_odd(a * b, c);  // the product is exact
    }
}

// The remainder with the sign of the divisor.
template <typename T>
T remainder_down(T a, T b) {
    if (std::isnan(a) || std::isnan(b) || std::isinf(a) || b == 0) return std::numeric_limits<T>::quiet_NaN();
    T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T{0}, b);
    if (std::signbit(rest) != std::signbit(b)) rest += b;
    return rest;
}

template <OpKind kind, typename F>
Bits smaller_or_greater(const Bits* v) {
    const auto a = F::load(v[0]);
    const auto b = F::load(v[1]);
    if (std::isnan(a) || std::isnan(b)) return F::store(std::numeric_limits<double>::quiet_NaN());
    if (a == b) return kind == OpKind::minimum ? v[0] | v[1] : v[0] & v[1];  // zeros of either sign
    return (a < b) == (kind == OpKind::minimum) ? v[0] : v[1];
}

// Operations that answer with bits of their operands, or with a bool.
template <OpKind kind, typename F>
Bits bitwise_op(const Bits* v, DType, DType) {
    using enum OpKind;
    if constexpr (kind == neg) return v[0] ^ F::kSign;
    if constexpr (kind == abs) return v[0] & ~F::kSign;
    if constexpr (kind == minimum || kind == maximum) return smaller_or_greater<kind, F>(v);
    const auto a = F::load(v[0]);
    if constexpr (kind == isnan) return std::isnan(a);
    if constexpr (kind == isinf) return std::isinf(a);
    if constexpr (kind == isfinite) return std::isfinite(a);
    if constexpr (kind == eq) return a == F::load(v[1]);
    if constexpr (kind == ne) return a != F::load(v[1]);
    if constexpr (kind == lt) return a < F::load(v[1]);
    if constexpr (kind == le) return a <= F::load(v[1]);
    if constexpr (kind == gt) return a > F::load(v[1]);
    if constexpr (kind == ge) return a >= F::load(v[1]);
    return 0;
}

// Correctly rounded.
template <OpKind kind, typename F>
Bits exact_op(const Bits* v, DType, DType) {
    using enum OpKind;
    using T = typename F::Exact;
    const T a = F::load(v[0]);
    T y{};
    if constexpr (kind == add) y = a + F::load(v[1]);
    if constexpr (kind == sub) y = a - F::load(v[1]);
    if constexpr (kind == mul) y = a * F::load(v[1]);
    if constexpr (kind == div) y = a / F::load(v[1]);
    if constexpr (kind == floordiv) y = std::floor(static_cast<T>(F::load(F::store(a / F::load(v[1])))));
    if constexpr (kind == mod) y = remainder_down<T>(a, F::load(v[1]));
    if constexpr (kind == fma) y = fused<F>(a, F::load(v[1]), F::load(v[2]));
    if constexpr (kind == sign) y = std::isnan(a) ? a : static_cast<T>((a > 0) - (a < 0));
    if constexpr (kind == sqrt) y = std::sqrt(a);
    if constexpr (kind == floor) y = std::floor(a);
    if constexpr (kind == ceil) y = std::ceil(a);
    if constexpr (kind == round) y = std::rint(a);
    if constexpr (kind == trunc) y = std::trunc(a);
    return F::store(y);
}

// With a bound.
template <OpKind kind, typename F>
Bits bounded_op(const Bits* v, DType, DType) {
    using enum OpKind;
    using T = typename F::Wide;
    const T a = F::load(v[0]);
    T y{};
    if constexpr (kind == rsqrt) y = T{1} / std::sqrt(a);
// The function of the C library with the operation's name, of one number or of two.
#define TSR_CALL(op)                                                                                               \
    if constexpr (kind == (op)) {                                                                                  \
        const auto function = [](auto... x) -> decltype(std::op(x...)) { return std::op(x...); };                  \
        if constexpr (std::is_invocable_v<decltype(function), T>) y = function(a);                                 \
        if constexpr (!std::is_invocable_v<decltype(function), T>) y = function(a, static_cast<T>(F::load(v[1]))); \
    }
    TSR_LIBRARY_OPS(TSR_CALL)
#undef TSR_CALL
    return F::store(y);
}

// Which of the functions above computes an operation on floats.
enum class FloatRule : uint8_t {
    bitwise,
    exact,
    bounded,
    none,  // of integers, of bits, or of more than numbers
};

#define TSR_BOUNDED(op) {OpKind::op, FloatRule::bounded},
constexpr Row<FloatRule> kFloatRules[]{
    {OpKind::add, FloatRule::exact},
    {OpKind::sub, FloatRule::exact},
    {OpKind::mul, FloatRule::exact},
    {OpKind::div, FloatRule::exact},
    {OpKind::floordiv, FloatRule::exact},
    {OpKind::mod, FloatRule::exact},
    {OpKind::neg, FloatRule::bitwise},
    {OpKind::fma, FloatRule::exact},
    {OpKind::minimum, FloatRule::bitwise},
    {OpKind::maximum, FloatRule::bitwise},
    {OpKind::bit_and, FloatRule::none},
    {OpKind::bit_or, FloatRule::none},
    {OpKind::bit_xor, FloatRule::none},
    {OpKind::bit_not, FloatRule::none},
    {OpKind::shl, FloatRule::none},
    {OpKind::shr, FloatRule::none},
    {OpKind::eq, FloatRule::bitwise},
    {OpKind::ne, FloatRule::bitwise},
    {OpKind::lt, FloatRule::bitwise},
    {OpKind::le, FloatRule::bitwise},
    {OpKind::gt, FloatRule::bitwise},
    {OpKind::ge, FloatRule::bitwise},
    {OpKind::select, FloatRule::none},
    {OpKind::cast, FloatRule::none},
    {OpKind::bitcast, FloatRule::none},
    TSR_LIBRARY_OPS(TSR_BOUNDED)  // the functions of the C library
    {OpKind::rsqrt, FloatRule::bounded},
    {OpKind::sign, FloatRule::exact},
    {OpKind::isnan, FloatRule::bitwise},
    {OpKind::isinf, FloatRule::bitwise},
    {OpKind::isfinite, FloatRule::bitwise},
    {OpKind::table, FloatRule::none},
    {OpKind::abs, FloatRule::bitwise},
    {OpKind::sqrt, FloatRule::exact},
    {OpKind::floor, FloatRule::exact},
    {OpKind::ceil, FloatRule::exact},
    {OpKind::round, FloatRule::exact},
    {OpKind::trunc, FloatRule::exact},
    {OpKind::cut, FloatRule::none},
    {OpKind::dither, FloatRule::none},
    {OpKind::philox, FloatRule::none},
};
#undef TSR_BOUNDED
constexpr Total<kFloatRules, kElementFamily> kRuleOf;

template <OpKind kind, typename F>
constexpr ScalarFn pick() {
    constexpr FloatRule kRule = kRuleOf[kind].answer;
    if constexpr (kRule == FloatRule::bitwise) return &bitwise_op<kind, F>;
    if constexpr (kRule == FloatRule::exact) return &exact_op<kind, F>;
    if constexpr (kRule == FloatRule::bounded) return &bounded_op<kind, F>;
    return nullptr;
}

#define TSR_PICK(op) pick<OpKind::op, F>(),
template <typename F>
constexpr std::array kFunctions{TSR_ELEMENT_OPS(TSR_PICK)};
#undef TSR_PICK

}  // namespace

ScalarFn float_function(OpKind kind, DType type) {
    const auto at = static_cast<size_t>(kind);
    if (at >= kFunctions<F64>.size()) return nullptr;
    if (type == DType::f64) return kFunctions<F64>[at];
    if (type == DType::f32) return kFunctions<F32>[at];
    if (type == DType::f16) return kFunctions<Narrow<DType::f16>>[at];
    if (type == DType::bf16) return kFunctions<Narrow<DType::bf16>>[at];
    return nullptr;
}

bool is_exact_on_floats(OpKind kind) { return kRuleOf[kind].answer != FloatRule::bounded; }

}  // namespace tsr::ir
