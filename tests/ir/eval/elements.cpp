// The loops over lanes against the scalar semantics that constants are folded with, and each instruction set against
// the others: three writings of one law.
#include <cmath>
#include <cstring>
#include <random>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "ir/eval/lane_ops.h"
#include "ir/law/scalar.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {
namespace elements_test {

namespace {

constexpr DType kTypes[] = {
    DType::boolean, DType::i4,       DType::i8,       DType::i16,      DType::i32,      DType::i64,      DType::u8,
    DType::u16,     DType::u32,      DType::u64,      DType::index,    DType::f64,      DType::f32,      DType::f16,
    DType::bf16,    DType::fp8_e4m3, DType::fp8_e5m2, DType::fp6_e3m2, DType::fp6_e2m3, DType::fp4_e2m1, DType::e8m0};

std::vector<const LaneOps*> sets() {
    std::vector<const LaneOps*> all{&baseline::lane_ops()};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2::lane_ops());
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) all.push_back(&avx512::lane_ops());
#endif
    return all;
}

// Edges of the type, then bits at random, half of them small.
std::vector<Bits> samples(DType type, size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Bits> values;
    for (int64_t whole : {0, 1, -1, 2, -2, 3, 5, 7, -7, 31, 32, 64, 100, -100}) {
        values.push_back(type == DType::boolean ? static_cast<Bits>(whole & 1)
                                                : cast_scalar(DType::i64, type, static_cast<Bits>(whole)));
    }
    const int width = bits(type);
    const uint64_t top = uint64_t{1} << (width - 1);
    if (type != DType::boolean) {
        for (uint64_t raw : {uint64_t{0}, top, top - 1, top + 1, top | (top - 1), top >> 1, uint64_t{1}}) {
            values.push_back(canonical(type, raw));
        }
    }
    if (is_float(type)) {
        for (double x : {0.5, -0.5, 1.5, 2.5, 1e-3, 3.14159, 65504.0, 65520.0, 1e30, -1e30, 1e-40, HUGE_VAL, -HUGE_VAL,
                         std::nan(""), 448.0, 464.0, 57344.0, 0x1p-24, 0x1.8p-25}) {
            uint64_t raw = 0;
            std::memcpy(&raw, &x, 8);
            values.push_back(cast_scalar(DType::f64, type, raw));
        }
    }
    while (values.size() < count) {
        const uint64_t raw = random() >> (random() % 2 == 0 ? 0 : random() % 64);
        values.push_back(type == DType::boolean ? raw & 1 : canonical(type, raw));
    }
    return values;
}

std::vector<uint8_t> stored(DType type, const std::vector<Bits>& values) {
    const size_t size = stored_size(type);
    std::vector<uint8_t> bytes(values.size() * size);
    for (size_t i = 0; i < values.size(); ++i) std::memcpy(bytes.data() + i * size, &values[i], size);
    return bytes;
}

Bits element(DType type, const std::vector<uint8_t>& bytes, size_t i) {
    uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + i * stored_size(type), stored_size(type));
    return canonical(type, raw);
}

bool is_nan(DType type, Bits value) {
    if (type == DType::e8m0) return value == 0xFF;
    if (!is_float(type)) return false;
    const Bits wide = cast_scalar(type, DType::f64, value);
    double x = 0;
    std::memcpy(&x, &wide, 8);
    // A format without NaN has its largest value instead, which is compared as such.
    return std::isnan(x);
}

// NaN has no fixed bits in floats of more than 8; all else has.
bool same(DType type, Bits a, Bits b) {
    return a == b || (!is_storage_only(type) && is_nan(type, a) && is_nan(type, b));
}

size_t operand_count(OpKind kind) { return record(kind).operands.size(); }

