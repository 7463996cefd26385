// The error of every elementary function in units in the last place, against the C library in long double, and the
// values at the ends of its domain.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <unordered_map>

#include <doctest/doctest.h>

#include "ir/build/builder.h"
#include "ir/law/scalar.h"
#include "ir/ops/record.h"
#include "ir/passes/math/expand_math.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

// A function of scalars, expanded, run operation by operation.
class Expanded {
public:
    Expanded(OpKind kind, DType type, size_t operands) : type_(type) {
        Values params;
        for (size_t i = 0; i < operands; ++i) params.push_back(function_.add_arg(function_.body, Type::scalar(type)));
        Builder builder = Builder::at_end(function_, function_.body);
        ValueId result = builder.element(kind, params);
        builder.yield({result});
        expand_math(function_);
    }

    double operator()(double x, double y = 0) {
        bits_.assign(function_.value_count(), 0);
        double inputs[] = {x, y};
        for (size_t i = 0; i < function_.params().size(); ++i) set(function_.params()[i], encode(inputs[i]));
        auto results = run(function_.body);
        return decode(bits_[results[0].index]);
    }

    [[nodiscard]] bool computes_in(DType type) const {
        for (size_t i = 0; i < function_.value_count(); ++i) {
            if (function_.type(ValueId(i)).elem == type) return true;
        }
        return false;
    }

private:
    [[nodiscard]] Bits encode(double x) const {
        return type_ == DType::f64 ? std::bit_cast<uint64_t>(x) : std::bit_cast<uint32_t>(static_cast<float>(x));
    }
    [[nodiscard]] double decode(Bits bits) const {
        return type_ == DType::f64 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
    }
    void set(ValueId value, Bits bits) { bits_[value.index] = bits; }

    const Values& run(RegionId region) {
        for (OpId id : function_.region(region).ops) {
            const Op& op = function_.op(id);
            if (op.kind == OpKind::yield) return op.operands;
            if (op.kind == OpKind::constant) {
                set(op.results[0], constant_bits(op.attrs));
                continue;
            }
            if (op.kind == OpKind::if_) {
                const Values& given = run(op.regions[bits_[op.operands[0].index] != 0 ? 0 : 1]);
                for (size_t i = 0; i < given.size(); ++i) set(op.results[i], bits_[given[i].index]);
                continue;
            }
            std::vector<Bits> operands;
            for (ValueId v : op.operands) operands.push_back(bits_[v.index]);
            DType from = function_.type(op.kind == OpKind::select ? op.operands[1] : op.operands[0]).elem;
            if (op.kind == OpKind::table) {
                set(op.results[0], table_element(op.attrs, operands[0]));
                continue;
            }
            auto made = fold(op.kind, from, function_.type(op.results[0]).elem, operands);
            REQUIRE(made.has_value());
            set(op.results[0], *made);
        }
        FAIL("a region without a yield");
        return function_.op(function_.region(region).ops.back()).operands;
    }

    DType type_;
    Function function_;
    std::vector<Bits> bits_;
};

double ulps(double got, long double want, DType type) {
    if (std::isnan(got) && std::isnan(want)) return 0;
    if (std::isinf(got) || std::isinf(want)) {
        // Beyond the middle between the largest number and the power of two behind it.
        const int last = type == DType::f32 ? 127 : 1023;
        const long double end = std::ldexp(2 - std::ldexp(1.0L, type == DType::f32 ? -24 : -53), last);
        bool overflows = std::fabs(want) >= end && std::isinf(got) && std::signbit(got) == std::signbit(want);
        return got == static_cast<double>(want) || overflows ? 0 : 1e30;
    }
    int exponent = 0;
    std::frexp(want, &exponent);
    int lowest = type == DType::f32 ? -148 : -1073;
    int unit = std::max(exponent - (type == DType::f32 ? 24 : 53), lowest - 1);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, unit));
}

struct Case {
    const char* name;
    OpKind kind;
    long double (*reference)(long double);
    double low, high;
};

double worst(const Case& c, DType type, int count) {
    Expanded f(c.kind, type, 1);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(c.low, c.high);
    double most = 0;
    for (int i = 0; i < count; ++i) {
        double x = uniform(random);
        if (i % 3 == 1) x *= std::ldexp(1.0, -static_cast<int>(random() % 40));  // small ones too
        if (x < c.low) x = c.low;
        if (type == DType::f32) x = static_cast<float>(x);
        double error = ulps(f(x), c.reference(x), type);
        if (error > most) most = error;
        if (error > 1e6) MESSAGE(c.name << " of " << x << " gives " << f(x));
    }
    return most;
}

double bound(OpKind kind, DType type) {
    const ErrorBound& error = record(kind).error;
    REQUIRE(error.exactness == Exactness::bounded);
    return type == DType::f32 ? error.f32 : error.f64;
}

long double rsqrt_reference(long double x) { return 1 / std::sqrt(x); }

