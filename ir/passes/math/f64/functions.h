// Elementary functions of f64. The polynomials come from tools/math-coefficients-f64.sollya. Every result is within
// 2 ulp (docs/ops).
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math::f64 {

// exponential.cpp
Term exp(Term x);
Term exp2(Term x);
Term expm1(Term x);
// hyperbolic.cpp
Term sinh(Term x);
Term cosh(Term x);
Term tanh(Term x);
// logarithm.cpp
Term log(Term x);
Term log2(Term x);
Term log10(Term x);
Term log1p(Term x);
// power.cpp
Term pow(Term x, Term y);
// trigonometry.cpp
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);
// arc.cpp
Term asin(Term x);
Term acos(Term x);
Term atan(Term x);
Term atan2(Term y, Term x);
// error_function.cpp
Term erf(Term x);

}  // namespace tsr::ir::math::f64
