// Rounding into narrower storage by the policy of what is stored (language reference, section 3, rules 5 and 6).
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What is written, and how it is rounded to: by this, else by the value's own policy, else to nearest.
struct Storage {
    const ast::Expr* written = nullptr;  // names it: the operation's place in the program
    std::optional<Rounding> round;
};
Storage storage_of(Body& b, const ast::Expr& written);

// What goes into an element of a tensor or buffer, into a vector of consecutive ones, or into a view.
ir::ValueId stored_element(Body& b, const Storage& storage, ir::ValueId memory, const std::vector<ir::ValueId>& indices,
                           const Val& value, DType type);
ir::ValueId stored_vector(Body& b, const Storage& storage, ir::ValueId memory, const std::vector<ir::ValueId>& indices,
                          const Val& value, const ir::Type& type);
ir::ValueId stored_tile(Body& b, const Storage& storage, ir::ValueId memory, const std::vector<ir::ValueId>& starts,
                        const std::vector<int64_t>& axes, const Val& value, const ir::Type& type);

// A cast of floats that stands directly where a value is stored: of elements it is not rounded yet, of whole tensors it
// rounds as their storage says.
Val to_be_stored(Body& b, const ast::Expr& e, const Storage& storage);

}  // namespace tsr::elaborate
