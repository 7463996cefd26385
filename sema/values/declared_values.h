// What the type that is declared for a value chooses of a sum or product that stands directly there (numerics rule 4):
// `y: f32[n] = sum(x, axis=1)`, `return a @ b`.
#pragma once

#include <vector>

#include "sema/state/body.h"

namespace tsr::sema {

// Whether sums of `own` may be given as `wanted`: floats as floats, integers also as floats.
bool is_given_as(DType own, DType wanted);

// The element type of a declared number or tensor; of anything else none.
std::optional<DType> element_declared(const Type& declared);

// The result has the element type that is declared, where `e` is the declared value.
void choose_declared(const Body& b, const ast::Expr& e, Value& result);

// Of a call that gives a sum or product of the first argument: the element type that is declared for it, as an
// expression; nullptr: none.
const ast::Expr* declared_out(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& arguments);

}  // namespace tsr::sema
