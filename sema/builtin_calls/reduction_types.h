// What sums, products, the least and the greatest of many values give (numerics rule 4).
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Whether a declared type that is not the value's own is chosen by it: the value is a reduction that stands directly
// there.
bool chooses_result(const Body& b, const ast::Expr& value, const Type& own, const Type& declared);

// `out=T`, if it is written: the result has this type. False after a message.
bool choose_result(Body& b, const ast::Expr* out, Value& result);

}  // namespace tsr::sema
