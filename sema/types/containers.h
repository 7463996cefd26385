// The types of containers of host programs.
#pragma once

#include "sema/types/type.h"

namespace tsr::sema {

// A type as an item of a container has it: nothing is known of the extents of tensors, so that all of one rank fit.
Type as_item(const Type& type);
// As a variable of the host holds it: containers whose tensors have no known extents. The length of a list is what it
// was made with; a graph compares it when the program runs.
Type stored(const Type& type);
// Nothing is known of the extents of the tensors in a tree.
Type without_extents(const Type& type);
// The one type of the items of a tuple or list, in which extents may differ; nothing where there is none.
std::optional<Type> common_item(const std::vector<Type>& items);
// The same of lists that others may stand for, however long they are.
Type without_lengths(const Type& type);
// A list of these items, of which nothing says how many there are.
Type any_length(const Type& list);
// Whether a tree has the form that is declared: lists of any length, dictionaries with any keys, tensors of any
// extents.
bool has_form(const Type& given, const Type& declared);
// Whether a declared type leaves open how long a list is or which keys a dictionary has.
bool leaves_form(const Type& declared);
// A dictionary whose keys are in its type as one that takes any keys; nothing where its values have no common type.
std::optional<Type> with_any_keys(const Type& keyed);
// The names in made syntax of what `.keys()` and its kin give, by the keys and the method.
std::string parts_form(const Type& keyed, const std::string& method);
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
