// Loops of the element operations.
#include "ir/eval/lane_element.h"
#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

template <typename Element, typename Op>
void unary(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<typename Element::Stored*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = Element::store(Op::of(Element::load(x[i])));
}

template <typename Element, typename Op>
void binary(void* result, const void* a, const void* b, const void*, size_t n) {
    auto* out = static_cast<typename Element::Stored*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
    const auto* y = static_cast<const typename Element::Stored*>(b);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = Element::store(Op::of(Element::load(x[i]), Element::load(y[i])));
}

template <typename Element, typename Op>
void test(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<uint8_t*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = Op::of(Element::load(x[i]));
}

template <typename Element, typename Op>
void compare(void* result, const void* a, const void* b, const void*, size_t n) {
    auto* out = static_cast<uint8_t*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
    const auto* y = static_cast<const typename Element::Stored*>(b);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = Op::of(Element::load(x[i]), Element::load(y[i]));
}

// The quotient is rounded in its own type before it is rounded down.
template <typename Element>
void floor_quotient(void* result, const void* a, const void* b, const void*, size_t n) {
    auto* out = static_cast<typename Element::Stored*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
    const auto* y = static_cast<const typename Element::Stored*>(b);
    for (size_t i = 0; i < n; ++i) {
        const auto quotient = Element::store(Element::load(x[i]) / Element::load(y[i]));
        out[i] = Element::store(std::floor(Element::load(quotient)));
    }
}

template <typename Element>
void fused(void* result, const void* a, const void* b, const void* c, size_t n) {
    auto* out = static_cast<typename Element::Stored*>(result);
    const auto* x = static_cast<const typename Element::Stored*>(a);
    const auto* y = static_cast<const typename Element::Stored*>(b);
    const auto* z = static_cast<const typename Element::Stored*>(c);
    if constexpr (std::is_same_v<typename Element::Stored, typename Element::Value>) {
#pragma GCC ivdep
        for (size_t i = 0; i < n; ++i) out[i] = std::fma(x[i], y[i], z[i]);
    } else {
        for (size_t i = 0; i < n; ++i) {
            out[i] = Element::store(fused_to_odd(Element::load(x[i]), Element::load(y[i]), Element::load(z[i])));
        }
    }
}

// a where the condition, the last operand here, holds: `select` passes bits on.
template <typename T>
void blend(void* result, const void* a, const void* b, const void* c, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* x = static_cast<const T*>(a);
    const auto* y = static_cast<const T*>(b);
    const auto* condition = static_cast<const uint8_t*>(c);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = condition[i] != 0 ? x[i] : y[i];
}

template <typename T, uint64_t mask, bool flip>
void sign_bit(void* result, const void* a, const void*, const void*, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* x = static_cast<const T*>(a);
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<T>(flip ? x[i] ^ mask : x[i] & ~mask);
}

struct Not {
    template <typename T>
    static T of(T a) {
        return static_cast<T>(~a);
    }
};
struct NotBool {
    static uint8_t of(uint8_t a) { return a ^ 1; }
};

struct Row {
    OpKind op;
    LaneFn loop;
};
template <size_t rows>
LaneFn find(const Row (&table)[rows], OpKind op) {
    for (const Row& row : table) {
        if (row.op == op) return row.loop;
    }
    return nullptr;
}

template <typename E>
LaneFn comparisons(OpKind op) {
    static constexpr Row kTable[] = {
        {OpKind::eq, &compare<E, Equal>},   {OpKind::ne, &compare<E, NotEqual>},
        {OpKind::lt, &compare<E, Less>},    {OpKind::le, &compare<E, LessEqual>},
        {OpKind::gt, &compare<E, Greater>}, {OpKind::ge, &compare<E, GreaterEqual>},
    };
    return find(kTable, op);
}

template <typename T>
LaneFn integers(OpKind op) {
    using E = Plain<T>;
    static constexpr Row kTable[] = {
        {OpKind::add, &binary<E, Add>},         {OpKind::sub, &binary<E, Sub>},
        {OpKind::mul, &binary<E, Mul>},         {OpKind::floordiv, &binary<E, FloorDiv>},
        {OpKind::mod, &binary<E, Mod>},         {OpKind::pow, &binary<E, Pow>},
        {OpKind::minimum, &binary<E, Minimum>}, {OpKind::maximum, &binary<E, Maximum>},
        {OpKind::bit_and, &binary<E, And>},     {OpKind::bit_or, &binary<E, Or>},
        {OpKind::bit_xor, &binary<E, Xor>},     {OpKind::bit_not, &unary<E, Not>},
        {OpKind::shl, &binary<E, ShiftLeft>},   {OpKind::shr, &binary<E, ShiftRight>},
        {OpKind::neg, &unary<E, Neg>},          {OpKind::abs, &unary<E, Abs>},
        {OpKind::sign, &unary<E, Sign>},
    };
    const LaneFn loop = find(kTable, op);
    return loop != nullptr ? loop : comparisons<E>(op);
}

