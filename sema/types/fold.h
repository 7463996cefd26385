// Operations on static values, with the meaning they have when the program runs.
#pragma once

#include <optional>
#include <string>

#include "frontend/ast.h"
#include "sema/builtins/builtins.h"
#include "sema/types/static.h"

namespace tsr::sema {

struct Folded {
    std::optional<Static> value;  // nothing: not defined for these, or not known
    std::string fault;            // why an operation on known values has none: "division by zero"
};

// Integers are exact; a result beyond 64 bits is a fault. `/` gives a float.
Folded fold(ast::UnaryOp op, const Static& operand);
Folded fold(ast::BinaryOp op, const Static& lhs, const Static& rhs);
// The number as the type holds it: integers wrap, floats are rounded.
Static converted(const Static& value, DType type);
// `cast(x, T)`: a fraction is cut off.
Static cast_to(const Static& value, DType type);
// Numbers by value, strings, bools, element types and tuples for equality.
std::optional<bool> fold(ast::CompareOp op, const Static& lhs, const Static& rhs);
// Elementwise math of static numbers in f64: `sqrt`, `min`, `abs`, …; nothing for other functions.
std::optional<Static> fold(Builtin function, const std::vector<Static>& arguments);

}  // namespace tsr::sema
