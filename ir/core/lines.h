// Lines of the program that operations come from, for people.
#pragma once

#include <string>

#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// "line 12": in the function's own file, of what a function of another file does the line of its call; "no line" where
// the operation has no place.
std::string line_text(const Function& function, PlaceId place, const Sources& sources);

// A text that the compiler carries: a file of the standard library.
bool is_library_text(const Sources& sources, FileId file);

// Where the user's program asked for it: the innermost of its range and the calls that it was inlined at that is not of
// the standard library; its range where all are, or the sources are not known (null).
Span users_span(const Place& place, const Sources* sources);

// "solve" of the function `lu.solve.2`: its name in its file.
std::string name_in_file(const std::string& function);

// "4*n*m B": the elements of a tensor, dense.
Dim bytes_of(const Type& tensor);

}  // namespace tsr::ir
