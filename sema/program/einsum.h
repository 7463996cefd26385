// The text of `einsum`: "bij,bjk->bik".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tsr::sema {

// A letter for each axis; the axes of `...` are digits, '0' the last of them.
struct EinsumText {
    std::vector<std::string> operands;
    std::string result;
};

// As numpy.einsum reads it, for tensors of these ranks: blanks count nothing, without "->" the result has the letters
// that stand once, in alphabetical order, behind the axes of `...`. Gives what is wrong, nothing where all is right.
std::optional<std::string> read_einsum(std::string_view text, const std::vector<size_t>& ranks, EinsumText& read);

}  // namespace tsr::sema
