// Operators on whole tensors in host functions: each largest tree of them is a graph function, which is called.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What the graph of an expression takes from the host function that it stands in.
struct GraphOperands {
    Body& host;
    std::map<ir::ValueId, Val> taken;    // values of the host function, each as a parameter of the graph
    std::vector<ir::ValueId> arguments;  // those values, in the order of the parameters
};

// The call of the standard library that an operator, subscript or built-in function is here; null: none.
const ast::Expr* library_call_of(Body& b, const ast::Expr& e);
// Whether the expression is computed by a graph: an operator on whole tensors. In the graph of an expression also what
// is part of it, though it needs none by itself: a cast, a transpose.
bool is_graph_operator(Body& b, const ast::Expr& e);
// In a host function: makes the graph of an operator, and calls it. Its result is rounded as is declared where it goes,
// else as its type says.
Val graph_expression(Body& b, const ast::Expr& e, std::optional<Rounding> declared);
// In the graph of an expression: an operand that is no operator, evaluated in the host function.
Val graph_operand(Body& b, const ast::Expr& e);

}  // namespace tsr::elaborate
