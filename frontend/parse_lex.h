// Text → words. The f-strings' modes are switched here, between words; all else is the lexer grammar's.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tsr {

// One word: its type by the lexer grammar's number and its range in bytes of the file. Words that layout or recovery
// put in are empty ranges.
struct Lexeme {
    uint32_t type = 0;
    uint32_t begin = 0;
    uint32_t end = 0;
};

// The type of the word after the last.
inline constexpr uint32_t kEndOfFile = UINT32_MAX;

// All words in order, comments and line ends among them, an end-of-file word last. An f-string that is not closed where
// it must be ends with BAD_FSTRING_END, its open holes with an empty HOLE_CLOSE. `text` must be valid UTF-8.
std::vector<Lexeme> lex(std::string_view text);

}  // namespace tsr
