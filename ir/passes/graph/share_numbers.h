// Fused functions that differ in numbers alone → one function, with the numbers as parameters.
#pragma once

#include "ir/passes/pass.h"

namespace tsr::ir {

// The iterations of a loop that is written out, `term = term @ x / k`, then share one kernel. Done where three
// functions or more differ in constants alone, of type f32 or f64, in element operations whose code does not depend on
// them.
ModulePass share_numbers_pass();

}  // namespace tsr::ir
