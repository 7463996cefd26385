// How the elements of each type stand in lanes, and their arithmetic (records of ir/ops/element.cpp): the law of one
// element. Included by the loops, which are compiled once per instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/eval/narrow_float.h"

namespace tsr::ir::eval {
namespace {

// An element type: `Stored` in memory, `Value` in arithmetic.
template <typename T>
struct Plain {
    using Stored = T;
    using Value = T;
    static T load(T bits) { return bits; }
    static T store(T value) { return value; }
};

struct Bool {
    using Stored = uint8_t;
    using Value = uint8_t;
    static uint8_t load(uint8_t bits) { return bits; }
    static uint8_t store(uint8_t value) { return value; }
};

struct Int4 {  // sign-extended in a byte
    using Stored = int8_t;
    using Value = int8_t;
    static int8_t load(int8_t bits) { return bits; }
};

struct Half {
    using Stored = uint16_t;
    using Value = float;
    static float load(uint16_t bits) {
        const uint32_t magnitude = bits & 0x7FFFU;
        // The exponent moves from bias 15 to 127 by an exact product, which normalizes subnormals too.
        const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
        const uint32_t special = magnitude > 0x7C00 ? 0x7FC00000U : 0x7F800000U;
        const uint32_t out = std::bit_cast<uint32_t>(scaled) | (magnitude >= 0x7C00 ? special : 0);
        return std::bit_cast<float>(out | (bits & 0x8000U) << 16);
    }
    static uint16_t store(double value) { return static_cast<uint16_t>(encode(kF16, value)); }
    static uint16_t store(float value) {
        const auto all = std::bit_cast<uint32_t>(value);
        const uint32_t sign = all >> 16 & 0x8000U;
        const uint32_t magnitude = all & 0x7FFFFFFFU;
        const uint32_t nan = 0x7E00U | (magnitude >> 13 & 0x1FFU);
        const uint32_t special = magnitude > 0x7F800000U ? nan : 0x7C00U;
        // Below 2^-14 the sum with 0.5 leaves a subnormal's code in the low bits, rounded by the addition.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        const uint32_t small = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5F);
        const uint32_t normal = (magnitude - (112U << 23) + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
        const uint32_t out = magnitude >= 0x47800000U ? special : magnitude < 0x38800000U ? small : normal;
        return static_cast<uint16_t>(sign | out);
    }
};

struct BFloat {
    using Stored = uint16_t;
    using Value = float;
    static float load(uint16_t bits) {
        const uint32_t out = static_cast<uint32_t>(bits) << 16;
        return std::bit_cast<float>((out & 0x7FFFFFFFU) > 0x7F800000U ? out | 0x00400000U : out);
    }
    static uint16_t store(double value) { return static_cast<uint16_t>(encode(kBF16, value)); }
    static uint16_t store(float value) {
        const auto all = std::bit_cast<uint32_t>(value);
        const uint32_t rounded = (all + 0x7FFFU + (all >> 16 & 1U)) >> 16;
        const bool nan = (all & 0x7FFFFFFFU) > 0x7F800000U;
        return static_cast<uint16_t>(nan ? all >> 16 | 0x40U : rounded);
    }
};

template <const FloatFormat& format>
struct Small {  // floats of 8 bits or fewer: stored, compared and cast only
    using Stored = uint8_t;
    using Value = float;
    static float load(uint8_t bits) { return decode(format, bits); }
    static uint8_t store(double value) { return static_cast<uint8_t>(encode(format, value)); }
};

struct Scale {
    using Stored = uint8_t;
    using Value = float;
    static float load(uint8_t bits) { return decode_e8m0(bits); }
    static uint8_t store(double value) { return static_cast<uint8_t>(encode_e8m0(value)); }
};

// Unsigned, and wide enough that nothing is promoted to a signed type: wraps without undefined behaviour.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <typename T>
constexpr bool kInteger = std::is_integral_v<T>;

struct Add {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
        else
            return a + b;
    }
};
struct Sub {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
        else
            return a - b;
    }
};
struct Mul {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>)
            return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
        else
            return a * b;
    }
};
struct Div {
    template <typename T>
    static T of(T a, T b) {
        return a / b;
    }
};
// Floats by `Floor` of the quotient in its own type, so not here.
struct FloorDiv {
    template <typename T>
    static T of(T a, T b) {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return Sub::of(T{0}, a);
            const T q = static_cast<T>(a / b);
            return static_cast<T>(a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q);
        } else {
            return static_cast<T>(a / b);
        }
    }
};
struct Mod {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>) {
            if (b == 0) return 0;
            if constexpr (std::is_signed_v<T>) {
                if (b == -1) return 0;
                const T r = static_cast<T>(a % b);
                return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
            } else {
                return static_cast<T>(a % b);
            }
        } else {
            const T r = std::fmod(a, b);
            if (r == 0) return std::copysign(T{0}, b);
            return std::signbit(r) != std::signbit(b) ? r + b : r;
        }
    }
};
struct Pow {  // integers only
    template <typename T>
    static T of(T a, T b) {
        if constexpr (std::is_signed_v<T>) {
            if (b < 0) return a == 1 ? 1 : a == -1 ? static_cast<T>(b % 2 == 0 ? 1 : -1) : 0;
        }
        T power = 1;
        for (auto rest = static_cast<std::make_unsigned_t<T>>(b); rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) power = Mul::of(power, a);
            a = Mul::of(a, a);
        }
        return power;
    }
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct Minimum {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>) {
            return a < b ? a : b;
        } else {  // equal: of two zeros the negative one, which has the sign bit
            const T same = std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b));
            return a != a ? a : b != b ? b : a < b ? a : b < a ? b : same;
        }
    }
};
struct Maximum {
    template <typename T>
    static T of(T a, T b) {
        if constexpr (kInteger<T>) {
            return a > b ? a : b;
        } else {
            const T same = std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b));
            return a != a ? a : b != b ? b : a > b ? a : b > a ? b : same;
        }
    }
};
struct And {
    template <typename T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct Or {
    template <typename T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct Xor {
    template <typename T>
    static T of(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};
struct ShiftLeft {
    template <typename T>
    static T of(T a, T b) {
        using U = std::make_unsigned_t<T>;
        constexpr U width = sizeof(T) * 8;  // a negative count is a huge unsigned one
        const auto count = static_cast<U>(b);
        return count >= width ? T{0} : static_cast<T>(static_cast<Wrapping<T>>(a) << count);
    }
};
struct ShiftRight {
    template <typename T>
    static T of(T a, T b) {
        using U = std::make_unsigned_t<T>;
        constexpr U width = sizeof(T) * 8;
        const auto count = static_cast<U>(b);
        return count >= width ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> count);
    }
};

struct Equal {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a == b;
    }
};
struct NotEqual {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a != b;
    }
};
struct Less {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a < b;
    }
};
struct LessEqual {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a <= b;
    }
};
struct Greater {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a > b;
    }
};
struct GreaterEqual {
    template <typename T>
    static uint8_t of(T a, T b) {
        return a >= b;
    }
};