const Case kCases[] = {
    {"exp", OpKind::exp, std::exp, -104, 89},
    {"exp2", OpKind::exp2, std::exp2, -150, 128},
    {"expm1", OpKind::expm1, std::expm1, -30, 80},
    {"log", OpKind::log, std::log, 1e-38, 1e38},
    {"log near 1", OpKind::log, std::log, 0.5, 2},
    {"log2", OpKind::log2, std::log2, 1e-38, 1e38},
    {"log2 near 1", OpKind::log2, std::log2, 0.7, 1.4},
    {"log10", OpKind::log10, std::log10, 1e-38, 1e38},
    {"log1p", OpKind::log1p, std::log1p, -0.99, 1000},
    {"sin", OpKind::sin, std::sin, -1000, 1000},
    {"cos", OpKind::cos, std::cos, -1000, 1000},
    {"sin of large", OpKind::sin, std::sin, -1e14, 1e14},
    {"tan", OpKind::tan, std::tan, -1000, 1000},
    {"asin", OpKind::asin, std::asin, -1, 1},
    {"acos", OpKind::acos, std::acos, -1, 1},
    {"atan", OpKind::atan, std::atan, -100, 100},
    {"sinh", OpKind::sinh, std::sinh, -89.4, 89.4},
    {"cosh", OpKind::cosh, std::cosh, -89.4, 89.4},
    {"tanh", OpKind::tanh, std::tanh, -20, 20},
    {"erf", OpKind::erf, std::erf, -7, 7},
    {"cbrt", OpKind::cbrt, std::cbrt, -1e30, 1e30},
    {"cbrt of subnormal", OpKind::cbrt, std::cbrt, -1e-38, 1e-38},
    {"rsqrt", OpKind::rsqrt, rsqrt_reference, 1e-30, 1e30},
};

}  // namespace

TEST_CASE("elementary functions keep their bounds") {
    for (const Case& c : kCases) {
        CAPTURE(std::string(c.name));
        CHECK(worst(c, DType::f32, 3000) <= bound(c.kind, DType::f32));
        CHECK(worst(c, DType::f64, 1500) <= bound(c.kind, DType::f64));
    }
}

TEST_CASE("functions keep their bounds for arguments of every exponent and sign, and keep the sign of zero") {
    std::mt19937_64 random(3);
    for (DType type : {DType::f32, DType::f64}) {
        const int significand = type == DType::f32 ? 23 : 52;
        const uint64_t below = (uint64_t{1} << significand) - 1;
        const uint64_t ends = type == DType::f32 ? 512 : 4096;  // signs and exponents
        for (const Case& c : kCases) {
            Expanded f(c.kind, type, 1);
            double most = 0;
            CAPTURE(std::string(c.name));
            for (uint64_t top = 0; top < ends; top += type == DType::f32 || top % 2048 == 0 ? 1 : random() % 13) {
                for (int i = 0; i < 5; ++i) {
                    const uint64_t bits = top << significand | (i == 0 ? 0 : i == 1 ? below : random() & below);
                    const double x = type == DType::f32 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                                        : std::bit_cast<double>(bits);
                    const double got = f(x);
                    const long double want = c.reference(x);
                    const double error = ulps(got, want, type);
                    if (error > bound(c.kind, type)) MESSAGE(c.name << " of " << x << " gives " << got);
                    if (want == 0) CHECK(std::signbit(got) == std::signbit(want));
                    most = std::max(most, error);
                }
            }
            CHECK(most <= bound(c.kind, type));
        }
    }
}

TEST_CASE("sine, cosine and tangent near multiples of pi/2, and of huge arguments") {
    for (auto [kind, reference] : {std::pair{OpKind::sin, +[](long double x) { return std::sin(x); }},
                                   std::pair{OpKind::cos, +[](long double x) { return std::cos(x); }},
                                   std::pair{OpKind::tan, +[](long double x) { return std::tan(x); }}}) {
        Expanded f(kind, DType::f32, 1);
        Expanded wide(kind, DType::f64, 1);
        std::vector<float> all{1e16F, 3.4e38F, 1.7e30F, -2.5e20F, -9.03737e27F, 99999.99F, 100000.0F, -58198.0039F};
        for (int n = 1; n < 63660; n += n < 100 ? 1 : 211) {
            all.push_back(static_cast<float>(n * std::numbers::pi / 2));
            all.push_back(std::nextafter(all.back(), 0.0F));
        }
        for (float x : all) {
            CAPTURE(x);
            CHECK(ulps(f(x), reference(x), DType::f32) <= bound(kind, DType::f32));
            const double near = x < 1e6F ? std::round(x / std::numbers::pi * 2) * std::numbers::pi / 2 : x * 1e200;
            CHECK(ulps(wide(near), reference(near), DType::f64) <= bound(kind, DType::f64));
        }
    }
}

TEST_CASE("f32 functions are computed without f64") {
    for (const Case& c : kCases) CHECK(!Expanded(c.kind, DType::f32, 1).computes_in(DType::f64));
    for (OpKind kind : {OpKind::pow, OpKind::atan2}) CHECK(!Expanded(kind, DType::f32, 2).computes_in(DType::f64));
}

