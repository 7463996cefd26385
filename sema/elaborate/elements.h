// Elements of values that have no memory of their own.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What a slice with static bounds takes of a tuple or list.
Val part_of_items(Body& b, const Val& whole, const ast::Slice& slice);
// Element `index` of a tuple, list or vector: by name where it is static, else chosen when the program runs.
Val element_of(Body& b, const Val& whole, const Val& index);

}  // namespace tsr::elaborate
