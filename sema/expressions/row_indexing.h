// `x[ids]` of whole tensors: rows of x by their numbers.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The only index, where it is a whole tensor.
std::optional<Value> row_ids(Body& b, const ast::Subscript& s);
// `x[:, ids]`, `x[0, ids]`, `x[ids, cols]`: an index among others is a whole tensor; nothing where none is.
std::optional<Value> elements_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x);
// `x[[0, 2]]`, `x[:, [1, 3]]`: lists of ids that are written as an index; nothing where none is.
bool has_listed_ids(Body& b, const ast::Subscript& s);
std::optional<Value> elements_by_lists(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x);
// What `take(x, ids, axis=0)` is.
Value rows_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x, const Value& ids);

}  // namespace tsr::sema
