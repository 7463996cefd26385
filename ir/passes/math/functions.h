// Elementary functions as formulas over element operations: the same operations on every machine, so the same bits.
// Each takes and gives f64, rsqrt f32 too; the others of f32 are in f32/functions.h.
// Bounds are of the worst error seen against 60 digits (tests/ir/math).
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// exponential.cpp
Term exp(Term x);
Term exp2(Term x);
Term expm1(Term x);
Term sinh(Term x);
Term cosh(Term x);
Term tanh(Term x);
// root.cpp
Term rsqrt(Term x);
// logarithm.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
Term pow(Term x, Term y);
// trigonometry.cpp
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);
Term asin(Term x);
Term acos(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);
// error_function.cpp
Term erf(Term x);

// The sign of `sign` on the size of `size`; `size` is not negative.
Term with_sign(Term size, Term sign);

}  // namespace tsr::ir::math
