// Unary and binary operators as they are written: of numbers, of sequences, and when a product and a sum are one fused
// operation (language reference, section 3, numerics rule 3).
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val unary(Body& b, const ast::Expr& e, const ast::Unary& node);
Val binary(Body& b, const ast::Expr& e, const ast::Binary& node);

// The value that `target op= value` stores, before it is rounded to the target's type.
Val combine_augmented(Body& b, const ast::AugmentedAssign& statement, const Val& before,
                      const sema::AugmentedInfo& info);

}  // namespace tsr::elaborate
