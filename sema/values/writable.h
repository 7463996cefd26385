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

// What is said of a list, dictionary or record that can not be given another value.
struct ValueWords {
    std::string unnamed;    // "`.append()` changes a list that has a name"
    const char* unchanged;  // "its fields do not change"
    const char* note;       // "records in kernels and graph functions are values: return the one that has changed"
};
// In kernels and graph functions lists, dictionaries and records are values: what changes one gives its variable
// another. The variable of this function that `whole` names; null after a message (E0333) at `at`.
Slot* changed_value(Body& b, Span at, const ast::Expr& whole, const ValueWords& words);

}  // namespace tsr::sema
