// Integers and bool against the words of the language reference, on numbers wide enough never to wrap. Exhaustive for
// 8 bits.
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "ir/law/scalar.h"

using namespace tsr;
using namespace tsr::ir;

namespace scalar_integers_test {

namespace {

__extension__ using Wide = __int128;

Wide wide(DType type, Bits bits) { return is_signed(type) ? Wide{static_cast<int64_t>(bits)} : Wide{bits}; }

// The one number of the type that differs by a multiple of 2^width.
Wide wrapped(DType type, Wide value) {
    const Wide modulus = Wide{1} << bits(type);
    Wide rest = ((value % modulus) + modulus) % modulus;
    return is_signed(type) && rest >= modulus / 2 ? rest - modulus : rest;
}

Wide floor_quotient(Wide a, Wide b) {
    Wide quotient = a / b;
    while (quotient * b > a && b > 0) --quotient;
    while (quotient * b < a && b < 0) --quotient;
    return quotient;
}

// Modulo 2^128: what is kept of a product of 64-bit values is in its low half.
Wide product(Wide a, Wide b) {
    Wide low = 0;
    (void)__builtin_mul_overflow(a, b, &low);
    return low;
}

Wide power(Wide base, Wide exponent, DType type) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    Wide result = 1;
    for (Wide i = 0; i < exponent; ++i) result = wrapped(type, product(result, base));
    return result;
}

Wide shifted_right(Wide a, Wide b, int width) {
    if (b < 0 || b >= width) return a < 0 ? -1 : 0;
    return floor_quotient(a, Wide{1} << static_cast<int>(b));
}

Wide expected(OpKind kind, DType type, Wide a, Wide b) {
    const int width = bits(type);
    switch (kind) {
        case OpKind::add:
            return a + b;
        case OpKind::sub:
            return a - b;
        case OpKind::mul:
            return product(a, b);
        case OpKind::floordiv:
            return b == 0 ? 0 : floor_quotient(a, b);
        case OpKind::mod:
            return b == 0 ? 0 : a - floor_quotient(a, b) * b;
        case OpKind::minimum:
            return a < b ? a : b;
        case OpKind::maximum:
            return a > b ? a : b;
        case OpKind::pow:
            return power(a, b, type);
        case OpKind::shl:
            return b < 0 || b >= width ? 0 : a * (Wide{1} << static_cast<int>(b));
        case OpKind::shr:
            return shifted_right(a, b, width);
        case OpKind::neg:
            return -a;
        case OpKind::abs:
            return a < 0 ? -a : a;
        case OpKind::sign:
            return a < 0 ? -1 : a > 0;
        case OpKind::bit_not:
            return -a - 1;
        case OpKind::eq:
            return a == b;
        case OpKind::ne:
            return a != b;
        case OpKind::lt:
            return a < b;
        case OpKind::le:
            return a <= b;
        case OpKind::gt:
            return a > b;
        case OpKind::ge:
            return a >= b;
        default:
            FAIL("no expectation");
            return 0;
    }
}

using enum OpKind;
constexpr std::array kBinary{add, sub, mul, floordiv, mod, minimum, maximum, pow, shl, shr};
constexpr std::array kUnary{neg, OpKind::abs, OpKind::sign, bit_not};
constexpr std::array kTests{eq, ne, lt, le, gt, ge};

template <size_t N>
size_t wrong(const std::array<OpKind, N>& kinds, DType type, Bits a, Bits b, bool test) {
    const std::array operands{a, b};
    size_t faults = 0;
    for (OpKind kind : kinds) {
        const DType to = test ? DType::boolean : type;
        const std::optional<Bits> got = fold(kind, type, to, operands);
        const Wide want = expected(kind, type, wide(type, a), wide(type, b));
        const bool right = got && (test ? *got == Bits(want != 0) : wide(type, *got) == wrapped(type, want));
        if (!right) ++faults;
    }
    return faults;
}

size_t wrong(DType type, Bits a, Bits b) {
    return wrong(kBinary, type, a, b, false) + wrong(kUnary, type, a, b, false) + wrong(kTests, type, a, b, true);
}

}  // namespace

TEST_CASE("8-bit integers, all pairs") {
    for (DType type : {DType::i8, DType::u8}) {
        size_t faults = 0;
        for (uint64_t a = 0; a < 256; ++a) {
            for (uint64_t b = 0; b < 256; ++b) faults += wrong(type, canonical(type, a), canonical(type, b));
        }
        CHECK(faults == 0);
    }
}

TEST_CASE("wider integers at their edges") {
    for (DType type : {DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64, DType::index}) {
        const int width = bits(type);
        std::vector<Bits> edges;
        for (uint64_t raw : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{7}, ~uint64_t{0}, ~uint64_t{0} - 1,
                             uint64_t{1} << (width - 1), (uint64_t{1} << (width - 1)) - 1,
                             (uint64_t{1} << (width - 1)) + 1, uint64_t{12345}, uint64_t{0} - 12345}) {
            edges.push_back(canonical(type, raw));
        }
        size_t faults = 0;
        for (Bits a : edges) {
            for (Bits b : edges) {
                // Repeated multiplication in the expectation has to end.
                const bool long_power = wide(type, b) > 20000;
                faults += wrong(kTests, type, a, b, true) + wrong(kUnary, type, a, b, false);
                faults += long_power ? wrong(std::array{sub, mul, floordiv, mod, shl, shr}, type, a, b, false)
                                     : wrong(kBinary, type, a, b, false);
            }
        }
        CHECK(faults == 0);
    }
}

