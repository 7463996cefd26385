// What is true of each element type: its name, its storage, its number for DLPack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/abi.h"

namespace tsr::runtime {

enum class Family : uint8_t { boolean, signed_integer, unsigned_integer, floating, scale, complex };

struct DTypeRow {
    std::string_view name;
    int bits;
    Family family;
    TsrDLTypeCode dlpack;
};

const DTypeRow& row(int32_t dtype);
inline std::string_view name(int32_t dtype) { return row(dtype).name; }
inline int bits(int32_t dtype) { return row(dtype).bits; }
inline Family family(int32_t dtype) { return row(dtype).family; }
inline bool is_packed(int32_t dtype) { return row(dtype).bits < 8; }

// Elements that together fill whole bytes: 2 for 4 bits (one byte), 4 for 6 bits (three bytes), else 1.
inline int pack_elements(int32_t dtype) {
    int b = bits(dtype);
    return b == 4 ? 2 : b == 6 ? 4 : 1;
}
inline int pack_bytes(int32_t dtype) { return bits(dtype) * pack_elements(dtype) / 8; }

// index is stored as i64 and interchangeable with it.
inline bool same_storage(int32_t a, int32_t b) {
    return a == b || (a == TSR_INDEX && b == TSR_I64) || (a == TSR_I64 && b == TSR_INDEX);
}

}  // namespace tsr::runtime
