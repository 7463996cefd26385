// What dimension symbols are bound to when a host function runs.
#pragma once

#include <functional>

#include "frontend/ast.h"
#include "sema/elaborate/value.h"
#include "sema/program/tables.h"

namespace tsr::elaborate {

class Body;

// The value of a dimension of a host function. `/` of dimensions is exact: `failed` makes what runs where one is not.
ir::ValueId checked_dimension(Body& b, const ir::Dim& dim, const std::function<void()>& failed);

// At the start of a host function: the symbols that its parameters' shapes bind.
void bind_entry_symbols(Body& b);

// The symbols that are the extent (or, of an integer, the value) of what this expression gave.
void bind_symbols_of(Body& b, const ast::Expr& e, const Val& value);

// In a graph: ends the program where an extent is not what it has to be.
// `declared`: a type says what the extent is; else two operands meet.
void assert_extent(Body& b, const sema::DimCheck& check, bool declared = true);
// Those that an operator of the graph of a function wants of its operands.
void assert_extents(Body& b, ast::ExprId e);

// A dimension of the frame's instance over the symbols of the function of the IR.
ir::Dim dim_in_function(Body& b, const ir::Dim& dim);
// In a kernel or graph: the callee's symbols in those of the function that the IR has.
std::map<std::string, ir::Dim> dims_in_function(Body& b, const sema::CallInfo& info);

// Thrown behind the message of `refuse_extents`: the module cannot be elaborated.
struct ExtentsDiffer {};
// Says which extents that meet in the expression of a graph function are different numbers in this call of it; false:
// none are.
bool refuse_extents(Body& b, const ast::Expr& e);

// Tensors beside their scales, which are parameters: binds the dimensions that their values alone say, and compares the
// others with what the header declares.
void bind_values_shapes(Body& b);
// The same comparison of one value.
void check_values_shape(Body& b, const Val& record, const sema::Type& type, const std::vector<ir::Dim>& shape);

}  // namespace tsr::elaborate
