// Calls of methods: of values that built-in functions work on, of strings and containers, of records.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The built-in function that a method of a number, tensor or list stands for: `x.astype`, `x.sum`.
std::optional<Builtin> method_named(const Type& base, const std::string& name);
// All such names of a type.
std::vector<std::string> builtin_method_names(const Type& base);
Value method_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base);
// `model(x)` of a record: its class's method `__call__`.
Value record_call(Body& b, const ast::Expr& e, const ast::Call& c, const Type& record);
// An argument of a method of the host by its letter (HostMethod::parameters); false after a message.
bool method_argument(Body& b, const ast::Expr& receiver, const Type& type, char letter, const ast::Expr& argument);

}  // namespace tsr::sema
