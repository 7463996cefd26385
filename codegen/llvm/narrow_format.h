// How narrow floats lie in their codes.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace tsr::codegen {

// A float of `exponent` and `mantissa` bits behind a sign.
struct Format {
    int exponent;
    int mantissa;
    int bias;
    uint32_t largest;   // magnitude code where overflow ends: the largest finite value, or infinity
    uint32_t nan;       // magnitude code of NaN; `largest` where there is none
    uint32_t infinity;  // magnitude code of infinity; 0 where there is none

    [[nodiscard]] int sign_shift() const { return 31 - exponent - mantissa; }
    [[nodiscard]] uint32_t sign_bit() const { return 1U << (exponent + mantissa); }
    [[nodiscard]] bool has_nan() const { return nan != largest; }
};

inline Format format_of(DType type) {
    if (type == DType::f16) return {5, 10, 15, 0x7c00, 0x7e00, 0x7c00};
    if (type == DType::fp8_e4m3) return {4, 3, 7, 0x7e, 0x7f, 0};
    if (type == DType::fp8_e5m2) return {5, 2, 15, 0x7b, 0x7f, 0x7c};
    if (type == DType::fp6_e3m2) return {3, 2, 3, 0x1f, 0x1f, 0};
    if (type == DType::fp6_e2m3) return {2, 3, 1, 0x1f, 0x1f, 0};
    return {2, 1, 1, 0x7, 0x7, 0};  // fp4_e2m1
}

}  // namespace tsr::codegen
