// The text of `print` and `assert`, taken apart.
#pragma once

#include "ir/eval/program.h"

namespace tsr::ir::eval {

// Each part is the text up to the next hole, and the hole's spec; doubled braces are braces.
std::vector<TextPart> parse_text_parts(const std::string& text);

}  // namespace tsr::ir::eval
