// Characters beyond ASCII in source text.
#pragma once

#include <string>
#include <string_view>

namespace tsr {

struct DecodedChar {
    char32_t value = 0;
    unsigned length = 1;  // bytes
};

// The first character of valid, non-empty UTF-8.
DecodedChar decode_utf8(std::string_view text);
// Empty for a surrogate or a value past U+10FFFF: those have no encoding.
std::string encode_utf8(char32_t value);

// Unicode's XID_Start and XID_Continue, with the underscore in both.
bool is_identifier_start(char32_t c);
bool is_identifier_continue(char32_t c);

// The ASCII text that was most likely meant by a character that looks like it: a typographic quote or dash, a
// full-width bracket, a no-break space. Empty if there is none.
std::string_view ascii_lookalike(char32_t c);

}  // namespace tsr
