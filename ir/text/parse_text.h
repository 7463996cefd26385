// Reads what `print.h` writes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ir/core/function.h"

namespace tsr::ir {

// The message of a failure is "LINE:COLUMN: what was expected". Types and levels are not judged: that is `verify`.
Result<Module> parse_text(std::string_view text);

}  // namespace tsr::ir
