// Types that hold tensors: which of these may be written.
#pragma once

#include <vector>

#include "sema/types/type.h"

namespace tsr::sema {

// A declared type, where what stands for it says what may be written: of its tensors and records, also in containers.
Type written_as(const Type& declared, const Type& given);
// What a class makes of arguments of these types: what of it may be written depends on them.
Type made_record(const Type& type, const std::vector<Type>& given);
// A tensor, or a container or record with tensors in it.
bool holds_tensors(const Type& type);
// Tuples, records, dictionaries with known keys and lists of known length of tensors and numbers, nested: what a graph
// function takes and gives leaf by leaf.
bool is_tree(const Type& type);

}  // namespace tsr::sema
