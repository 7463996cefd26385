// Lines of the program that operations come from, for people.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// "line 12": in the function's own file, of what a function of another file does the line of its call; "no line" where
// the operation has no place.
std::string line_text(const Function& function, PlaceId place, const Sources& sources);

// "4*n*m B": the elements of a tensor, dense.
Dim bytes_of(const Type& tensor);

}  // namespace tsr::ir
