// Loops of `cut` and `dither`: a float in units of the last bit that a narrower format keeps, and what of it is kept.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

// The values of a format: so many bits of significand, the last one's exponent at least `least`.
struct Grid {
    int digits;
    int least;
    double largest;
};

constexpr Grid grid_of(DType type) {
    switch (type) {
        case DType::f32:
            return {24, -149, 0x1.fffffep127};
        case DType::f16:
            return {11, -24, 65504};
        case DType::bf16:
            return {8, -133, 0x1.fep127};
        case DType::fp8_e4m3:
            return {4, -9, 448};
        case DType::fp8_e5m2:
            return {3, -16, 57344};
        case DType::fp6_e3m2:
            return {3, -4, 28};
        case DType::fp6_e2m3:
            return {4, -3, 7.5};
        default:
            return {2, -1, 6};  // fp4_e2m1
    }
}

// The magnitude in units, where it is finite and not 0.
struct Units {
    double count;
    int exponent;  // of the unit
};

Units in_units(const Grid& grid, double value) {
    int above = 0;  // 2^above is the first power of two past the magnitude
    std::frexp(value, &above);
    const int exponent = std::max(above - grid.digits, grid.least);
    return {std::ldexp(std::fabs(value), -exponent), exponent};
}

template <typename T, DType to>
void cut(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* x = static_cast<const T*>(a);
    constexpr Grid kGrid = grid_of(to);
    for (size_t i = 0; i < n; ++i) {
        out[i] = x[i];
        if (!(std::fabs(x[i]) <= std::numeric_limits<T>::max()) || x[i] == 0) continue;
        const Units units = in_units(kGrid, x[i]);
        const double kept = std::min(std::ldexp(std::floor(units.count), units.exponent), kGrid.largest);
        out[i] = static_cast<T>(std::copysign(kept, x[i]));
    }
}

template <typename T, DType to>
void dither(void* result, const void* a, const void* b, const void*, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* x = static_cast<const T*>(a);
    const auto* word = static_cast<const uint32_t*>(b);
    constexpr Grid kGrid = grid_of(to);
    for (size_t i = 0; i < n; ++i) {
        out[i] = x[i];
        if (!(std::fabs(x[i]) <= std::numeric_limits<T>::max()) || x[i] == 0) continue;
        const Units units = in_units(kGrid, x[i]);
        const double kept = std::floor(units.count);
        const double fraction = std::floor((units.count - kept) * 0x1p32);
        const bool up = fraction + word[i] >= 0x1p32;
        out[i] = static_cast<T>(std::copysign(std::ldexp(up ? kept + 1 : kept, units.exponent), x[i]));
    }
}

template <typename T, DType to>
LaneFn pick(OpKind op) {
    return op == OpKind::cut ? &cut<T, to> : &dither<T, to>;
}

template <typename T>
LaneFn rounding_from(OpKind op, DType to) {
    switch (to) {
        case DType::f32:
            return pick<T, DType::f32>(op);
        case DType::f16:
            return pick<T, DType::f16>(op);
        case DType::bf16:
            return pick<T, DType::bf16>(op);
        case DType::fp8_e4m3:
            return pick<T, DType::fp8_e4m3>(op);
        case DType::fp8_e5m2:
            return pick<T, DType::fp8_e5m2>(op);
        case DType::fp6_e3m2:
            return pick<T, DType::fp6_e3m2>(op);
        case DType::fp6_e2m3:
            return pick<T, DType::fp6_e2m3>(op);
        case DType::fp4_e2m1:
            return pick<T, DType::fp4_e2m1>(op);
        default:
            return nullptr;
    }
}

}  // namespace

// The last exponent is that of f32; what is rounded past the largest f32 becomes an infinity where it is stored.
void nearest_tf32(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<float*>(result);
    const auto* x = static_cast<const float*>(a);
    constexpr Grid kGrid{11, -136, std::numeric_limits<double>::infinity()};
    for (size_t i = 0; i < n; ++i) {
        out[i] = x[i];
        if (!std::isfinite(x[i]) || x[i] == 0) continue;
        const Units units = in_units(kGrid, x[i]);
        const double magnitude = std::ldexp(std::floor(units.count + 0.5), units.exponent);
        out[i] = static_cast<float>(std::copysign(magnitude, x[i]));
    }
}

LaneFn rounding_loop(OpKind op, DType from, DType to) {
    if (from == DType::f64) return rounding_from<double>(op, to);
    return from == DType::f32 ? rounding_from<float>(op, to) : nullptr;
}

}  // namespace tsr::ir::eval::TSR_ISA