void check_element(OpKind kind, DType type, const LaneOps& ops) {
    if (kind == OpKind::philox) return;  // tests/ir/math holds it against what it is compiled to
    const LaneFn loop = ops.element(kind, type);
    const ScalarFn law = scalar_function(kind, type);
    const auto inferred = infer(kind, std::vector<Type>(operand_count(kind), Type::scalar(type)), {});
    if (loop == nullptr || !inferred) return;
    REQUIRE_MESSAGE((law != nullptr), fmt::format("{} {}", name(kind), tsr::name(type)));
    constexpr size_t kCount = 700;
    std::vector<Bits> operands[3];
    std::vector<uint8_t> bytes[3];
    for (size_t k = 0; k < 3; ++k) {
        operands[k] = samples(type, kCount, k + 1);
        // Each edge meets each other one.
        for (size_t i = 0; k > 0 && i < kCount; ++i) operands[k][i] = operands[k][(i * (k == 1 ? 37 : 113)) % kCount];
        bytes[k] = stored(type, operands[k]);
    }
    const bool tests = inferred.value().types[0].elem == DType::boolean;
    const DType to = tests ? DType::boolean : type;
    std::vector<uint8_t> result(kCount * stored_size(to));
    loop(result.data(), bytes[0].data(), bytes[1].data(), bytes[2].data(), kCount);
    for (size_t i = 0; i < kCount; ++i) {
        const Bits given[] = {operands[0][i], operands[1][i], operands[2][i]};
        const Bits expected = law(given, type, to);
        const Bits got = element(to, result, i);
        REQUIRE_MESSAGE(same(to, got, expected),
                        fmt::format("{} {} of {:#x} {:#x} {:#x}: {:#x}, expected {:#x}", name(kind), tsr::name(type),
                                    given[0], given[1], given[2], got, expected));
    }
}

TEST_CASE("element operations are those of the scalar law, in every instruction set") {
    size_t checked = 0;
    for (const LaneOps* ops : sets()) {
        for (size_t kind = 0; kind < static_cast<size_t>(OpKind::constant); ++kind) {
            for (DType type : kTypes) {
                if (ops->element(static_cast<OpKind>(kind), type) != nullptr) ++checked;
                check_element(static_cast<OpKind>(kind), type, *ops);
            }
        }
    }
    CHECK(checked / sets().size() > 250);
}

TEST_CASE("every exact operation of the scalar law has its loop") {
    for (size_t k = 0; k < static_cast<size_t>(OpKind::constant); ++k) {
        const auto kind = static_cast<OpKind>(k);
        if (kind == OpKind::select || kind == OpKind::cast || kind == OpKind::bitcast) continue;
        for (DType type : kTypes) {
            if (scalar_function(kind, type) == nullptr || !is_exact(kind, type)) continue;
            CHECK_MESSAGE((lane_ops().element(kind, type) != nullptr),
                          fmt::format("{} {}", name(kind), tsr::name(type)));
        }
    }
}

TEST_CASE("casts are those of the scalar law, in every instruction set") {
    for (const LaneOps* ops : sets()) {
        for (DType from : kTypes) {
            const std::vector<Bits> values = samples(from, 3000, 9);
            const std::vector<uint8_t> bytes = stored(from, values);
            for (DType to : kTypes) {
                std::vector<uint8_t> result(values.size() * stored_size(to));
                ops->cast(from, to)(result.data(), bytes.data(), nullptr, nullptr, values.size());
                for (size_t i = 0; i < values.size(); ++i) {
                    const Bits expected = cast_scalar(from, to, values[i]);
                    const Bits got = element(to, result, i);
                    REQUIRE_MESSAGE(same(to, got, expected),
                                    fmt::format("{} {:#x} to {}: {:#x}, expected {:#x}", tsr::name(from), values[i],
                                                tsr::name(to), got, expected));
                }
            }
        }
    }
}

TEST_CASE("f32 to the 16-bit floats around every halfway point") {
    for (DType to : {DType::f16, DType::bf16}) {
        std::vector<Bits> values;
        for (uint32_t code = 0; code < 0x10000; ++code) {
            const Bits wide = cast_scalar(to, DType::f32, code);
            const uint32_t half = to == DType::f16 ? 0x1000 : 0x8000;
            for (uint32_t offset : {0U, 1U, half - 1, half, half + 1}) values.push_back((wide + offset) & 0xFFFFFFFFU);
        }
        const std::vector<uint8_t> bytes = stored(DType::f32, values);
        for (const LaneOps* ops : sets()) {
            std::vector<uint8_t> result(values.size() * 2);
            ops->cast(DType::f32, to)(result.data(), bytes.data(), nullptr, nullptr, values.size());
            for (size_t i = 0; i < values.size(); ++i) {
                const Bits expected = cast_scalar(DType::f32, to, values[i]);
                REQUIRE(same(to, element(to, result, i), expected));
            }
        }
    }
}

}  // namespace
}  // namespace elements_test

}  // namespace tsr::ir::eval
