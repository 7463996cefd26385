#include "base/dtype.h"

#include <array>
#include <numeric>

namespace tsr {

namespace {

struct Row {
    DType type;
    std::string_view name;
    int bits;
    // Values as ±significand * 2^exponent.
    int digits;        // significand bits with the hidden one; value bits of integers
    int min_exponent;  // of the lowest subnormal bit
    int max_exponent;  // of the finite value of largest magnitude: of a signed integer the lowest one
    char kind;         // b bool, s signed, u unsigned, f float, e scale, c complex
    bool infinities;
};

constexpr std::array<Row, kDTypes> kRows{{
    {DType::boolean, "bool", 8, 1, 0, 0, 'b', false},
    {DType::i4, "i4", 4, 3, 0, 3, 's', false},
    {DType::i8, "i8", 8, 7, 0, 7, 's', false},
    {DType::i16, "i16", 16, 15, 0, 15, 's', false},
    {DType::i32, "i32", 32, 31, 0, 31, 's', false},
    {DType::i64, "i64", 64, 63, 0, 63, 's', false},
    {DType::u8, "u8", 8, 8, 0, 7, 'u', false},
    {DType::u16, "u16", 16, 16, 0, 15, 'u', false},
    {DType::u32, "u32", 32, 32, 0, 31, 'u', false},
    {DType::u64, "u64", 64, 64, 0, 63, 'u', false},
    {DType::index, "index", 64, 63, 0, 63, 's', false},
    {DType::f64, "f64", 64, 53, -1074, 1023, 'f', true},
    {DType::f32, "f32", 32, 24, -149, 127, 'f', true},
    {DType::f16, "f16", 16, 11, -24, 15, 'f', true},
    {DType::bf16, "bf16", 16, 8, -133, 127, 'f', true},
    {DType::fp8_e4m3, "fp8_e4m3", 8, 4, -9, 8, 'f', false},
    {DType::fp8_e5m2, "fp8_e5m2", 8, 3, -16, 15, 'f', true},
    {DType::fp6_e3m2, "fp6_e3m2", 6, 3, -4, 4, 'f', false},
    {DType::fp6_e2m3, "fp6_e2m3", 6, 4, -3, 2, 'f', false},
    {DType::fp4_e2m1, "fp4_e2m1", 4, 2, -1, 2, 'f', false},
    {DType::e8m0, "e8m0", 8, 1, -127, 127, 'e', false},
    {DType::c64, "c64", 64, 24, -149, 127, 'c', true},
}};

const Row& row(DType type) { return kRows[static_cast<size_t>(type)]; }

struct Alias {
    std::string_view text;
    DType type;
};
constexpr std::array kAliases{
    Alias{"fp64", DType::f64},      Alias{"fp32", DType::f32},      Alias{"fp16", DType::f16},
    Alias{"float64", DType::f64},   Alias{"float32", DType::f32},   Alias{"float16", DType::f16},
    Alias{"bfloat16", DType::bf16}, Alias{"fp8", DType::fp8_e4m3},  Alias{"fp6", DType::fp6_e3m2},
    Alias{"fp4", DType::fp4_e2m1},  Alias{"int4", DType::i4},       Alias{"int8", DType::i8},
    Alias{"int16", DType::i16},     Alias{"int32", DType::i32},     Alias{"int64", DType::i64},
    Alias{"uint8", DType::u8},      Alias{"uint16", DType::u16},    Alias{"uint32", DType::u32},
    Alias{"uint64", DType::u64},    Alias{"complex64", DType::c64}, Alias{"boolean", DType::boolean},
};

}  // namespace

std::string_view name(DType type) { return row(type).name; }

std::optional<DType> dtype_named(std::string_view text) {
    for (const Row& r : kRows) {
        if (r.name == text) return r.type;
    }
    for (const Alias& a : kAliases) {
        if (a.text == text) return a.type;
    }
    return std::nullopt;
}

int bits(DType type) { return row(type).bits; }
bool is_float(DType type) { return row(type).kind == 'f'; }
bool is_integer(DType type) { return row(type).kind == 's' || row(type).kind == 'u'; }
bool is_signed(DType type) { return row(type).kind == 's' || row(type).kind == 'f'; }
bool is_packed(DType type) { return row(type).bits < 8; }
int64_t pack_size(DType type) { return std::lcm(bits(type), 8) / bits(type); }
bool is_storage_only(DType type) { return is_float(type) && row(type).bits <= 8; }

bool widens_exactly(DType from, DType to) {
    if (from == to) return true;
    const Row& a = row(from);
    const Row& b = row(to);
    if (a.kind == 'b' || b.kind == 'b' || a.kind == 'e' || b.kind == 'e' || a.kind == 'c') return false;
    if (b.kind == 'c') return a.kind == 'f' && widens_exactly(from, DType::f32);
    if (to == DType::index) return a.kind == 's';
    if (from == DType::index) return to == DType::i64;
    if (b.kind == 'f') {
        if (a.kind != 'f') return a.digits <= b.digits && a.max_exponent <= b.max_exponent;
        bool same_specials = !a.infinities || b.infinities;
        return same_specials && a.digits <= b.digits && a.min_exponent >= b.min_exponent &&
               a.max_exponent <= b.max_exponent;
    }
    if (a.kind == 'f') return false;
    if (a.kind == 's' && b.kind == 'u') return false;
    return a.digits <= b.digits;
}

}  // namespace tsr
