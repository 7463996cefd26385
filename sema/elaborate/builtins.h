// Calls of built-in functions and methods, each family in a file of its own; `calls.cpp` chooses among them.
#pragma once

#include <optional>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// ---- kernels and host (`shared_builtins.cpp`) ----
// Elementwise functions and what kernels and the host share; nothing for other builtins.
std::optional<Val> shared_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// ---- graphs (`graph_builtins.cpp`) ----
// Conversions, choices and reductions of whole tensors; nothing for other builtins.
std::optional<Val> graph_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// ---- graphs (`indexed_builtins.cpp`) ----
// Elements of tensors by their number along an axis, and scans; nothing for other builtins.
std::optional<Val> indexed_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// ---- kernels (`kernel_builtins.cpp`, `tile_builtins.cpp`) ----
// What only kernels have.
Val kernel_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// The builtins of register tiles; nothing for others.
std::optional<Val> tile_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// A shared buffer.
Val allocation(Body& b, const ast::Expr& e);

// ---- host (`host_builtins.cpp`, `random_builtins.cpp`, `sequence_builtins.cpp`, `methods.cpp`) ----
// A builtin that only host functions have.
Val host_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// A random tensor or number; nothing where the builtin is another.
std::optional<Val> random_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// enumerate, zip, reversed, sorted, list, and `xs.sort()`.
std::optional<Val> sequence_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// sum, any, all, min, max of what is iterated over.
Val reduction(Body& b, const ast::Expr& e, sema::Builtin function, const ast::Expr& iterable);
// The same in kernels and graph functions, of a list whose length is known.
Val reduction_of_items(Body& b, const ast::Expr& e, sema::Builtin function, const ast::Expr& list);
// `zip`, `enumerate` and `reversed` of tuples and lists in kernels and graph functions: a list of the items.
std::optional<Val> unrolled_sequence(Body& b, const sema::CallInfo& info);
// A method of a string, list or dictionary.
Val host_method(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// `f.inspect_ir("tile")`
Val inspection(Body& b, const ast::Expr& e, const ast::Call& node, const sema::CallInfo& info);

}  // namespace tsr::elaborate
