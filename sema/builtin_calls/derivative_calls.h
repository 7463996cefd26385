// `grad` and its kin: functions made of functions.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

bool makes_derivative(Builtin function);
// The function that gives derivatives of the argument; what its result is, a call of it says.
Value derivative_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Matched& m);
// Of the function that an argument of `e` is; nothing after a message.
std::optional<Derivation> derivation_of(Body& b, const ast::Expr& e, const ast::Expr& function);
// `stop_gradient(x)`
Value stopped_value(Body& b, const ast::Expr& e);

}  // namespace tsr::sema