template <typename E, uint64_t sign>
LaneFn floats(OpKind op) {
    using Bits = std::conditional_t<sizeof(typename E::Stored) == 8, uint64_t,
                                    std::conditional_t<sizeof(typename E::Stored) == 4, uint32_t, uint16_t>>;
    static constexpr Row kTable[] = {
        {OpKind::add, &binary<E, Add>},
        {OpKind::sub, &binary<E, Sub>},
        {OpKind::mul, &binary<E, Mul>},
        {OpKind::div, &binary<E, Div>},
        {OpKind::floordiv, &floor_quotient<E>},
        {OpKind::mod, &binary<E, Mod>},
        {OpKind::fma, &fused<E>},
        {OpKind::minimum, &binary<E, Minimum>},
        {OpKind::maximum, &binary<E, Maximum>},
        {OpKind::neg, &sign_bit<Bits, sign, true>},
        {OpKind::abs, &sign_bit<Bits, sign, false>},
        {OpKind::sign, &unary<E, Sign>},
        {OpKind::sqrt, &unary<E, Sqrt>},
        {OpKind::floor, &unary<E, Floor>},
        {OpKind::ceil, &unary<E, Ceil>},
        {OpKind::round, &unary<E, RoundEven>},
        {OpKind::trunc, &unary<E, Trunc>},
        {OpKind::isnan, &test<E, IsNan>},
        {OpKind::isinf, &test<E, IsInf>},
        {OpKind::isfinite, &test<E, IsFinite>},
    };
    const LaneFn loop = find(kTable, op);
    return loop != nullptr ? loop : comparisons<E>(op);
}

LaneFn bools(OpKind op) {
    static constexpr Row kTable[] = {
        {OpKind::bit_and, &binary<Bool, And>},
        {OpKind::bit_or, &binary<Bool, Or>},
        {OpKind::bit_xor, &binary<Bool, Xor>},
        {OpKind::bit_not, &unary<Bool, NotBool>},
    };
    const LaneFn loop = find(kTable, op);
    return loop != nullptr ? loop : comparisons<Bool>(op);
}

void fill8(void* result, const void* a, const void*, const void*, size_t n) {
    const auto value = *static_cast<const uint8_t*>(a);
    for (size_t i = 0; i < n; ++i) static_cast<uint8_t*>(result)[i] = value;
}
template <typename T>
void fill(void* result, const void* a, const void*, const void*, size_t n) {
    const T value = *static_cast<const T*>(a);
    for (size_t i = 0; i < n; ++i) static_cast<T*>(result)[i] = value;
}

LaneFn fill_loop(size_t size) {
    return size == 1 ? &fill8 : size == 2 ? &fill<uint16_t> : size == 4 ? &fill<uint32_t> : &fill<uint64_t>;
}
template <typename Index, typename T>
void table(void* result, const void* a, const void* b, const void* c, size_t n) {
    const auto* index = static_cast<const Index*>(a);
    const auto* elements = static_cast<const T*>(b);
    const uint64_t mask = *static_cast<const uint64_t*>(c);
    for (size_t i = 0; i < n; ++i) static_cast<T*>(result)[i] = elements[index[i] & mask];
}

template <typename Index>
LaneFn table_of(size_t size) {
    return size == 1   ? &table<Index, uint8_t>
           : size == 2 ? &table<Index, uint16_t>
           : size == 4 ? &table<Index, uint32_t>
                       : &table<Index, uint64_t>;
}
LaneFn table_loop(size_t index_size, size_t size) {
    return index_size == 1   ? table_of<uint8_t>(size)
           : index_size == 2 ? table_of<uint16_t>(size)
           : index_size == 4 ? table_of<uint32_t>(size)
                             : table_of<uint64_t>(size);
}

LaneFn blend_loop(size_t size) {
    return size == 1 ? &blend<uint8_t> : size == 2 ? &blend<uint16_t> : size == 4 ? &blend<uint32_t> : &blend<uint64_t>;
}

}  // namespace

LaneFn element_loop(OpKind op, DType type) {
    if (op == OpKind::philox) return type == DType::u64 ? random_word_loop() : nullptr;
    switch (type) {
        case DType::boolean:
            return bools(op);
        case DType::i4:
            return comparisons<Plain<int8_t>>(op);
        case DType::i8:
            return integers<int8_t>(op);
        case DType::i16:
            return integers<int16_t>(op);
        case DType::i32:
            return integers<int32_t>(op);
        case DType::i64:
        case DType::index:
            return integers<int64_t>(op);
        case DType::u8:
            return integers<uint8_t>(op);
        case DType::u16:
            return integers<uint16_t>(op);
        case DType::u32:
            return integers<uint32_t>(op);
        case DType::u64:
            return integers<uint64_t>(op);
        case DType::f64:
            return floats<Plain<double>, uint64_t{1} << 63>(op);
        case DType::f32:
            return floats<Plain<float>, 0x80000000U>(op);
        case DType::f16:
            return floats<Half, 0x8000U>(op);
        case DType::bf16:
            return floats<BFloat, 0x8000U>(op);
        case DType::fp8_e4m3:
            return comparisons<Small<kE4M3>>(op);
        case DType::fp8_e5m2:
            return comparisons<Small<kE5M2>>(op);
        case DType::fp6_e3m2:
            return comparisons<Small<kE3M2>>(op);
        case DType::fp6_e2m3:
            return comparisons<Small<kE2M3>>(op);
        case DType::fp4_e2m1:
            return comparisons<Small<kE2M1>>(op);
        case DType::e8m0:
            return comparisons<Scale>(op);
        case DType::c64:
            return nullptr;
    }
    return nullptr;
}

const LaneOps& lane_ops() {
    static const LaneOps ops = [] {
        LaneOps made{};
        made.element = &element_loop;
        made.cast = &cast_loop;
        made.rounding = &rounding_loop;
        made.nearest_tf32 = &nearest_tf32;
        made.fill = &fill_loop;
        made.blend = &blend_loop;
        made.table = &table_loop;
        set_mask_loops(made);
        set_tile_loops(made);
        return made;
    }();
    return ops;
}

}  // namespace tsr::ir::eval::TSR_ISA