TEST_CASE("pow and atan2") {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> wide(-6, 6);
    for (DType type : {DType::f32, DType::f64}) {
        Expanded power(OpKind::pow, type, 2);
        Expanded angle(OpKind::atan2, type, 2);
        double worst_power = 0;
        double worst_angle = 0;
        for (int i = 0; i < 2000; ++i) {
            double x = std::exp2(wide(random));
            double y = wide(random) * 3;
            if (type == DType::f32) x = static_cast<float>(x), y = static_cast<float>(y);
            worst_power = std::max(worst_power, ulps(power(x, y), std::pow(static_cast<long double>(x), y), type));
            double u = wide(random);
            if (type == DType::f32) u = static_cast<float>(u);
            worst_angle = std::max(worst_angle, ulps(angle(u, y), std::atan2(static_cast<long double>(u), y), type));
        }
        CHECK(worst_power <= bound(OpKind::pow, type));
        CHECK(worst_angle <= bound(OpKind::atan2, type));
        const double inf = std::numeric_limits<double>::infinity();
        CHECK(power(-2, 3) == -8);
        CHECK(power(0, 0) == 1);
        CHECK(power(-0.0, -3) == -inf);
        CHECK(power(inf, 0.5) == inf);
        CHECK(power(0.5, inf) == 0);
        CHECK(power(1, inf) == 1);
        CHECK(std::isnan(power(-2, 0.5)));
        CHECK(power(-2, -3) == -0.125);
        CHECK(power(-1, inf) == 1);
        CHECK(power(0.5, -inf) == inf);
        CHECK(power(-inf, 3) == -inf);
        CHECK(power(-inf, -4) == 0);
        CHECK(std::signbit(power(-0.0, 3)));
        CHECK(!std::signbit(power(-0.0, 2)));
        CHECK(power(std::nan(""), 0) == 1);
        CHECK(power(1, std::nan("")) == 1);
        CHECK(std::isnan(power(std::nan(""), 1)));
        CHECK(std::isnan(power(2, std::nan(""))));
        CHECK(power(2, -149) == std::ldexp(1.0, -149));
        CHECK(power(std::ldexp(1.0, -149), 0.5) == doctest::Approx(std::ldexp(std::sqrt(0.5), -74)));
        CHECK(angle(0.0, -1.0) == doctest::Approx(std::numbers::pi));
        CHECK(std::signbit(angle(-0.0, 1.0)));
        CHECK(angle(inf, inf) == doctest::Approx(std::numbers::pi / 4));
    }
}

TEST_CASE("ends of the domains") {
    const double inf = std::numeric_limits<double>::infinity();
    for (DType type : {DType::f32, DType::f64}) {
        auto at = [&](OpKind kind, double x) { return Expanded(kind, type, 1)(x); };
        CHECK(at(OpKind::exp, inf) == inf);
        CHECK(at(OpKind::exp, -inf) == 0);
        CHECK(std::isnan(at(OpKind::exp, std::nan(""))));
        CHECK(at(OpKind::rsqrt, 0) == inf);
        CHECK(at(OpKind::rsqrt, inf) == 0);
        CHECK(at(OpKind::rsqrt, 4) == 0.5);
        CHECK(std::isnan(at(OpKind::rsqrt, -4)));
        CHECK(at(OpKind::log, 0) == -inf);
        CHECK(at(OpKind::log, inf) == inf);
        CHECK(std::isnan(at(OpKind::log, -1)));
        CHECK(std::isnan(at(OpKind::log, std::nan(""))));
        CHECK(at(OpKind::log1p, -1) == -inf);
        CHECK(at(OpKind::log1p, inf) == inf);
        CHECK(at(OpKind::tanh, inf) == 1);
        CHECK(at(OpKind::tanh, -inf) == -1);
        CHECK(at(OpKind::erf, inf) == 1);
        CHECK(at(OpKind::cbrt, -inf) == -inf);
        CHECK(at(OpKind::cbrt, -27) == -3);
        CHECK(std::signbit(at(OpKind::cbrt, -0.0)));
        CHECK(std::isnan(at(OpKind::sin, inf)));
        CHECK(std::isnan(at(OpKind::asin, 1.5)));
        CHECK(at(OpKind::atan, inf) == doctest::Approx(std::numbers::pi / 2));
        CHECK(at(OpKind::sinh, inf) == inf);
        CHECK(at(OpKind::expm1, -inf) == -1);
        CHECK(std::signbit(at(OpKind::sin, -0.0)));
        CHECK(std::signbit(at(OpKind::tanh, -0.0)));
        CHECK(at(OpKind::sign, -7) == -1);
        CHECK(!std::signbit(at(OpKind::sign, -0.0)));
        CHECK(std::isnan(at(OpKind::sign, std::nan(""))));
    }
}
