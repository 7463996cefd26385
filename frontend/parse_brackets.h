// Brackets: every opening one gets its closing one, in the text or put in, so that what follows never sees one missing.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/parse_lex.h"
#include "frontend/parse_report.h"

namespace tsr {

// Brackets may nest this deep; past it the rest of the file is left out. CPython's limit.
inline constexpr size_t kMostBrackets = 200;

// Reports a bracket that is never closed where it was opened, and the closing ones that fit no opening one. An unclosed
// bracket is taken to end with its line where the next line is indented no deeper, or begins with a word that only
// begins statements; so it does not swallow what follows.
std::vector<Lexeme> match_brackets(const std::vector<Lexeme>& words, std::string_view text, SyntaxReport& report);

}  // namespace tsr
