// The steps before the parser, for who runs the generated parser by itself: the test that the grammar is unambiguous.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <antlr4-runtime.h>

#include "frontend/parse_layout.h"

namespace tsr {

// Text (valid UTF-8) → the words that the parser reads.
Layout read_words(std::string_view text, SyntaxReport& report);
// Start and stop of a token are byte offsets, the stop one past the last.
std::vector<std::unique_ptr<antlr4::Token>> parser_tokens(const std::vector<Lexeme>& words);

}  // namespace tsr
