// Functions whose formulas for f32 and f64 differ in more than numbers.
#include "ir/passes/math/functions.h"

namespace tsr::ir::math {

namespace {

bool is_single(Term x) { return x.type() == DType::f32; }

}  // namespace

Term log(Term x) { return is_single(x) ? f32::log(x) : f64::log(x); }
Term log2(Term x) { return is_single(x) ? f32::log2(x) : f64::log2(x); }
Term log10(Term x) { return is_single(x) ? f32::log10(x) : f64::log10(x); }
Term log1p(Term x) { return is_single(x) ? f32::log1p(x) : f64::log1p(x); }
Term atan(Term x) { return is_single(x) ? f32::atan(x) : f64::atan(x); }
Term atan2(Term y, Term x) { return is_single(x) ? f32::atan2(y, x) : f64::atan2(y, x); }
Term erf(Term x) { return is_single(x) ? f32::erf(x) : f64::erf(x); }
Term cbrt(Term x) { return is_single(x) ? f32::cbrt(x) : f64::cbrt(x); }

}  // namespace tsr::ir::math
