// Operands of products in the form that the vector units of a CPU multiply.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// After it both operands of every `mma` are register tiles of the type it accumulates in, and b is not given
// transposed. On machines with a matrix unit, products that suit it are `mma_words`. Conversions are exact, and stand
// where the operand is made: once for all products that take it.
void widen_products(Function& kernel);

// A product of bf16 in f32 or of 8-bit integers in i32, as deep as whole rows of its registers (Intel Architecture
// Instruction Set Extensions Programming Reference, chapter 3, AMX).
bool suits_matrix_unit(const Function& kernel, OpId mma);

}  // namespace tsr::ir
