// What the operations of rounded stores are made of.
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

Term cut(Term x, DType to);
// An f32 to 11 bits of significand: to nearest, halves away from zero. Past the largest it is an infinity; NaN stays.
Term nearest_tf32(Term x);
Term dither(Term x, Term word, DType to);
Term random_word(Term element, Term seed, Term stream);

}  // namespace tsr::ir::math
