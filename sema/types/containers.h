// The types of containers of host programs.
#pragma once

#include "sema/types/type.h"

namespace tsr::sema {

// A type as an item of a container has it: nothing is known of the extents of tensors, so that all of one rank fit.
Type as_item(const Type& type);
// As a variable of the host holds it: containers of no known length, their tensors of no known extents.
Type stored(const Type& type);
// The type of a variable that is given tensors of these types in turn, of one rank: an extent that differs is not
// known.
Type of_either_extent(const Type& a, const Type& b);
// A tensor's extents, some of which are not known.
bool has_unknown_extents(const Type& type);
// An empty container, and nothing says what it holds.
bool names_no_type(const Type& type);
// A function that holds values, or what has one in it: it stays in the function that made it.
bool holds_function_values(const Type& type);
// What a container of a host program may hold: no function, type, module or range, nor nothing at all.
bool is_item(const Type& type);
// Of numbers, strings, truth values, or sequences of them.
bool is_ordered(const Type& type);
// The one type that two sequences or dictionaries have where they are compared or joined; none if they differ.
std::optional<Type> common_container(const Type& a, const Type& b);

}  // namespace tsr::sema