struct Neg {
    template <typename T>
    static T of(T a) {
        if constexpr (kInteger<T>)
            return Sub::of(T{0}, a);
        else
            return -a;
    }
};
struct Abs {
    template <typename T>
    static T of(T a) {
        if constexpr (!kInteger<T>)
            return std::fabs(a);
        else if constexpr (std::is_signed_v<T>)
            return a < 0 ? Sub::of(T{0}, a) : a;
        else
            return a;
    }
};
struct Sign {
    template <typename T>
    static T of(T a) {
        if constexpr (kInteger<T>)
            return static_cast<T>(a > 0 ? 1 : a != 0 ? -1 : 0);
        else
            return a > 0 ? T{1} : a < 0 ? T{-1} : a != a ? a : T{0};
    }
};
struct Sqrt {
    template <typename T>
    static T of(T a) {
        return std::sqrt(a);
    }
};
struct Floor {
    template <typename T>
    static T of(T a) {
        return std::floor(a);
    }
};
struct Ceil {
    template <typename T>
    static T of(T a) {
        return std::ceil(a);
    }
};
struct RoundEven {
    template <typename T>
    static T of(T a) {
        return std::nearbyint(a);
    }
};
struct Trunc {
    template <typename T>
    static T of(T a) {
        return std::trunc(a);
    }
};
struct IsNan {
    template <typename T>
    static uint8_t of(T a) {
        return a != a;
    }
};
struct IsInf {
    template <typename T>
    static uint8_t of(T a) {
        return std::fabs(a) == std::numeric_limits<T>::infinity();
    }
};
struct IsFinite {
    template <typename T>
    static uint8_t of(T a) {
        return std::fabs(a) < std::numeric_limits<T>::infinity();
    }
};

// a * b + c of floats of 16 bits, to be rounded once more: the product is exact, the sum is rounded to odd, which a
// second rounding to far fewer bits does not disturb (Boldo and Melquiond, "When double rounding is odd", 2005).
inline double fused_to_odd(float a, float b, float c) {
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const double addend = c;
    const double sum = product + addend;
    const double back = sum - product;
    const double lost = (product - (sum - back)) + (addend - back);  // Knuth's two-sum: exact
    if (!(std::fabs(sum) < std::numeric_limits<double>::infinity()) || lost == 0) return sum;
    const auto bits = std::bit_cast<uint64_t>(sum);
    if ((bits & 1) != 0) return sum;
    // The true sum lies beside `sum` on the side of `lost`; of the two neighbours the odd one is meant.
    return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace
}  // namespace tsr::ir::eval
