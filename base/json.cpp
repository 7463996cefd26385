#include "base/json.h"

#include <fmt/core.h>

#include "base/terminal.h"

namespace tsr {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) {
            const Character character = first_character(text.substr(i));
            out += character.code == kNoCharacter ? "\uFFFD" : text.substr(i, character.bytes);
            i += character.bytes - 1;
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += fmt::format("\\u{:04x}", byte);
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace tsr
