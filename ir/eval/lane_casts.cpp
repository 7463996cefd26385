// Loops of `cast`: one rounding to nearest even; to integers toward zero, saturating; between integers wrapping.
#include "ir/eval/lane_element.h"
#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

// An integer as a double that a second rounding to 16 bits or fewer rounds as the integer itself: to odd past 2^53.
template <typename T>
double to_odd(T value) {
    const bool negative = value < 0;
    auto magnitude = static_cast<uint64_t>(static_cast<int64_t>(value));
    if (negative) magnitude = uint64_t{0} - magnitude;
    double wide = 0;
    if (magnitude >> 53 == 0) {
        wide = static_cast<double>(magnitude);
    } else {
        const uint64_t kept = magnitude >> 11 | ((magnitude & 0x7FFU) != 0 ? 1U : 0U);
        wide = static_cast<double>(kept) * 2048.0;
    }
    return negative ? -wide : wide;
}

template <typename To, typename From>
To saturate(From value) {
    constexpr To lowest = std::numeric_limits<To>::min();
    constexpr To highest = std::numeric_limits<To>::max();
    // 2^digits is a float of every type here and the first value past the highest.
    constexpr To half = highest / 2 + 1;
    const From end = static_cast<From>(half) * From{2};
    if (value != value) return 0;
    if (value <= static_cast<From>(lowest)) return lowest;
    return value >= end ? highest : static_cast<To>(value);
}

// One element of value type V to what `To` stores.
template <typename To>
struct Into;
template <>
struct Into<Bool> {
    template <typename V>
    static uint8_t of(V value) {
        return value != 0;
    }
};
template <>
struct Into<Int4> {
    template <typename V>
    static int8_t of(V value) {
        if constexpr (kInteger<V>) {
            return static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(value) << 4) >> 4);
        } else {
            if (value != value) return 0;
            return value <= V{-8} ? int8_t{-8} : value >= V{7} ? int8_t{7} : static_cast<int8_t>(value);
        }
    }
};
template <typename T>
struct Into<Plain<T>> {
    template <typename V>
    static T of(V value) {
        if constexpr (kInteger<T> && !kInteger<V>)
            return saturate<T>(value);
        else
            return static_cast<T>(value);
    }
};
template <typename To>
typename To::Stored into_narrow(auto value) {
    if constexpr (kInteger<decltype(value)>)
        return To::store(to_odd(value));
    else
        return To::store(value);
}
template <>
struct Into<Half> {
    static uint16_t of(auto value) { return into_narrow<Half>(value); }
};
template <>
struct Into<BFloat> {
    static uint16_t of(auto value) { return into_narrow<BFloat>(value); }
};
template <const FloatFormat& format>
struct Into<Small<format>> {
    static uint8_t of(auto value) { return into_narrow<Small<format>>(value); }
};
template <>
struct Into<Scale> {
    static uint8_t of(auto value) { return into_narrow<Scale>(value); }
};

template <typename From, typename To>
void cast(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<typename To::Stored*>(result);
    const auto* x = static_cast<const typename From::Stored*>(a);
    // From one size to another the loop must not run in place; who allocates results keeps them apart.
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = Into<To>::of(From::load(x[i]));
}

template <typename From>
LaneFn cast_from(DType to) {
    switch (to) {
        case DType::boolean:
            return &cast<From, Bool>;
        case DType::i4:
            return &cast<From, Int4>;
        case DType::i8:
            return &cast<From, Plain<int8_t>>;
        case DType::i16:
            return &cast<From, Plain<int16_t>>;
        case DType::i32:
            return &cast<From, Plain<int32_t>>;
        case DType::i64:
        case DType::index:
            return &cast<From, Plain<int64_t>>;
        case DType::u8:
            return &cast<From, Plain<uint8_t>>;
        case DType::u16:
            return &cast<From, Plain<uint16_t>>;
        case DType::u32:
            return &cast<From, Plain<uint32_t>>;
        case DType::u64:
            return &cast<From, Plain<uint64_t>>;
        case DType::f64:
            return &cast<From, Plain<double>>;
        case DType::f32:
            return &cast<From, Plain<float>>;
        case DType::f16:
            return &cast<From, Half>;
        case DType::bf16:
            return &cast<From, BFloat>;
        case DType::fp8_e4m3:
            return &cast<From, Small<kE4M3>>;
        case DType::fp8_e5m2:
            return &cast<From, Small<kE5M2>>;
        case DType::fp6_e3m2:
            return &cast<From, Small<kE3M2>>;
        case DType::fp6_e2m3:
            return &cast<From, Small<kE2M3>>;
        case DType::fp4_e2m1:
            return &cast<From, Small<kE2M1>>;
        case DType::e8m0:
            return &cast<From, Scale>;
        case DType::c64:
            return nullptr;
    }
    return nullptr;
}

void copy_bytes(void* result, const void* a, const void*, const void*, size_t n) {
    for (size_t i = 0; i < n; ++i) static_cast<uint8_t*>(result)[i] = static_cast<const uint8_t*>(a)[i];
}
template <typename T>
void copy(void* result, const void* a, const void*, const void*, size_t n) {
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) static_cast<T*>(result)[i] = static_cast<const T*>(a)[i];
}

}  // namespace

LaneFn cast_loop(DType from, DType to) {
    if (from == to && from != DType::c64) {
        const size_t size = stored_size(from);
        return size == 1 ? &copy_bytes : size == 2 ? &copy<uint16_t> : size == 4 ? &copy<uint32_t> : &copy<uint64_t>;
    }
    switch (from) {
        case DType::boolean:
            return cast_from<Bool>(to);
        case DType::i4:
        case DType::i8:
            return cast_from<Plain<int8_t>>(to);
        case DType::i16:
            return cast_from<Plain<int16_t>>(to);
        case DType::i32:
            return cast_from<Plain<int32_t>>(to);
        case DType::i64:
        case DType::index:
            return cast_from<Plain<int64_t>>(to);
        case DType::u8:
            return cast_from<Plain<uint8_t>>(to);
        case DType::u16:
            return cast_from<Plain<uint16_t>>(to);
        case DType::u32:
            return cast_from<Plain<uint32_t>>(to);
        case DType::u64:
            return cast_from<Plain<uint64_t>>(to);
        case DType::f64:
            return cast_from<Plain<double>>(to);
        case DType::f32:
            return cast_from<Plain<float>>(to);
        case DType::f16:
            return cast_from<Half>(to);
        case DType::bf16:
            return cast_from<BFloat>(to);
        case DType::fp8_e4m3:
            return cast_from<Small<kE4M3>>(to);
        case DType::fp8_e5m2:
            return cast_from<Small<kE5M2>>(to);
        case DType::fp6_e3m2:
            return cast_from<Small<kE3M2>>(to);
        case DType::fp6_e2m3:
            return cast_from<Small<kE2M3>>(to);
        case DType::fp4_e2m1:
            return cast_from<Small<kE2M1>>(to);
        case DType::e8m0:
            return cast_from<Scale>(to);
        case DType::c64:
            return nullptr;
    }
    return nullptr;
}

}  // namespace tsr::ir::eval::TSR_ISA
