// Fields of records, and the dimensions that they name.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Which field of a record has the name.
std::optional<size_t> field_of(const Type& record, const std::string& name);
// Which item of a dictionary whose keys are in its type a key stands for; nothing after a message.
std::optional<size_t> key_of(Body& b, const ast::Expr& key_expr, const Value& key, const Type& dict);
// `params["w"]` of such a dictionary.
Value keyed_item(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base);
// Whether an expression may be read again: it is a name, or a part of one.
bool is_path(const ast::Expr& e);
// Whether it is `.items()` of a dictionary whose keys are in its type. It was checked before.
const ast::Expr* dict_of_items(const Body& b, const ast::Expr& e);
// The keys of such a dictionary as a tuple, as if it was written; of `.keys()`, `.values()`, `.items()` what they give.
const ast::Expr& keys_of(Body& b, const ast::Expr& dict, const Type& type);
const ast::Expr& parts_of_dict(Body& b, const ast::Expr& dict, const Type& type, const std::string& method);
// In a method: what a dimension that a field of the record names stands for; null for another name.
const ast::Expr* field_extent(Body& b, const ast::Expr& e, const std::string& text);
// Of the library's sparse matrices.
bool is_sparse_matrix(const Body& b, const Type& type);
// `net.__call__` of a record that stands where a function is wanted; null where it has no such method.
const ast::Expr* call_method_of(Body& b, const ast::Expr& e, const Type& record);
// A method of a record that stands as a value and was checked as what a call calls: `key=net.rank`.
void check_method_value(Body& b, const ast::Expr& function);
Value field_value(Body& b, const ast::Expr& e, const Value& base, const ast::Attribute& a);

}  // namespace tsr::sema
