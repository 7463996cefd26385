// Types of the checker as types of the IR.
#pragma once

#include <optional>

#include "ir/core/type.h"
#include "sema/types/type.h"

namespace tsr::elaborate {

// Of scalars, vectors, tiles, tensors, buffers, strings, lists and dictionaries; else `none`.
ir::Type ir_type(const sema::Type& type);
// A key of a dictionary as a name of the IR: what no name holds is `.` and two hexadecimal digits, an empty key `.`
// alone. The IR's record for such a dictionary has the name `.dict`.
std::string key_word(const std::string& key);
// As an item of a container: there a tuple is one value.
ir::Type item_ir_type(const sema::Type& type);

// Scalars, vectors and register tiles: what elementwise operations take.
bool holds_elements(const ir::Type& type);
// The element type of a scalar, vector or register tile.
std::optional<DType> element_dtype(const sema::Type& type);

// The types of what a function with this result gives in the IR: of a tuple one per part.
void result_types(const sema::Type& type, std::vector<ir::Type>& types);

}  // namespace tsr::elaborate
