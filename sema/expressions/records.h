// Fields of records, and the dimensions that they name.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Which field of a record has the name.
std::optional<size_t> field_of(const Type& record, const std::string& name);
// In a method: what a dimension that a field of the record names stands for; null for another name.
const ast::Expr* field_extent(Body& b, const ast::Expr& e, const std::string& text);
// Of the library's sparse matrices.
bool is_sparse_matrix(const Body& b, const Type& type);
Value field_value(Body& b, const ast::Expr& e, const Value& base, const ast::Attribute& a);

}  // namespace tsr::sema
