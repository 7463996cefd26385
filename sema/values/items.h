// The items of containers: their types as values, and the one type that items have together.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The type that what is put into one container has together; nothing after a message. `what`: "the keys of a
// dictionary".
std::optional<Type> join_items(Body& b, const std::optional<Type>& before, const ast::Expr& e, const Value& value,
                               const char* what);
// What is put into a container becomes part of the type of the variable that holds it: it says what an empty one holds,
// and what its items are widened to.
void widen_container(Body& b, const ast::Expr& container, const Type& type);
// An argument that is an empty container says nothing of the type it is to have.
bool require_known(Body& b, const ast::Expr& e, const Value& value);
bool require_hashable(Body& b, const ast::Expr& e, const Value& key);
// An item's type as a value: the extents of its tensors are bound where `source` gives it.
Type item_type(Body& b, const Type& item, const ast::Expr& source, int element = -1);
// The type of the items that a value is gone through by, as a container holds them; nothing after a message.
std::optional<Type> items_of(Body& b, const ast::Expr& e, const Value& value);
// An item as the target of a loop is given it: extents of tensors are bound at each name.
Value item_for(Body& b, const Type& item, const ast::Expr& target);

}  // namespace tsr::sema
