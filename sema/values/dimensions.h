// Dimensions of values: the symbols that expressions bind, and the shapes that programs compute.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// In a graph function: makes dimensions of the integer parameters, and of the integers in trees, that the number may be
// made of, as if the header named them. They are known in the next pass. False where there are none.
bool makes_dimensions(Body& b, const ast::Expr& e);
// Of an expression that was checked: where it reads an integer of a tree, `layer.heads`, which is a dimension where
// `makes_dimensions` said so.
void read_integer(Body& b, const ast::Expr& e, Value& value);

// A shape argument: `(n, 2*m)`, `n`, `x.shape`; static where it must be.
std::optional<std::vector<ir::Dim>> shape_argument(Body& b, const ast::Expr& e, bool may_be_open = false);
// An extent that is not positive gets the code.
std::optional<std::vector<int64_t>> static_shape(Body& b, const ast::Expr& e, const std::string& what,
                                                 const char* code);
// A dimension for an integer that runs: its own expression, or a symbol that it binds.
ir::Dim dimension_of(Body& b, const ast::Expr& e, const Value& v);
// Of an integer that is assigned once.
ir::Dim variable_dimension(Body& b, VariableId variable);
// A new symbol of the instance, bound by the extent of `source` along the axis; of a tuple, of its element.
ir::Dim fresh_symbol(Body& b, const std::string& base, const ast::Expr& source, size_t axis, int element = -1);
// A callee's type in this body's symbols; symbols that nothing bound are bound by the expression's result.
Type type_in_caller(Body& b, const Type& type, const std::vector<DimBinding>& bindings, const ast::Expr& source,
                    int element = -1);

}  // namespace tsr::sema
