// Elements of fewer than 8 bits in memory: the first in the lowest bits, i4 and fp4 two to a byte, fp6 four to three
// bytes; rows padded to whole packs (runtime/abi.h).
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace tsr::ir::eval {

// An element as it stands in lanes: i4 sign-extended, floats as their code.
inline uint8_t load_packed(DType type, const uint8_t* data, int64_t element) {
    const int width = bits(type);
    const int64_t bit = element * width;
    const auto* at = data + bit / 8;
    const int shift = static_cast<int>(bit % 8);
    unsigned pair = at[0];
    if (shift + width > 8) pair |= static_cast<unsigned>(at[1]) << 8;
    const unsigned code = pair >> shift & ((1U << width) - 1);
    return static_cast<uint8_t>(type == DType::i4 && (code & 8U) != 0 ? code | 0xF0U : code);
}

inline void store_packed(DType type, uint8_t* data, int64_t element, uint8_t value) {
    const int width = bits(type);
    const int64_t bit = element * width;
    auto* at = data + bit / 8;
    const int shift = static_cast<int>(bit % 8);
    const unsigned mask = ((1U << width) - 1) << shift;
    const unsigned code = (static_cast<unsigned>(value) << shift) & mask;
    at[0] = static_cast<uint8_t>((at[0] & ~mask) | code);
    if (shift + width > 8) at[1] = static_cast<uint8_t>((at[1] & ~(mask >> 8)) | code >> 8);
}

}  // namespace tsr::ir::eval
