// Functions that make one sequence of others, or one value of a sequence: `zip`, `sorted`, `sum`.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value sequence_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
// sum, any, all, and min and max of one iterable: of a tensor along axes, else of the items.
Value reduction_call(Body& b, const ast::Expr& e, const BuiltinEntry& entry, const ast::Expr& iterable,
                     const Value& value);
Value sorted_list(Body& b, const ast::Expr& e, const Type& item, const ast::Expr* key, const ast::Expr* descending);

}  // namespace tsr::sema
