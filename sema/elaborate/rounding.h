// Rounding into narrower storage by the policy of what is stored (language reference, section 3, rules 5 and 6).
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What goes into an element of a tensor or buffer, into a vector of consecutive ones, or into a view. It is rounded as
// the memory's type says, else as the value's own policy does, else to nearest. `written` names the memory in the
// program: the key of what is rounded by chance. In a function that is inlined it is a parameter, whose type may say
// how to round where that of the memory does not.
ir::ValueId stored_element(Body& b, const ast::Expr* written, ir::ValueId memory,
                           const std::vector<ir::ValueId>& indices, const Val& value, DType type);
ir::ValueId stored_vector(Body& b, const ast::Expr* written, ir::ValueId memory,
                          const std::vector<ir::ValueId>& indices, const Val& value, const ir::Type& type);
ir::ValueId stored_tile(Body& b, const ast::Expr* written, ir::ValueId memory, const std::vector<ir::ValueId>& starts,
                        const std::vector<int64_t>& axes, const Val& value, const ir::Type& type);

// What a declaration, an assignment or a `return` says of the value that it takes as a whole.
struct Declared {
    const ast::Expr* written = nullptr;  // the name that is declared, or the value that is returned
    std::optional<Rounding> round;
};
Declared declared_by(Body& b, const ast::Expr& written);

// A cast of floats that stands directly where a value is stored: of elements it is not rounded yet, of whole tensors it
// rounds as it is declared.
Val to_be_stored(Body& b, const ast::Expr& e, const Declared& declared = {});

}  // namespace tsr::elaborate
