// Lists, dictionaries, records and tuples in containers, and their operators, in host functions.
#pragma once

#include <optional>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// ---- values ----
ir::ValueId empty_container(Body& b, const ir::Type& type, int64_t capacity);
// Items in order; of a dictionary keys and values in turn.
ir::ValueId container_of(Body& b, const ir::Type& type, std::vector<ir::ValueId> items);
// Any list or dictionary value as one value of the IR, of the type that it has as a variable.
ir::ValueId container(Body& b, const Val& value, const sema::Type& type);
sema::Type container_type(const sema::Type& type);
// A value as an item of a container: tuples in one piece. And back.
ir::ValueId boxed(Body& b, const Val& value, const sema::Type& type);
Val unboxed(Body& b, ir::ValueId item, const sema::Type& type);

// ---- items ----
ir::ValueId list_length(Body& b, ir::ValueId list);
Val list_element(Body& b, ir::ValueId list, const Val& index, const sema::Type& element);
void set_item(Body& b, ir::ValueId container, const sema::Type& type, const Val& key, const Val& value);
Val dict_value(Body& b, ir::ValueId dict, const sema::Type& type, const Val& key, const sema::Type& value);
// The position of a record's field, which exists.
Val field_position(const sema::Type& record, const std::string& name);
Val record_field(Body& b, const Val& record, const sema::Type& type, const std::string& name);
// And by its position.
Val record_item(Body& b, const Val& record, const sema::Type& type, const Val& at);
// The record with these fields: on the host an object, else a value.
Val record_of(Body& b, Val parts, const sema::Type& type);
// What a class makes of its constructor's parameters.
Val new_record(Body& b, const sema::Instance& constructor);
void append_to_list(Body& b, ir::ValueId list, const Val& value, const sema::Type& element);
void extend_list(Body& b, const Val& list, const Val& other, const sema::Type& type);
Val slice(Body& b, const Val& base, const sema::Type& type, const ast::Slice& slice);
// Adds the bounds that are written; gives which, as ir::IndexCode says.
int64_t slice_bounds(Body& b, const ast::Slice& slice, std::vector<Val>& bounds);
Val slice_of_list(Body& b, ir::ValueId list, int64_t given, const std::vector<Val>& bounds, const sema::Type& type);
void set_slice(Body& b, ir::ValueId list, int64_t given, const std::vector<Val>& bounds, ir::ValueId items);
// Fails when the program runs unless the list has this many items.
void require_length(Body& b, ir::ValueId list, size_t count);

// ---- operators ----
Val sequence_arithmetic(Body& b, ast::BinaryOp op, const Val& lhs, const Val& rhs, const sema::Type& type);
// Nothing where the link is of numbers.
std::optional<Val> compare_containers(Body& b, ast::CompareOp op, const ast::Expr& lhs_expr, const Val& lhs,
                                      const ast::Expr& rhs_expr, const Val& rhs);

}  // namespace tsr::elaborate
