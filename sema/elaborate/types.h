// Types of the checker as types of the IR.
#pragma once

#include <optional>

#include "ir/core/type.h"
#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::elaborate {

// Of scalars, vectors, tiles, tensors, buffers, strings, lists and dictionaries; else `none`.
ir::Type ir_type(const sema::Type& type);
// As an item of a container: there a tuple is one value.
ir::Type item_ir_type(const sema::Type& type);

// Scalars, vectors and register tiles: what elementwise operations take.
bool holds_elements(const ir::Type& type);
// The element type of a scalar, vector or register tile.
std::optional<DType> element_dtype(const sema::Type& type);

// The type that arithmetic on values of this type works in when nothing else is said: f32 for narrow floats, i8 for i4.
DType computing(DType type);

// The type of a static number that no context gave one: i32, i64 if needed, f32, bool.
DType default_type(const sema::Static& value);

// The one of the two to which the other widens exactly; an index wins against signed integers.
DType joined(DType a, DType b);

// The types of what a function with this result gives in the IR: of a tuple one per part.
void result_types(const sema::Type& type, std::vector<ir::Type>& types);

}  // namespace tsr::elaborate
