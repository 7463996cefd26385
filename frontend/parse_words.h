// Malformed words: told about, then made whole, so that everything after sees well-formed ones.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/parse_lex.h"
#include "frontend/parse_report.h"

namespace tsr {

// Reports characters that belong to no word, strings that are not closed, names with characters outside Unicode's XID
// classes. A bad character is dropped, a cut-off string becomes an ordinary one.
std::vector<Lexeme> check_words(std::vector<Lexeme> words, std::string_view text, SyntaxReport& report);

}  // namespace tsr
