// Strings in quotes.
#pragma once

#include <string>
#include <string_view>

namespace tsr::runtime {

// As Python's repr() writes it, with the quote that needs no escape.
std::string quoted(std::string_view text);

}  // namespace tsr::runtime
