// Variables that hold one tensor or another become numbers.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// Tensors of a kernel are references: `a, b = b, a` and `c = a if f else b` choose between its parameters. Behind this
// pass every operation names the parameter that it reads or writes: a variable carries the parameter's number, and what
// is done through it stands in an `if` for each parameter that it may be, marked by `of_tensor`.
void number_tensors(Function& kernel);

}  // namespace tsr::ir
