// Loops and comprehensions over dictionaries whose keys are in their type and whose items differ in type: each round
// has types of its own.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// What is gone through: `params`, or `params.items()` and its kin.
struct ItemsGone {
    const ast::Expr* dict = nullptr;
    const ast::Expr *key = nullptr, *value = nullptr;  // the names that the loop gives them
};

// Nothing where it is something else, or the items have one type.
std::optional<ItemsGone> differing_items(Body& b, const ast::Expr& iterable, const ast::Expr& target);

// The display that a comprehension over such items is: `{k: 0.5 * v for k, v in params.items()}`; null where it is
// none.
const ast::Expr* display_of_items(Body& b, const ast::Expr& e, const ast::Comprehension& c);

}  // namespace tsr::sema
