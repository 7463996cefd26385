// How a string stands inside of a printed container.
#pragma once

#include <string>
#include <string_view>

namespace tsr {

// As Python's repr() writes it: in single quotes, or in double quotes where it holds single ones alone; quotes of the
// kind around it, backslashes and control characters escaped. The runtime does the same to strings it meets in lists.
std::string string_repr(std::string_view text);

}  // namespace tsr
