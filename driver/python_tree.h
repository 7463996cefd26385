// How values of Tessera look in Python: trees of tensors, numbers and strings.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program/tables.h"
#include "sema/types/type.h"

namespace tsr::driver {

// Whether values of the type cross to Python and back.
bool passes_to_python(const sema::Type& type);

// The tree as driver/python/_tessera.py takes it: `("tensor", "f32", False)`. `pairs`: complex tensors are pairs of f32
// to the library, as `@jit` functions have them.
std::string python_tree(const sema::Type& type, bool pairs);

// The type as a hint of Python: `Array`, `float`, `Network`.
std::string python_hint(const sema::Type& type, bool given);

// The classes of the program that stand in the type, those in fields of others first.
void add_record_classes(const sema::Type& type, std::vector<sema::Type>& classes);

// A name as Python can write it: `with` becomes `with_`.
std::string python_name(const std::string& name);

// A text as a literal of Python.
std::string python_string(std::string_view text);

}  // namespace tsr::driver
