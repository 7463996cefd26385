// What the operations of rounded stores are made of.
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

Term cut(Term x, DType to);
Term dither(Term x, Term word, DType to);
Term random_word(Term element, Term seed, Term stream);

}  // namespace tsr::ir::math
