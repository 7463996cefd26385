// `tree.map(f, t, …)`, `tree.update(f, t, …)` and `tree.leaves(t)`: the tensors and numbers in tuples and records,
// nested.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value tree_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Matched& m);

// `save_checkpoint(path, model=model, …)` and `load_checkpoint`.
Value checkpoint_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const ast::Call& c);

}  // namespace tsr::sema
