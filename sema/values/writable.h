// What may be written: tensors and records that a function made, and its `mut` parameters.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Says so where a list is a constant of the module, which does not change.
bool require_changeable(Body& b, const ast::Expr& container, Span at);
// Says so where memory may not be written: its place in the text is `e`.
bool require_writable(Body& b, const ast::Expr& e, const Value& memory);
// In a graph: what is passed to a `mut` parameter of `callee` gets a new value, which a variable of this function
// takes, or nobody. False after a message.
bool require_new_value(Body& b, const ast::Expr& e, const std::string& callee);
// A `mut` record, and all of its tensors are.
bool require_writable_record(Body& b, const ast::Expr& e, const Value& record);

}  // namespace tsr::sema
