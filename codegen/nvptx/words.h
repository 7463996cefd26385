// Neighbouring elements of bf16 in memory, by words of two.
#pragma once

#include <llvm/IR/Function.h>

namespace tsr::codegen {

// Vectors of 16-bit elements are loaded and stored as 32-bit words where an element is widened from bf16 to f32, or
// rounded from f32 to bf16: one operation on a word gives or takes an element, or both.
//
//     %e = extractelement <2 x i16> %v, 1          %f = and %word, 0xffff0000
//     %f = shl (zext %e), 16
void use_words(llvm::Function& function);

}  // namespace tsr::codegen
