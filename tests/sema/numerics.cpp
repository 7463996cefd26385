// The rules of numerics on element types and policies, against the language's tables (section 3, "Numerics as types").
#include "base/numerics.h"

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ir/law/float_format.h"
#include "ir/law/scalar.h"

using namespace tsr;

namespace {

std::vector<DType> all_types() {
    std::vector<DType> types;
    for (int i = 0; i < kDTypes; ++i) types.push_back(static_cast<DType>(i));
    return types;
}

// The types to which each widens exactly, besides itself.
const std::map<std::string, std::string> kWider = {
    {"bool", ""},
    {"i4", "i8 i16 i32 i64 index f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 fp6_e3m2"},
    {"i8", "i16 i32 i64 index f64 f32 f16 bf16"},
    {"i16", "i32 i64 index f64 f32"},
    {"i32", "i64 index f64"},
    {"i64", "index"},
    {"u8", "i16 i32 i64 u16 u32 u64 f64 f32 f16 bf16"},
    {"u16", "i32 i64 u32 u64 f64 f32"},
    {"u32", "i64 u64 f64"},
    {"u64", ""},
    {"index", "i64"},
    {"f64", ""},
    {"f32", "f64 c64"},
    {"f16", "f64 f32 c64"},
    {"bf16", "f64 f32 c64"},
    {"fp8_e4m3", "f64 f32 f16 bf16 c64"},
    {"fp8_e5m2", "f64 f32 f16 bf16 c64"},
    {"fp6_e3m2", "f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 c64"},
    {"fp6_e2m3", "f64 f32 f16 bf16 fp8_e4m3 c64"},
    {"fp4_e2m1", "f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 fp6_e3m2 fp6_e2m3 c64"},
    {"e8m0", ""},
    {"c64", ""},
};

bool widens(DType from, DType to) {
    if (from == to) return true;
    std::istringstream wider(kWider.at(std::string(name(from))));
    for (std::string word; wider >> word;) {
        if (word == name(to)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("only exact widening is implicit, for every pair of element types") {
    for (const DType a : all_types()) {
        for (const DType b : all_types()) {
            CAPTURE(name(a));
            CAPTURE(name(b));
            CHECK(widens_exactly(a, b) == widens(a, b));
            CHECK(join(a, b) == join(b, a));
            const bool with_index = a == DType::index && is_integer(b) && is_signed(b);
            if (with_index) {
                CHECK(join(a, b) == DType::index);
            } else if (b != DType::index) {
                CHECK(join(a, b) == (widens(a, b) ? std::optional(b) : widens(b, a) ? std::optional(a) : std::nullopt));
            }
            CHECK(may_stand_for(a, b) == (widens(a, b) || with_index));
        }
    }
}

namespace {

// All values of a narrow type; of a wide one those around the powers of two, where formats end.
std::vector<ir::Bits> values_of(DType type) {
    std::vector<ir::Bits> values;
    if (bits(type) <= 16) {
        for (ir::Bits raw = 0; raw < ir::Bits{1} << bits(type); ++raw) values.push_back(ir::canonical(type, raw));
        return values;
    }
    for (int bit = 0; bit < bits(type); ++bit) {
        const ir::Bits power = ir::Bits{1} << bit;
        for (const ir::Bits raw : {power - 1, power, power + 1, ~power, ~power + 1}) {
            values.push_back(ir::canonical(type, raw));
        }
    }
    return values;
}

// Whether the other type has each value: floats are compared as numbers, else a cast there and back gives it again.
bool holds_all(DType from, DType to) {
    for (const ir::Bits value : values_of(from)) {
        const ir::Bits there = ir::cast_scalar(from, to, value);
        if (is_float(from) && is_float(to)) {
            const double before = ir::decode_float(from, value), after = ir::decode_float(to, there);
            if (before != after && !(std::isnan(before) && std::isnan(after))) return false;
        } else if (ir::cast_scalar(to, from, there) != value) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("a type widens exactly to another that has all its values") {
    for (const DType from : all_types()) {
        if (!is_float(from) && !is_integer(from)) continue;
        for (const DType to : all_types()) {
            if (!is_float(to) && !is_integer(to)) continue;
            // Between integers a cast keeps the low bits, whatever they stand for; `index` is for signed ones.
            const bool same_sign = is_signed(from) == is_signed(to) && from != DType::index && to != DType::index;
            if (is_integer(from) && is_integer(to) && !same_sign) continue;
            CAPTURE(name(from));
            CAPTURE(name(to));
            CHECK(holds_all(from, to) == widens_exactly(from, to));
        }
    }
}

TEST_CASE("arithmetic works in the compute type, storage-only floats give it") {
    const Policy none;
    Policy half;
    half.compute = DType::f16;
    for (const DType type : all_types()) {
        CAPTURE(name(type));
        const bool narrow = is_float(type) && bits(type) <= 16;
        CHECK(compute_type(type, none) == (narrow ? DType::f32 : type == DType::i4 ? DType::i8 : type));
        CHECK(compute_type(type, half) == (narrow ? DType::f16 : type == DType::i4 ? DType::i8 : type));
        const bool storage = narrow && bits(type) <= 8;
        CHECK(result_type(type, half) == (storage ? DType::f16 : type == DType::i4 ? DType::i8 : type));
        // A choice rounds nothing.
        for (const Policy& policy : {none, half}) {
            const DType held = choice_type(type, policy);
            CHECK(widens_exactly(type, held));
            CHECK(widens_exactly(compute_type(type, policy), held));
        }
    }
    CHECK(choice_type(DType::bf16, half) == DType::f32);
    CHECK(choice_type(DType::f16, half) == DType::f16);
}

TEST_CASE("contractions and reductions accumulate as rule 4 says") {
    const Policy none;
    Policy wide;
    wide.accum = DType::f64;
    for (const DType type : all_types()) {
        CAPTURE(name(type));
        if (is_float(type)) {
            CHECK(accumulation_type(type, none) == (type == DType::f64 ? DType::f64 : DType::f32));
            CHECK(accumulated_type(type, none) == (bits(type) >= 16 ? type : DType::f32));
            CHECK(accumulated_type(type, wide) == (bits(type) >= 16 ? type : DType::f64));
        } else if (is_integer(type) && type != DType::index) {
            const DType sum = bits(type) <= 8 ? DType::i32 : DType::i64;
            CHECK(accumulation_type(type, none) == sum);
            CHECK(accumulated_type(type, none) == sum);
        }
        for (const DType other : all_types()) {
            CAPTURE(name(other));
            const auto product = product_type(type, other);
            CHECK(product.has_value() == product_type(other, type).has_value());
            const bool bytes = is_integer(type) && bits(type) <= 8 && is_integer(other) && bits(other) <= 8;
            const bool narrow = is_storage_only(type) && is_storage_only(other);
            if (bytes || narrow) {
                CHECK(product == type);
                CHECK(keeps_factors(*product));
            } else if (is_float(type) && is_float(other)) {
                CHECK(product == join(type, other));
            } else {
                CHECK_FALSE(product);
            }
        }
    }
    CHECK(accumulates_in(DType::fp8_e4m3, DType::f16));
    CHECK_FALSE(accumulates_in(DType::f32, DType::fp8_e5m2));
    CHECK_FALSE(accumulates_in(DType::f32, DType::i32));
    CHECK(accumulates_in(DType::i8, DType::i32));
    CHECK_FALSE(accumulates_in(DType::u8, DType::i64));
}

TEST_CASE("what is rounded to storage is held in f32 or f64 before") {
    CHECK(unrounded_type(DType::f32, DType::bf16) == DType::f32);
    CHECK(unrounded_type(DType::f16, DType::fp8_e4m3) == DType::f32);
    CHECK(unrounded_type(DType::f64, DType::f32) == DType::f64);
    CHECK_FALSE(unrounded_type(DType::bf16, DType::bf16));
    CHECK_FALSE(unrounded_type(DType::bf16, DType::f32));
    CHECK_FALSE(unrounded_type(DType::i32, DType::bf16));
}

TEST_CASE("policies are compared kind by kind, and the result has those present") {
    Policy a, b;
    a.accum = DType::f32;
    b.round = Rounding::toward_zero;
    CHECK_FALSE(policy_conflict(a, b));
    CHECK(join_policies(a, b).text() == " @accum(f32) @round(rz)");
    CHECK(join_policies(a, b) == join_policies(b, a));
    b.accum = DType::f64;
    CHECK(policy_conflict(a, b) == "accum");
    a.accum = DType::f64;
    a.compute = DType::f16;
    b.compute_tf32 = true;
    CHECK(policy_conflict(a, b) == "compute");
    a.compute.reset();
    a.round = Rounding::stochastic;
    CHECK(policy_conflict(a, b) == "round");
}
