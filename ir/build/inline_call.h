// The body of a function in place of a call of it.
#pragma once

#include <vector>

#include "ir/build/builder.h"
#include "ir/core/function.h"
#include "ir/ops/inferred.h"

namespace tsr::ir {

// Replaces a `call` by the body of the function that it names, which is of the same level. The callee's dimensions
// become those of the arguments, and the places of the operations say where they were inlined. The answer: extents of
// arguments that the callee takes for equal and that are not known to be, by the names of the parameters; who inlines
// checks them. A failure changes nothing: a function that calls itself, a dimension that no argument's shape gives, or
// extents that are known to differ.
Result<std::vector<EqualExtents>> inline_call(Function& caller, OpId call, const Function& callee);

// The same where the builder stands, without a call: what the function gives for the arguments. Extents that cannot be
// compared are taken for equal: who calls has compared them.
Result<std::vector<ValueId>> put_body(Builder& at, const Function& callee, const std::vector<ValueId>& arguments);

}  // namespace tsr::ir
