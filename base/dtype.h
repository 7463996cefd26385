// Element types: storage formats of scalars (language reference, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tsr {

enum class DType : uint8_t {
    boolean,
    i4,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    index,  // signed, 64 bits in meaning
    f64,
    f32,
    f16,
    bf16,
    fp8_e4m3,
    fp8_e5m2,
    fp6_e3m2,
    fp6_e2m3,
    fp4_e2m1,
    e8m0,  // a scale: powers of two
    c64,
};
inline constexpr int kDTypes = 22;

// The name in source text and in IR text: "f32", "bool", "fp8_e4m3".
std::string_view name(DType type);
// Accepts every alias: "fp32", "float32", "fp8", "int8".
std::optional<DType> dtype_named(std::string_view text);

// Bits in storage; packed types give 4 and 6.
int bits(DType type);
bool is_float(DType type);         // f64 … fp4_e2m1; not e8m0, not c64
bool is_integer(DType type);       // i4 … index; not bool
bool is_signed(DType type);        // signed integers and floats
bool is_packed(DType type);        // several elements share a byte
int64_t pack_size(DType type);     // elements in the fewest whole bytes
bool is_storage_only(DType type);  // floats of 8 bits or fewer: computed in the compute type

// True when every value of `from` is a value of `to` (language reference, numerics rule 1).
bool widens_exactly(DType from, DType to);

}  // namespace tsr
