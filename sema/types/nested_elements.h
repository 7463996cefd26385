// Elements of tuples in tuples, each named by one number.
#pragma once

#include <string>
#include <vector>

#include "sema/types/type.h"

namespace tsr::sema {

// The number of a tuple's element, of tuples in tuples the numbers together: eight bits each, the outermost lowest,
// those of inner ones from 1. `outer`: the number of the tuple itself, -1 where it stands in none.
int nested_element(int outer, size_t number);
// Whether element `number` of the tuple `outer` has such a number: three levels have, of 254 elements each.
bool has_nested_element(int outer, size_t number);

// The numbers from the outermost tuple to the element; none for -1.
std::vector<size_t> path_of_element(int element);
// ".0.1", nothing for -1.
std::string text_of_element(int element);
// Null where the type has no such element.
const Type* type_of_element(const Type& type, int element);

}  // namespace tsr::sema
