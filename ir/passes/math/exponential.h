// What the exponential functions share.
#pragma once

#include "ir/passes/math/format.h"

namespace tsr::ir::math {

struct Rounded {
    Term value;    // a whole number
    Term shifted;  // an integer: magic_bits() + value
};

// `sum` is a number plus magic().
inline Rounded round_to_whole(Term sum) { return {sum - format_of(sum).magic(), as_integer(sum)}; }

// value * 2^n, where that and 2^n are normal numbers.
inline Term times_power(Term value, Rounded n) {
    // The shift leaves nothing of magic_bits().
    return as_float(as_integer(value) + (n.shifted << format_of(value).fraction_bits));
}

struct Reduced {
    Rounded n;
    Term rest;
};

// x = n ln2 + rest, |rest| <= ln2/2.
inline Reduced reduce(Term x) {
    const Format& of = format_of(x);
    Rounded n = round_to_whole(fma(x, 1.4426950408889634, of.magic()));
    Term high = fma(n.value, -of.ln2[0], x);
    return {n, fma(n.value, -of.ln2[1], high)};
}

// value * 2^n in two steps, so that the result may be subnormal or near the largest number. On AVX-512 they become
// one instruction (codegen/cpu/powers.h).
Term scale(Term value, Rounded n);

// exp(r) for |r| <= ln2/2.
inline Term exp_of_small(Term r) { return fma(fma(format_of(r).exp(r), r, 1.0), r, 1.0); }

// 2^r for |r| <= 1/2.
inline Term exp2_of_small(Term r) { return fma(format_of(r).exp2(r), r, 1.0); }

// exp(r) - 1 for |r| <= ln2/2.
inline Term small_expm1(Term r) { return fma(format_of(r).expm1(r), r * r, r); }

}  // namespace tsr::ir::math
