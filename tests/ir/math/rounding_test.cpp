// `cut`, `dither` and `philox`: what kernels are compiled to against the evaluator's loops, which were written apart,
// and both against what the operations promise.
#include "ir/passes/math/rounding.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "ir/build/builder.h"
#include "ir/eval/lane_ops.h"
#include "ir/law/float_format.h"
#include "ir/law/scalar.h"
#include "ir/passes/math/expand_rounding.h"

using namespace tsr;
using namespace tsr::ir;

namespace rounding_test_test {

namespace {

// One operation, expanded, run operation by operation.
class Expanded {
public:
    Expanded(OpKind kind, const std::vector<DType>& operands, const Attrs& attrs) {
        Values params;
        for (const DType type : operands) params.push_back(function_.add_arg(function_.body, Type::scalar(type)));
        Builder builder = Builder::at_end(function_, function_.body);
        builder.yield({builder.value(kind, params, attrs)});
        expand_rounding(function_);
        for (const OpId id : function_.region(function_.body).ops) REQUIRE(function_.op(id).kind != kind);
    }
    // A formula of one operand.
    explicit Expanded(math::Term (*formula)(math::Term), DType type) {
        const ValueId x = function_.add_arg(function_.body, Type::scalar(type));
        Builder builder = Builder::at_end(function_, function_.body);
        builder.yield({formula({&builder, x}).id});
    }

    Bits operator()(const std::vector<Bits>& operands) {
        bits_.assign(function_.value_count(), 0);
        for (size_t i = 0; i < operands.size(); ++i) bits_[function_.params()[i].index] = operands[i];
        for (const OpId id : function_.region(function_.body).ops) {
            const Op& op = function_.op(id);
            if (op.kind == OpKind::yield) return bits_[op.operands[0].index];
            bits_[op.results[0].index] = op.kind == OpKind::constant ? constant_bits(op.attrs) : value(op);
        }
        return 0;
    }

private:
    [[nodiscard]] Bits value(const Op& op) const {
        std::vector<Bits> operands;
        for (const ValueId v : op.operands) operands.push_back(bits_[v.index]);
        const DType from = function_.type(op.operands[op.kind == OpKind::select ? 1 : 0]).elem;
        const auto made = fold(op.kind, from, function_.type(op.results[0]).elem, operands);
        REQUIRE(made.has_value());
        return *made;
    }

    Function function_;
    std::vector<Bits> bits_;
};

constexpr std::array kTargets{DType::f32,      DType::f16,      DType::bf16,     DType::fp8_e4m3,
                              DType::fp8_e5m2, DType::fp6_e3m2, DType::fp6_e2m3, DType::fp4_e2m1};

// Around each power of two, random bits, and what is no number.
std::vector<double> inputs(DType from) {
    std::vector<double> values{0.0, -0.0, INFINITY, -INFINITY, NAN, 6.1, 7.75, 447.0, 449.0, 65504.0, 65519.0, 1e30};
    std::mt19937_64 random(7);
    for (int exponent = from == DType::f64 ? -1074 : -149; exponent < (from == DType::f64 ? 1024 : 128); ++exponent) {
        const double power = std::ldexp(1.0, exponent);
        const double near = std::ldexp(1.0 + std::ldexp(static_cast<double>(random() >> 12), -52), exponent);
        for (const double value : {power, near, std::nextafter(power, 0.0),
                                   static_cast<double>(std::nextafterf(static_cast<float>(power), 0))}) {
            const double held = from == DType::f64 ? value : static_cast<double>(static_cast<float>(value));
            values.push_back(random() % 2 == 0 ? held : -held);
        }
    }
    return values;
}

Bits bits_of(DType type, double value) {
    return type == DType::f64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value));
}
double value_of(DType type, Bits bits) {
    return type == DType::f64 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

// What the evaluator's loop gives for one element.
Bits evaluated(OpKind kind, DType from, DType to, Bits x, uint32_t word) {
    const eval::LaneFn loop = eval::lane_ops().rounding(kind, from, to);
    REQUIRE((loop != nullptr));
    Bits result = 0;
    loop(&result, &x, &word, nullptr, 1);
    return result;
}

bool narrows(DType from, DType to) { return bits(to) < bits(from); }

}  // namespace

TEST_CASE("rounding toward zero gives the greatest value that is not above, on bits as in the evaluator") {
    for (const DType from : {DType::f32, DType::f64}) {
        for (const DType to : kTargets) {
            if (!narrows(from, to)) continue;
            Expanded cut(OpKind::cut, {from}, {{Attr::type, to}});
            const double largest = decode_float(to, encode_float(to, to == DType::f16    ? 65504
                                                                     : to == DType::bf16 ? 0x1.fep127
                                                                     : to == DType::f32  ? 0x1.fffffep127
                                                                                         : INFINITY));
            for (const double x : inputs(from)) {
                const Bits got = cut({bits_of(from, x)});
                REQUIRE(got == evaluated(OpKind::cut, from, to, bits_of(from, x), 0));
                const double kept = value_of(from, got);
                if (!std::isfinite(x)) {
                    REQUIRE(got == bits_of(from, x));
                    continue;
                }
                REQUIRE(std::signbit(kept) == std::signbit(x));
                REQUIRE(decode_float(to, encode_float(to, kept)) == kept);
                REQUIRE(std::fabs(kept) <= std::fabs(x));
                const double above = decode_float(to, encode_float(to, std::fabs(kept)) + 1);
                REQUIRE((std::fabs(kept) == largest || above > std::fabs(x)));
            }
        }
    }
}

