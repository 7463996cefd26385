// The rules of numerics on element types and policies alone (language reference, section 3, "Numerics as types"). The
// checker, the elaborator and the records of operations ask here; nobody else says what joins or what is computed in.
#pragma once

#include <optional>

#include "base/dtype.h"
#include "base/policy.h"

namespace tsr {

// Rule 1: the one of the two to which the other widens exactly. `index` with a signed integer gives `index`.
std::optional<DType> join(DType a, DType b);
// Whether a value may be stored or passed where `to` is wanted: exact widening, and an `index` as any signed integer.
bool may_stand_for(DType from, DType to);

// Rules 2 and 3: what arithmetic on operands joined to this type works in, f32 for floats of 16 bits or fewer where the
// policy names no other, i8 for i4.
DType compute_type(DType joined, const Policy& policy);
// What it gives where it is named, stored, passed or returned: floats of 8 bits or fewer give the compute type.
DType result_type(DType joined, const Policy& policy);
// What a choice between values of this type holds them in: every value of the type and, not rounded yet, every result
// of arithmetic on it. Of bf16 computed in f16 that is f32.
DType choice_type(DType type, const Policy& policy);

// Rule 4: what sums and products along an axis are accumulated in, and what they give.
DType accumulation_type(DType elem, const Policy& policy);
DType accumulated_type(DType elem, const Policy& policy);

// What derivatives of a float are computed in, and what they are given in: f64 of f64, else f32, rounded once to the
// float's own type where that has 16 bits or more (language reference, section 6).
DType derivative_type(DType elem);
DType gradient_type(DType elem);

// Rule 4: the type that both factors of a contraction are brought to. Floats of 8 bits or fewer, and integers of 8 bits
// or fewer, are multiplied in any mix: each keeps its type, and the first one's stands for both.
std::optional<DType> product_type(DType a, DType b);
bool keeps_factors(DType product);
// Whether a product of this type is accumulated in the other: of floats in floats of 16 bits or more, else in i32.
bool accumulates_in(DType product, DType accum);

// Rule 5: f32 or f64, which holds a float before it is rounded to narrower storage; nothing where nothing is rounded.
std::optional<DType> unrounded_type(DType held, DType stored);

}  // namespace tsr
