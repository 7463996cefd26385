#include "runtime/numbers/dtypes.h"

#include <array>

namespace tsr::runtime {

namespace {

constexpr std::array<DTypeRow, TSR_DTYPES> kRows{{
    {"bool", 8, Family::boolean, TSR_DL_BOOL},
    {"i4", 4, Family::signed_integer, TSR_DL_INT},
    {"i8", 8, Family::signed_integer, TSR_DL_INT},
    {"i16", 16, Family::signed_integer, TSR_DL_INT},
    {"i32", 32, Family::signed_integer, TSR_DL_INT},
    {"i64", 64, Family::signed_integer, TSR_DL_INT},
    {"u8", 8, Family::unsigned_integer, TSR_DL_UINT},
    {"u16", 16, Family::unsigned_integer, TSR_DL_UINT},
    {"u32", 32, Family::unsigned_integer, TSR_DL_UINT},
    {"u64", 64, Family::unsigned_integer, TSR_DL_UINT},
    {"index", 64, Family::signed_integer, TSR_DL_INT},
    {"f64", 64, Family::floating, TSR_DL_FLOAT},
    {"f32", 32, Family::floating, TSR_DL_FLOAT},
    {"f16", 16, Family::floating, TSR_DL_FLOAT},
    {"bf16", 16, Family::floating, TSR_DL_BFLOAT},
    {"fp8_e4m3", 8, Family::floating, TSR_DL_FLOAT8_E4M3FN},
    {"fp8_e5m2", 8, Family::floating, TSR_DL_FLOAT8_E5M2},
    {"fp6_e3m2", 6, Family::floating, TSR_DL_FLOAT6_E3M2FN},
    {"fp6_e2m3", 6, Family::floating, TSR_DL_FLOAT6_E2M3FN},
    {"fp4_e2m1", 4, Family::floating, TSR_DL_FLOAT4_E2M1FN},
    {"e8m0", 8, Family::scale, TSR_DL_FLOAT8_E8M0FNU},
    {"c64", 64, Family::complex, TSR_DL_COMPLEX},
}};

}  // namespace

const DTypeRow& row(int32_t dtype) { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace tsr::runtime
