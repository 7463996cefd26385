// Elementary functions of f32 and f64, each computed in its own format and integers alone. The polynomials come from
// tools/math-coefficients-*.sollya. Every result is within the bound of its record, of
// arguments of any size.
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// exponential.cpp
Term exp(Term x);
Term exp2(Term x);
Term expm1(Term x);
// hyperbolic.cpp
Term sinh(Term x);
Term cosh(Term x);
Term tanh(Term x);
// power.cpp
Term pow(Term x, Term y);
// trigonometry.cpp
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);
// arc_sine.cpp
Term asin(Term x);
Term acos(Term x);

// root.cpp
Term rsqrt(Term x);
// classes.cpp
Term sign(Term x);
Term isnan(Term x);
Term isinf(Term x);
Term isfinite(Term x);

// These differ in more than numbers.
namespace f32 {
// logarithm.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
// arc_tangent.cpp
Term atan(Term x);
Term atan2(Term y, Term x);
// error_function.cpp
Term erf(Term x);
// cube_root.cpp
Term cbrt(Term x);
}  // namespace f32
namespace f64 {
// logarithm.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
// arc_tangent.cpp
Term atan(Term x);
Term atan2(Term y, Term x);
// error_function.cpp
Term erf(Term x);
// cube_root.cpp
Term cbrt(Term x);
}  // namespace f64
// by_format.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);
Term erf(Term x);
Term cbrt(Term x);

}  // namespace tsr::ir::math