TEST_CASE("rounding by chance goes up as the word says, on bits as in the evaluator") {
    std::mt19937 random(3);
    for (const DType from : {DType::f32, DType::f64}) {
        for (const DType to : kTargets) {
            if (!narrows(from, to)) continue;
            Expanded dither(OpKind::dither, {from, DType::u32}, {{Attr::type, to}});
            Expanded cut(OpKind::cut, {from}, {{Attr::type, to}});
            for (const double x : inputs(from)) {
                for (const uint32_t word : {0U, 0x80000000U, 0xFFFFFFFFU, static_cast<uint32_t>(random())}) {
                    const Bits got = dither({bits_of(from, x), word});
                    REQUIRE(got == evaluated(OpKind::dither, from, to, bits_of(from, x), word));
                    const double kept = value_of(from, got);
                    if (!std::isfinite(x) || std::fabs(x) > 3e38) continue;
                    const double lower = value_of(from, cut({bits_of(from, x)}));
                    if (word == 0 && std::fabs(lower) < 6) REQUIRE(kept == lower);
                    if (x == lower) REQUIRE(kept == x);
                }
            }
        }
    }
}

TEST_CASE("one in so many words rounds up") {
    // 1 + 3/4 of the last bit of bf16: three of four words.
    const double x = 1.0 + 0.75 / 128;
    Expanded dither(OpKind::dither, {DType::f32, DType::u32}, {{Attr::type, DType::bf16}});
    CHECK(value_of(DType::f32, dither({bits_of(DType::f32, x), 0x3FFFFFFF})) == 1.0);
    CHECK(value_of(DType::f32, dither({bits_of(DType::f32, x), 0x40000000})) == 1.0 + 1.0 / 128);
    Expanded half(OpKind::dither, {DType::f64, DType::u32}, {{Attr::type, DType::f16}});
    CHECK(value_of(DType::f64, half({bits_of(DType::f64, 0x1p-26), 0xBFFFFFFF})) == 0);
    CHECK(value_of(DType::f64, half({bits_of(DType::f64, 0x1p-26), 0xC0000000})) == 0x1p-24);
}

TEST_CASE("tf32 has 11 bits, halves go away from zero: by the table, on bits as in the evaluator") {
    struct Known {
        uint32_t from, to;
    };
    constexpr std::array kTable{
        Known{0x3f800000, 0x3f800000}, Known{0x3f800fff, 0x3f800000}, Known{0x3f801000, 0x3f802000},
        Known{0x3f803000, 0x3f804000}, Known{0xbf801000, 0xbf802000}, Known{0x3fffffff, 0x40000000},
        Known{0x3dcccccd, 0x3dccc000}, Known{0x7f7fefff, 0x7f7fe000}, Known{0x7f7fffff, 0x7f800000},
        Known{0xff7ff000, 0xff800000}, Known{0x7f800000, 0x7f800000}, Known{0xff800000, 0xff800000},
        Known{0x00000000, 0x00000000}, Known{0x80000000, 0x80000000}, Known{0x00000fff, 0x00000000},
        Known{0x00001000, 0x00002000}, Known{0x80000fff, 0x80000000}, Known{0x007ff000, 0x00800000},
        Known{0x00803000, 0x00804000}, Known{0x00801fff, 0x00802000},
    };
    Expanded rounded(math::nearest_tf32, DType::f32);
    const auto evaluated = [](uint32_t bits) {
        uint32_t result = 0;
        eval::lane_ops().nearest_tf32(&result, &bits, nullptr, nullptr, 1);
        return result;
    };
    for (const auto [from, to] : kTable) {
        CAPTURE(from);
        CHECK(rounded({from}) == to);
        CHECK(evaluated(from) == to);
    }
    for (const uint32_t nan : {0x7fc00000U, 0x7f800001U, 0xffffffffU, 0x7fffffffU}) {
        CHECK(std::isnan(value_of(DType::f32, rounded({nan}))));
        CHECK(std::isnan(value_of(DType::f32, evaluated(nan))));
    }
    std::mt19937 random(11);
    for (int round = 0; round < 100000; ++round) {
        const auto bits = static_cast<uint32_t>(random());
        if (!std::isnan(value_of(DType::f32, bits))) REQUIRE(rounded({bits}) == evaluated(bits));
    }
}

TEST_CASE("philox gives the known answers of Random123, on bits as in the evaluator") {
    // kat_vectors of Random123: philox4x32, 10 rounds, counter and key of zeros.
    constexpr std::array<uint32_t, 4> kKnown{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    Expanded philox(OpKind::philox, {DType::u64, DType::u64, DType::u64}, {});
    const eval::LaneFn loop = eval::lane_ops().element(OpKind::philox, DType::u64);
    const auto evaluate = [&](uint64_t element, uint64_t seed, uint64_t stream) {
        uint32_t word = 0;
        loop(&word, &element, &seed, &stream, 1);
        return word;
    };
    for (uint64_t i = 0; i < 4; ++i) {
        CHECK(philox({i, 0, 0}) == kKnown[i]);
        CHECK(evaluate(i, 0, 0) == kKnown[i]);
    }
    std::mt19937_64 random(5);
    for (int round = 0; round < 1000; ++round) {
        const uint64_t element = random() >> (random() % 64);
        const uint64_t seed = random();
        const uint64_t stream = random();
        REQUIRE(philox({element, seed, stream}) == evaluate(element, seed, stream));
    }
}

}  // namespace rounding_test_test
