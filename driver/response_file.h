// Arguments kept in a file: `tesserac @FILE`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tsr::driver {

// The words of a text, separated by blanks and ends of lines. '…' keeps all characters, "…" all but those behind a
// backslash, and a backslash the one behind it; `#` at the beginning of a word begins a comment. Fails on a quote that
// is not closed.
Result<std::vector<std::string>> split_words(std::string_view text);

// The words of a file. Fails when it can not be read.
Result<std::vector<std::string>> read_response_file(const std::string& path);

}  // namespace tsr::driver
