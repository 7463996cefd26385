// Arrays of each tile's own. The elements are values in a slot of the body, which `if` and loops join as they do those
// of variables; the variables hold references to the slot. A static index names an element, another one chooses.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The place of the indices in the row-major order: a number where all are static, else a value.
Val row_major(Body& b, const std::vector<int64_t>& shape, const std::vector<Val>& indices);
// The element with the number `at`, which is not static; any of them where there is none.
ir::ValueId chosen_element(Body& b, std::vector<ir::ValueId> elements, const Val& at);

Val new_local_array(Body& b, const sema::Type& type);
Val read_local(Body& b, const Val& array, const sema::Type& type, const std::vector<Val>& indices);
void write_local(Body& b, const Val& array, const sema::Type& type, const std::vector<Val>& indices, const Val& value);

// Behind a loop: forgets the arrays that it made.
void forget_locals(Body& b, const Env& before);

}  // namespace tsr::elaborate
