// What contexts demand of values: static ones, integers, element types, values that convert.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// An element type named by an expression: `f32`, `ts.bf16`; says so if it is none.
std::optional<DType> named_dtype(Body& b, const ast::Expr& e);
// Whether the expression is an element type, or a string, which can be nothing but the name of one.
bool names_dtype(Body& b, const ast::Expr& e);
// A static integer; where it must be, loops that it depends on are unrolled. `what` begins the message.
std::optional<int64_t> static_integer(Body& b, const ast::Expr& e, const std::string& what);
std::optional<std::string> static_string(Body& b, const ast::Expr& e, const std::string& what);
bool require_static(Body& b, const ast::Expr& e, const Value& v, const std::string& what);
// Points at the assignment whose value the name has at `read`.
void say_not_static(Diagnostic& d, const Slot& slot, Span read);
void require_bool(Body& b, const ast::Expr& e, const Value& v);
void require_integer(Body& b, const ast::Expr& e, const Value& v, const std::string& what);
// The first number in a list as it is written, of lists in it too, that the type does not hold; null: there is none.
const ast::Expr* unfit_number(Body& b, const ast::Expr& list, const Type& elem);
// Says so (E0302) where a value may not stand for a type; `cast` is offered where it helps.
bool require_converts(Body& b, const ast::Expr& e, const Value& v, const Type& to, const std::string& what);
// Suggests `cast(e, to)`, where the expression is a number that is written.
void offer_cast(Body& b, Diagnostic& d, const ast::Expr& e, const Type& from, DType to);

// Says of what only other contexts have, "records are", that it is not known here.
Diagnostic& say_elsewhere(Body& b, Span at, const std::string& what);
// Says of a list in a tree, named as in the text, that nothing is known of its length.
void say_unknown_length(Body& b, Span at, const std::string& list);

}  // namespace tsr::sema
