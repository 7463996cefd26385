// Lines: which line ends end a statement, and where blocks begin and end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/parse_lex.h"
#include "frontend/parse_report.h"

namespace tsr {

// Blocks may nest this deep; past it the rest of the file is left out. CPython's limit.
inline constexpr size_t kMostIndents = 100;

struct Layout {
    std::vector<Lexeme> words;  // with NEWLINE only where a statement ends, INDENT and DEDENT, without comments
    std::vector<ast::Comment> comments;
    std::vector<uint32_t> lines;  // where each logical line begins, ascending
};

// The words' brackets must match. Every INDENT has its DEDENT, every logical line its NEWLINE. Indentation that opens
// no block, fits no level, or mixes tabs with spaces is reported and gives no INDENT.
// `in_block`: the text is that of a block, whose first line is indented.
Layout lay_out(const std::vector<Lexeme>& words, std::string_view text, bool in_block, SyntaxReport& report);

}  // namespace tsr
