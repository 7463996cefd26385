// Calls: of builtins, of functions (inlined in kernels, called on the host), launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val call(Body& b, const ast::Expr& e, const ast::Call& node);

// The expression for a parameter of a builtin; nullptr where it was left out.
const ast::Expr* argument(const sema::CallInfo& info, size_t parameter);
// Its value; undefined where it was left out.
Val argument_value(Body& b, const sema::CallInfo& info, size_t parameter);

// Elementwise functions and what kernels and the host share; nothing for other builtins.
std::optional<Val> shared_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// What only kernels have.
Val kernel_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// A shared buffer.
Val allocation(Body& b, const ast::Expr& e);
// True of builtins that name the group: ids, sizes, shared buffers, collectives.
bool names_group(sema::Builtin builtin);

// A kernel's launch, with the checks that are left for it.
Val launch(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// What shapes must be for a call, where the checker could not decide.
void check_shapes(Body& b, const sema::CallInfo& info, const std::vector<Val>& arguments);

// The same for a declared type, of a result or variable.
void check_declared_shape(Body& b, const std::vector<sema::DimCheck>& checks);

// Values for the parameters of a user's function, in its parameters' types.
std::vector<Val> argument_values(Body& b, const sema::CallInfo& info);
// The body of a function in place of its call.
Val inlined(Body& b, const ast::Expr& e, const sema::CallInfo& info);

// `cast(x, T)`: rounds here, also inside of an expression.
Val convert(Body& b, const Val& value, const sema::Type& type);

// Invalid for a parameter that no name was given to.
sema::VariableId variable_of_parameter(const sema::Instance& instance, size_t parameter);

}  // namespace tsr::elaborate