TEST_CASE("powers of 64 bits wrap") {
    CHECK(fold(OpKind::pow, DType::u64, DType::u64, std::array<Bits, 2>{3, 41}) == 18026252303461234787u);
    CHECK(fold(OpKind::pow, DType::i64, DType::i64, std::array<Bits, 2>{2, 64}) == 0);
}

TEST_CASE("bits and bool") {
    for (DType type : {DType::boolean, DType::i8, DType::u8}) {
        for (uint64_t a = 0; a < (type == DType::boolean ? 2 : 256); ++a) {
            for (uint64_t b = 0; b < (type == DType::boolean ? 2 : 256); b += type == DType::boolean ? 1 : 15) {
                const std::array<Bits, 2> operands{canonical(type, a), canonical(type, b)};
                REQUIRE(fold(bit_and, type, type, operands) == canonical(type, a & b));
                REQUIRE(fold(bit_or, type, type, operands) == canonical(type, a | b));
                REQUIRE(fold(bit_xor, type, type, operands) == canonical(type, a ^ b));
                REQUIRE(fold(bit_not, type, type, operands) == canonical(type, ~a));
            }
        }
    }
    CHECK(fold(lt, DType::boolean, DType::boolean, std::array<Bits, 2>{0, 1}) == 1);
    CHECK(!fold(add, DType::boolean, DType::boolean, std::array<Bits, 2>{0, 1}));
    CHECK(!fold(add, DType::i4, DType::i4, std::array<Bits, 2>{0, 1}));  // i4 computes as i8
    CHECK(!fold(OpKind::sqrt, DType::i32, DType::i32, std::array<Bits, 1>{4}));
}

TEST_CASE("casts between integers wrap, to bool they ask for anything") {
    constexpr std::array kIntegers{DType::i4, DType::i8,  DType::i16, DType::i32, DType::i64,
                                   DType::u8, DType::u16, DType::u32, DType::u64, DType::index};
    for (DType from : kIntegers) {
        for (DType to : kIntegers) {
            size_t faults = 0;
            for (uint64_t raw :
                 {uint64_t{0}, uint64_t{1}, uint64_t{7}, uint64_t{8}, uint64_t{127}, uint64_t{128}, uint64_t{255},
                  uint64_t{256}, uint64_t{0x7fffffff}, uint64_t{0x80000000}, uint64_t{1} << 63, ~uint64_t{0}}) {
                const Bits value = canonical(from, raw);
                if (wide(to, cast_scalar(from, to, value)) != wrapped(to, wide(from, value))) ++faults;
                if (cast_scalar(from, DType::boolean, value) != Bits(value != 0)) ++faults;
            }
            CHECK(faults == 0);
        }
    }
    CHECK(cast_scalar(DType::boolean, DType::i8, 1) == 1);
    CHECK(cast_scalar(DType::boolean, DType::f16, 1) == 0x3c00);
}

TEST_CASE("casts of floats to integers go toward zero, saturate, and make NaN 0") {
    auto to = [](DType type, double value) {
        return static_cast<int64_t>(cast_scalar(DType::f64, type, std::bit_cast<Bits>(value)));
    };
    for (DType type : {DType::i4, DType::i8, DType::i16, DType::i32, DType::i64, DType::index}) {
        const int64_t most = static_cast<int64_t>((uint64_t{1} << (bits(type) - 1)) - 1);
        CHECK(to(type, 1e300) == most);
        CHECK(to(type, -1e300) == -most - 1);
        CHECK(to(type, INFINITY) == most);
        CHECK(to(type, -INFINITY) == -most - 1);
        CHECK(to(type, NAN) == 0);
        CHECK(to(type, std::ldexp(1.0, bits(type) - 1)) == most);
        CHECK(to(type, -std::ldexp(1.0, bits(type) - 1)) == -most - 1);
        CHECK(to(type, 2.999) == 2);
        CHECK(to(type, -2.999) == -2);
    }
    for (DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
        CHECK(static_cast<uint64_t>(to(type, 1e300)) == ~uint64_t{0} >> (64 - bits(type)));
        CHECK(to(type, -1) == 0);
        CHECK(to(type, -0.5) == 0);
        CHECK(to(type, NAN) == 0);
        CHECK(to(type, 255.9) == 255);
    }
    CHECK(static_cast<uint64_t>(to(DType::u64, 18446744073709549568.0)) == 18446744073709549568u);
    CHECK(cast_scalar(DType::f32, DType::boolean, std::bit_cast<uint32_t>(-0.0F)) == 0);
    CHECK(cast_scalar(DType::f32, DType::boolean, std::bit_cast<uint32_t>(NAN)) == 1);
}

}  // namespace scalar_integers_test
