// Values of literals from their spelling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/ast.h"

namespace tsr {

struct BadNumber {
    std::string message;
};
// `text` begins with a digit or a point. Decimal, 0x, 0o and 0b integers and decimal floats with `_` between digits,
// and decimal integers with the suffix _KiB, _MiB or _GiB. An integer past 64 bits has `overflow` set; a float past f64
// is infinite.
std::variant<ast::IntLiteral, ast::FloatLiteral, BadNumber> read_number(std::string_view text);

struct BadEscape {
    uint32_t begin;  // bytes from the start of the text
    uint32_t end;
    std::string message;
};
struct Unescaped {
    std::string value;
    std::vector<BadEscape> bad;  // these stand in the value as written
};
// What stands between the quotes, with Python's escapes resolved unless `raw`. Line ends become '\n'. In an f-string's
// text `{{` and `}}` are single braces.
Unescaped unescape(std::string_view text, bool raw, bool doubled_braces = false);

}  // namespace tsr
