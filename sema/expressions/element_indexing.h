// Elements of lists, tuples, vectors, strings and dictionaries.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

bool is_slice(const ast::Expr& e);
// A[i, j] and A[(i, j)] are one thing.
std::vector<const ast::Expr*> flat_indices(const ast::Subscript& s);
Value sequence_index(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base);
Value dict_index(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base);

}  // namespace tsr::sema
