// Operands of products in the form that the vector units of a CPU multiply.
#pragma once

#include "ir/core/function.h"
#include "ir/machine/cpu.h"

namespace tsr::ir {

// After it both operands of every `mma` are register tiles of the type it accumulates in, and b is not given
// transposed. Products that suit a matrix unit, sums of bytes or sums of bf16 are `mma_words` on machines that have
// them. Conversions are exact, and stand where the operand is made: once for all products that take it. A product whose
// depth ends with the loop around it says so.
void widen_products(Function& kernel);

// A depth of so many elements of a is made of whole rows of the matrix unit's registers.
bool whole_matrix_rows(DType a, int64_t depth);

// A product of bf16 in f32 or of 8-bit integers in i32, as deep as whole rows of its registers (Intel Architecture
// Instruction Set Extensions Programming Reference, chapter 3, AMX), or `mma_words` of such a depth.
bool suits_matrix_unit(const Function& kernel, OpId mma);

// A product of 8-bit integers in i32, as deep as a multiple of four (Intel SDM volume 2C, VPDPBUSD).
bool suits_sums_of_bytes(const Function& kernel, OpId mma);

// A product of bf16 in f32, of an even depth (Intel SDM volume 2C, VDPBF16PS).
bool suits_sums_of_bf16(const Function& kernel, OpId mma);

// The machine has the sums that the product suits.
bool sums_words(const Function& kernel, OpId mma, const CpuMachine& machine);

}  // namespace tsr::ir
