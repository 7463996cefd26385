// Rounding toward zero and by chance, on the bits of an f32 or f64: what a narrower format does not keep lies in the
// low bits of the fraction, and of small numbers, which are subnormal there, in more of them.
#include "ir/passes/math/rounding.h"

#include <algorithm>
#include <bit>

namespace tsr::ir::math {

namespace {

struct Stored {
    int mantissa;  // stored bits of the significand
    int least;     // exponent of the smallest normal number
    double largest;
};

Stored stored_form(DType type) {
    switch (type) {
        case DType::f64:
            return {52, -1022, 0x1.fffffffffffffp1023};
        case DType::f32:
            return {23, -126, 0x1.fffffep127};
        case DType::f16:
            return {10, -14, 65504};
        case DType::bf16:
            return {7, -126, 0x1.fep127};
        case DType::fp8_e4m3:
            return {3, -6, 448};
        case DType::fp8_e5m2:
            return {2, -14, 57344};
        case DType::fp6_e3m2:
            return {2, -2, 28};
        case DType::fp6_e2m3:
            return {3, 0, 7.5};
        default:
            return {1, 0, 6};  // fp4_e2m1
    }
}

// A float taken apart, as signed integers of its size.
struct Parts {
    Term x;
    Stored from;
    Stored to;
    Term sign;
    Term magnitude;

    Parts(Term value, DType type)
        : x(value),
          from(stored_form(value.type())),
          to(stored_form(type)),
          sign(bits() & bits().whole(lowest())),
          magnitude(bits() & bits().whole(~lowest())) {}

    [[nodiscard]] bool wide() const { return from.mantissa == 52; }
    [[nodiscard]] Term bits() const { return x.bits(wide() ? DType::i64 : DType::i32); }
    [[nodiscard]] int64_t lowest() const { return wide() ? INT64_MIN : INT64_C(-0x80000000); }
    [[nodiscard]] int64_t drop() const { return std::max<int64_t>(from.mantissa - to.mantissa, 0); }
    [[nodiscard]] int64_t bits_of(double value) const {
        if (wide()) return std::bit_cast<int64_t>(value);
        return std::bit_cast<int32_t>(static_cast<float>(value));
    }
    [[nodiscard]] int64_t power(int exponent) const {
        return static_cast<int64_t>(exponent + 1 - from.least) << from.mantissa;
    }
    // Both formats begin at one exponent: what is dropped is always as long.
    [[nodiscard]] bool aligned() const { return from.least == to.least; }

    // How many bits are dropped: more below the target's normal numbers.
    [[nodiscard]] Term shift() const {
        const Term field = apply(OpKind::maximum, magnitude >> from.mantissa, magnitude.whole(1));
        const Term below = magnitude.whole(1 + to.least - from.least) - field;
        return apply(OpKind::maximum, below, below.whole(0)) + below.whole(drop());
    }
    // Where the whole significand is dropped nothing is kept.
    [[nodiscard]] Term dropped_all(Term shift) const { return shift > shift.whole(from.mantissa); }
    [[nodiscard]] Term kept(Term shift) const {
        const Term one = shift.whole(1);
        const Term rest = apply(OpKind::shl, one, shift) - one;
        return select(dropped_all(shift), shift.whole(0), magnitude & rest.apply(OpKind::bit_not));
    }
    // The float of a rounded magnitude; what is not finite stays.
    [[nodiscard]] Term rounded(Term bits) const {
        const Term end = magnitude.whole(from.mantissa == 52 ? INT64_C(0x7FF) << 52 : 0x7F800000);
        return select(magnitude < end, (bits | sign).bits(x.type()), x);
    }
};

// The discarded fraction of the last kept bit, cut to 32 bits.
Term fraction(const Parts& p, Term shift) {
    const int64_t hidden = INT64_C(1) << p.from.mantissa;
    const Term low = p.magnitude & p.magnitude.whole(hidden - 1);
    const Term normal = p.magnitude > p.magnitude.whole(hidden - 1);
    const Term significand = select(normal, low | low.whole(hidden), low).cast(DType::u64);
    const Term by = shift.cast(DType::u64);
    // Shifted up first, so that no bit above the 32 is lost: by 32, or as far as there is room, 11 of 64.
    const Term moved =
        p.wide() ? apply(OpKind::shr, significand << 11, by - by.whole(21)) : apply(OpKind::shr, significand << 32, by);
    return moved & moved.whole(0xFFFFFFFF);
}

}  // namespace

Term cut(Term x, DType to) {
    const Parts p(x, to);
    const Term kept = p.aligned() ? p.magnitude & p.magnitude.whole(-(INT64_C(1) << p.drop())) : p.kept(p.shift());
    return p.rounded(apply(OpKind::minimum, kept, kept.whole(p.bits_of(p.to.largest))));
}

Term dither(Term x, Term word, DType to) {
    const Parts p(x, to);
    if (p.aligned() && p.drop() <= 32) {  // the fraction lies at one place: the word's upper bits are added to it
        const Term part = word.cast(DType::u64) >> (32 - p.drop());
        const Term sum = p.magnitude + part.cast(p.magnitude.type());
        return p.rounded(sum & sum.whole(-(INT64_C(1) << p.drop())));
    }
    const Term shift = p.shift();
    const Term sum = fraction(p, shift) + word.cast(DType::u64);
    const Term least = shift.whole(p.power(p.to.least - p.to.mantissa));
    const Term step = select(p.dropped_all(shift), least, apply(OpKind::shl, shift.whole(1), shift));
    const Term up = select(sum > sum.whole(0xFFFFFFFF), step, step.whole(0));
    return p.rounded(p.kept(shift) + up);
}

// The carry out of the fraction counts the exponent on, at last to that of an infinity.
Term nearest_tf32(Term x) {
    constexpr int64_t kDropped = 13;
    const Term bits = x.bits(DType::i32);
    const Term sum = bits + bits.whole(INT64_C(1) << (kDropped - 1));
    return select(x != x, x, (sum & bits.whole(-(INT64_C(1) << kDropped))).bits(DType::f32));
}

}  // namespace tsr::ir::math
