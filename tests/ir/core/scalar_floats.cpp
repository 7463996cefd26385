// Floating-point formats and arithmetic: properties that fix every rounding, tables of the narrow formats, and the
// machine's own f32 and f64.
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "ir/law/float_format.h"
#include "ir/law/scalar.h"

using namespace tsr;
using namespace tsr::ir;

namespace scalar_floats_test {

namespace {

__extension__ using Wide = __int128;
using enum OpKind;

Bits of(float value) { return std::bit_cast<uint32_t>(value); }
Bits of(double value) { return std::bit_cast<uint64_t>(value); }

Bits apply(OpKind kind, DType type, std::initializer_list<Bits> operands, DType to) {
    const std::optional<Bits> result = fold(kind, type, to, std::span(operands.begin(), operands.size()));
    REQUIRE(result);
    return *result;
}
Bits apply(OpKind kind, DType type, std::initializer_list<Bits> operands) { return apply(kind, type, operands, type); }

float f32(OpKind kind, float a) {
    return std::bit_cast<float>(static_cast<uint32_t>(apply(kind, DType::f32, {of(a)})));
}
float f32(OpKind kind, float a, float b) {
    return std::bit_cast<float>(static_cast<uint32_t>(apply(kind, DType::f32, {of(a), of(b)})));
}

struct Narrow {
    DType type;
    uint64_t largest;  // the code of the largest finite value
    double value;      // and the value
    double least;      // the smallest above 0
    bool saturates;
};
constexpr std::array kNarrow{
    Narrow{DType::f16, 0x7bff, 65504, 0x1p-24, false}, Narrow{DType::bf16, 0x7f7f, 0x1.fep127, 0x1p-133, false},
    Narrow{DType::fp8_e4m3, 0x7e, 448, 0x1p-9, true},  Narrow{DType::fp8_e5m2, 0x7b, 57344, 0x1p-16, true},
    Narrow{DType::fp6_e3m2, 0x1f, 28, 0x1p-4, true},   Narrow{DType::fp6_e2m3, 0x1f, 7.5, 0x1p-3, true},
    Narrow{DType::fp4_e2m1, 0x7, 6, 0.5, true},
};

}  // namespace

TEST_CASE("the ends of each narrow format") {
    for (const Narrow& format : kNarrow) {
        CAPTURE(name(format.type));
        CHECK(decode_float(format.type, format.largest) == format.value);
        CHECK(decode_float(format.type, 1) == format.least);
        const uint64_t sign = uint64_t{1} << (bits(format.type) - 1);
        CHECK(decode_float(format.type, format.largest | sign) == -format.value);
        CHECK(std::signbit(decode_float(format.type, sign)));
        CHECK(encode_float(format.type, -0.0) == sign);
        const uint64_t beyond = format.saturates ? format.largest : format.largest + 1;
        CHECK(encode_float(format.type, INFINITY) == beyond);
        CHECK(encode_float(format.type, -INFINITY) == (beyond | sign));
        CHECK(encode_float(format.type, 1e300) == beyond);
        CHECK(encode_float(format.type, format.least / 2) == 0);  // a tie goes to even
        CHECK(encode_float(format.type, std::nextafter(format.least / 2, 1)) == 1);
        CHECK(encode_float(format.type, 1e-300) == 0);
    }
    CHECK(std::isnan(decode_float(DType::fp8_e4m3, 0x7f)));
    CHECK(encode_float(DType::fp8_e4m3, NAN) == 0x7f);
    CHECK(std::isinf(decode_float(DType::fp8_e5m2, 0x7c)));
    CHECK(encode_float(DType::fp8_e5m2, NAN) == 0x7f);
    CHECK(encode_float(DType::fp8_e5m2, -NAN) == 0x7f);
    CHECK(encode_float(DType::f16, NAN) == 0x7e00);
    CHECK(encode_float(DType::bf16, NAN) == 0x7fc0);
    CHECK(encode_float(DType::fp6_e3m2, NAN) == 0x1f);  // no NaN: the largest
    CHECK(encode_float(DType::fp4_e2m1, NAN) == 0x7);
}

TEST_CASE("fp4 by its whole table") {
    const std::array<double, 8> values{0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (uint64_t code = 0; code < 8; ++code) {
        CHECK(decode_float(DType::fp4_e2m1, code) == values[code]);
        CHECK(decode_float(DType::fp4_e2m1, code | 8) == -values[code]);
    }
    CHECK(encode_float(DType::fp4_e2m1, 2.5) == 4);  // ties: 2, not 3
    CHECK(encode_float(DType::fp4_e2m1, 5) == 6);
    CHECK(encode_float(DType::fp4_e2m1, 0.25) == 0);
    CHECK(encode_float(DType::fp4_e2m1, 0.75) == 2);
}

// Codes of one sign grow with their values: these four facts about each pair of neighbours fix every rounding.
TEST_CASE("every value reads back, halfway goes to the even code, beside it to the nearer") {
    for (const Narrow& format : kNarrow) {
        size_t faults = 0;
        for (uint64_t code = 0; code < format.largest; ++code) {
            const double low = decode_float(format.type, code);
            const double high = decode_float(format.type, code + 1);
            const double middle = low + (high - low) / 2;
            if (!(low < high) || encode_float(format.type, low) != code) ++faults;
            if (encode_float(format.type, middle) != code + (code & 1)) ++faults;
            if (encode_float(format.type, std::nextafter(middle, low)) != code) ++faults;
            if (encode_float(format.type, std::nextafter(middle, high)) != code + 1) ++faults;
            const uint64_t sign = uint64_t{1} << (bits(format.type) - 1);
            if (encode_float(format.type, -middle) != ((code + (code & 1)) | sign)) ++faults;
        }
        // Beyond the largest value half a step decides, as if the format went on.
        const double step = format.value - decode_float(format.type, format.largest - 1);
        const uint64_t beyond = format.saturates ? format.largest : format.largest + 1;
        if (encode_float(format.type, std::nextafter(format.value + step / 2, 0)) != format.largest) ++faults;
        if (encode_float(format.type, format.value + step / 2) != beyond) ++faults;
        CAPTURE(name(format.type));
        CHECK(faults == 0);
    }
}

TEST_CASE("known conversions of f16 and bf16") {
    struct Row {
        float value;
        uint64_t f16;
        uint64_t bf16;
    };
    for (const Row& row : {Row{1.0F, 0x3c00, 0x3f80}, Row{-2.5F, 0xc100, 0xc020}, Row{0.1F, 0x2e66, 0x3dcd},
                           Row{65519.0F, 0x7bff, 0x4780}, Row{65520.0F, 0x7c00, 0x4780}, Row{1e-8F, 0x0000, 0x322c},
                           Row{6.1e-5F, 0x03ff, 0x3880}, Row{3.1415927F, 0x4248, 0x4049}, Row{1e38F, 0x7c00, 0x7e96}}) {
        CHECK(cast_scalar(DType::f32, DType::f16, of(row.value)) == row.f16);
        CHECK(cast_scalar(DType::f32, DType::bf16, of(row.value)) == row.bf16);
    }
    CHECK(cast_scalar(DType::f16, DType::f32, 0x3555) == of(0.333251953125F));
    CHECK(cast_scalar(DType::bf16, DType::f32, 0x3eab) == of(0.333984375F));
}

TEST_CASE("the scale format is a power of two") {
    CHECK(decode_float(DType::e8m0, 127) == 1);
    CHECK(decode_float(DType::e8m0, 0) == 0x1p-127);
    CHECK(std::isnan(decode_float(DType::e8m0, 255)));
    for (uint64_t code = 0; code < 255; ++code)
        CHECK(encode_float(DType::e8m0, decode_float(DType::e8m0, code)) == code);
    CHECK(encode_float(DType::e8m0, 1.5) == 128);  // between 127 and 128: the even code
    CHECK(encode_float(DType::e8m0, 3.0) == 128);
    CHECK(encode_float(DType::e8m0, 1.51) == 128);
    CHECK(encode_float(DType::e8m0, 1.49) == 127);
    CHECK(encode_float(DType::e8m0, 0) == 0);
    CHECK(encode_float(DType::e8m0, -1) == 255);
    CHECK(encode_float(DType::e8m0, 1e300) == 254);
}

TEST_CASE("casts that the machine has agree with it") {
    std::mt19937_64 random(7);
    size_t faults = 0;
    for (int i = 0; i < 200000; ++i) {
        const uint64_t raw = random() >> (random() % 64);
        const auto number = static_cast<int64_t>(raw);
        faults += cast_scalar(DType::i64, DType::f32, raw) != of(static_cast<float>(number));
        faults += cast_scalar(DType::i64, DType::f64, raw) != of(static_cast<double>(number));
        faults += cast_scalar(DType::u64, DType::f32, raw) != of(static_cast<float>(raw));
        const auto value = std::bit_cast<double>(raw);
        if (!std::isnan(value)) faults += cast_scalar(DType::f64, DType::f32, raw) != of(static_cast<float>(value));
    }
    CHECK(faults == 0);
    // 2^24 + 1 and 2^53 + 1 are ties; a double in between would hide what stands below them.
    CHECK(cast_scalar(DType::i64, DType::f32, 16777217) == of(16777216.0F));
    CHECK(cast_scalar(DType::i64, DType::f32, (Bits{1} << 60) + (Bits{1} << 36) + 1) == of(0x1.000002p60F));
    CHECK(cast_scalar(DType::i32, DType::f16, 65519) == 0x7bff);
    CHECK(cast_scalar(DType::i32, DType::f16, 65520) == 0x7c00);
    CHECK(cast_scalar(DType::i32, DType::fp8_e4m3, 1000) == 0x7e);
}

TEST_CASE("f32 and f64 arithmetic is the machine's") {
    std::mt19937_64 random(8);
    size_t faults = 0;
    auto same = [](Bits got, float want) { return std::isnan(want) ? got == 0x7fc00000 : got == of(want); };
    for (int i = 0; i < 100000; ++i) {
        const auto a = std::bit_cast<float>(static_cast<uint32_t>(random()));
        const auto b = std::bit_cast<float>(static_cast<uint32_t>(random()));
        const auto c = std::bit_cast<float>(static_cast<uint32_t>(random()));
        faults += !same(apply(add, DType::f32, {of(a), of(b)}), a + b);
        faults += !same(apply(sub, DType::f32, {of(a), of(b)}), a - b);
        faults += !same(apply(mul, DType::f32, {of(a), of(b)}), a * b);
        faults += !same(apply(OpKind::div, DType::f32, {of(a), of(b)}), a / b);
        faults += !same(apply(OpKind::fma, DType::f32, {of(a), of(b), of(c)}), std::fma(a, b, c));
        faults += !same(apply(OpKind::sqrt, DType::f32, {of(a)}), std::sqrt(a));
        faults += apply(lt, DType::f32, {of(a), of(b)}, DType::boolean) != Bits(a < b);
    }
    CHECK(faults == 0);
    CHECK(apply(add, DType::f64, {of(0.1), of(0.2)}) == of(0.30000000000000004));
    CHECK(apply(OpKind::fma, DType::f64, {of(0.1), of(10.0), of(-1.0)}) == of(5.551115123125783e-17));
    CHECK(f32(add, 0x1p-149F, 0x1p-149F) == 0x1p-148F);  // subnormals are kept
}

// A sum, product, quotient or root of 16-bit floats has at most a few more bits than long double holds, or is inexact
// far below them: rounding the long double is rounding the exact result, but for halfway cases, which it shows exactly.
TEST_CASE("16-bit arithmetic is rounded once") {
    std::mt19937_64 random(9);
    for (DType type : {DType::f16, DType::bf16}) {
        size_t faults = 0;
        for (int i = 0; i < 200000; ++i) {
            const Bits raw_a = random() & 0xffff;
            const Bits raw_b = random() & 0xffff;
            const long double a = decode_float(type, raw_a);
            const long double b = decode_float(type, raw_b);
            // Rounds to odd in double, then once.
            auto rounded = [&](long double exact) {
                auto value = static_cast<double>(exact);
                if (std::isfinite(value) && static_cast<long double>(value) != exact) {
                    const double other = std::nextafter(value, exact > value ? INFINITY : -INFINITY);
                    if ((of(value) & 1) == 0) value = other;
                }
                return encode_float(type, value);
            };
            faults += apply(add, type, {raw_a, raw_b}) != rounded(a + b);
            faults += apply(mul, type, {raw_a, raw_b}) != rounded(a * b);
            faults += apply(OpKind::div, type, {raw_a, raw_b}) != rounded(a / b);
            faults += apply(OpKind::sqrt, type, {raw_a}) != rounded(std::sqrt(a));
        }
        CAPTURE(name(type));
        CHECK(faults == 0);
    }
}

TEST_CASE("a 16-bit fma is rounded once") {
    // 1.0009765625^2 = 1 + 2^-9 + 2^-20; the addend lies just beside a tie that the first rounding would make.
    const Bits a = encode_float(DType::f16, 1 + 0x1p-10);
    CHECK(decode_float(DType::f16, apply(OpKind::fma, DType::f16, {a, a, encode_float(DType::f16, 0)})) == 1 + 0x1p-9);
    std::mt19937_64 random(10);
    size_t faults = 0;
    for (int i = 0; i < 300000; ++i) {
        const Bits raw[3] = {random() & 0xffff, random() & 0xffff, random() & 0xffff};
        const double x = decode_float(DType::f16, raw[0]);
        const double y = decode_float(DType::f16, raw[1]);
        const double z = decode_float(DType::f16, raw[2]);
        if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
        // All f16 are multiples of 2^-24, products of 2^-48: below 2^33 a 128-bit integer holds the sum.
        const auto exact = static_cast<Wide>(std::ldexp(x * y, 48)) + static_cast<Wide>(std::ldexp(z, 48));
        const Bits got = apply(OpKind::fma, DType::f16, {raw[0], raw[1], raw[2]});
        const double value = decode_float(DType::f16, got);
        if (std::isinf(value)) {
            const Wide limit = static_cast<Wide>(std::ldexp(65520.0, 48));
            faults += (exact < 0 ? -exact : exact) < limit;
            continue;
        }
        auto distance = [&](uint64_t code) {
            const Wide off = exact - static_cast<Wide>(std::ldexp(decode_float(DType::f16, code), 48));
            return off < 0 ? -off : off;
        };
        for (uint64_t neighbour : {got - 1, got + 1}) {
            if ((neighbour & 0x7fff) > 0x7bff) continue;
            const bool nearer = distance(neighbour) < distance(got);
            const bool tie = distance(neighbour) == distance(got) && (got & 1) != 0;
            faults += nearer || tie;
        }
    }
    CHECK(faults == 0);
}

TEST_CASE("NaN, zeros and infinities") {
    CHECK(std::isnan(f32(minimum, NAN, 1)));
    CHECK(std::isnan(f32(maximum, 1, NAN)));
    CHECK(std::signbit(f32(minimum, 0.0F, -0.0F)));
    CHECK(std::signbit(f32(minimum, -0.0F, 0.0F)));
    CHECK(!std::signbit(f32(maximum, 0.0F, -0.0F)));
    CHECK(!std::signbit(f32(maximum, -0.0F, 0.0F)));
    CHECK(apply(neg, DType::f32, {0x7fc00000}) == 0xffc00000);
    CHECK(apply(OpKind::abs, DType::f32, {0xffc00000}) == 0x7fc00000);
    CHECK(of(f32(OpKind::sign, -0.0F)) == 0);
    CHECK(std::isnan(f32(OpKind::sign, NAN)));
    CHECK(f32(OpKind::sign, -7) == -1);
    CHECK(f32(OpKind::round, 2.5F) == 2);
    CHECK(f32(OpKind::round, 3.5F) == 4);
    CHECK(std::signbit(f32(OpKind::round, -0.3F)));
    CHECK(std::signbit(f32(OpKind::ceil, -0.3F)));
    CHECK(f32(OpKind::floor, -0.3F) == -1);
    CHECK(f32(OpKind::trunc, -1.7F) == -1);
    CHECK(apply(eq, DType::f32, {of(NAN), of(NAN)}, DType::boolean) == 0);
    CHECK(apply(ne, DType::f32, {of(NAN), of(NAN)}, DType::boolean) == 1);
    CHECK(apply(eq, DType::f32, {of(0.0F), of(-0.0F)}, DType::boolean) == 1);
    CHECK(apply(ge, DType::f32, {of(NAN), of(1.0F)}, DType::boolean) == 0);
    CHECK(apply(OpKind::isinf, DType::bf16, {0xff80}, DType::boolean) == 1);
    CHECK(apply(OpKind::isnan, DType::f16, {0x7c01}, DType::boolean) == 1);
    CHECK(apply(OpKind::isfinite, DType::f16, {0x7bff}, DType::boolean) == 1);
    CHECK(f32(OpKind::rsqrt, -0.0F) == -INFINITY);
}

TEST_CASE("quotients and remainders of floats round down") {
    CHECK(f32(floordiv, 7, 2) == 3);
    CHECK(f32(floordiv, -7, 2) == -4);
    CHECK(f32(floordiv, 1, 0) == INFINITY);
    CHECK(f32(mod, 7, 3) == 1);
    CHECK(f32(mod, -7, 3) == 2);
    CHECK(f32(mod, 7, -3) == -2);
    CHECK(f32(mod, -7, -3) == -1);
    CHECK(f32(mod, 5, INFINITY) == 5);
    CHECK(f32(mod, -5, INFINITY) == INFINITY);
    CHECK(std::isnan(f32(mod, 5, 0)));
    CHECK(std::isnan(f32(mod, INFINITY, 5)));
    CHECK(std::signbit(f32(mod, 6, -3)));
    CHECK(!std::signbit(f32(mod, -6, 3)));
    CHECK(f32(mod, 0x1p100F, 3) == 1);  // exact, though the quotient is not
}

TEST_CASE("functions with a bound are the rounded result of a wider one") {
    CHECK(f32(OpKind::exp, 1) == 2.7182817F);
    CHECK(f32(OpKind::log, 10) == 2.3025851F);
    CHECK(f32(OpKind::tanh, 0.5F) == 0.46211717F);
    CHECK(f32(OpKind::erf, 1) == 0.84270078F);
    CHECK(f32(OpKind::pow, 2, 0.5F) == 1.4142135F);
    CHECK(f32(OpKind::atan2, -1, -1) == -2.3561945F);
    CHECK(apply(OpKind::exp, DType::f64, {of(1.0)}) == of(2.718281828459045));
    CHECK(!is_exact(OpKind::exp, DType::f32));
    CHECK(!is_exact(OpKind::pow, DType::f64));
    CHECK(is_exact(OpKind::pow, DType::i32));
    CHECK(is_exact(OpKind::fma, DType::f32));
    CHECK(is_exact(cast, DType::f32));
}

TEST_CASE("constants keep their bits") {
    for (DType type : {DType::f16, DType::bf16, DType::fp8_e4m3, DType::fp6_e2m3, DType::f32, DType::f64}) {
        for (double value : {0.0, -0.0, 1.0, -0.5, 0.1, 3.0}) {
            const Bits bits = cast_scalar(DType::f64, type, of(value));
            Attrs attrs{{Attr::value, constant_value(type, bits)}, {Attr::type, type}};
            CHECK(constant_bits(attrs) == bits);
        }
    }
    Attrs large{{Attr::value, constant_value(DType::u64, ~Bits{0})}, {Attr::type, DType::u64}};
    CHECK(constant_bits(large) == ~Bits{0});
}

TEST_CASE("bitcasts keep the bits in the form of the new type") {
    CHECK(apply(bitcast, DType::f32, {of(-1.0F)}, DType::i32) == 0xffffffffbf800000);
    CHECK(apply(bitcast, DType::f32, {of(-1.0F)}, DType::u32) == 0xbf800000);
    CHECK(apply(bitcast, DType::i32, {0xffffffffbf800000}, DType::f32) == of(-1.0F));
    CHECK(apply(bitcast, DType::i8, {canonical(DType::i8, 0x80)}, DType::fp8_e4m3) == 0x80);
}

}  // namespace scalar_floats_test
