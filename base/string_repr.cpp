#include "base/string_repr.h"

#include <fmt/core.h>

namespace tsr {

std::string string_repr(std::string_view text) {
    const bool single_alone = text.find('\'') != text.npos && text.find('"') == text.npos;
    const char quote = single_alone ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            out += {'\\', c};
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (byte < 0x20 || byte == 0x7F)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + quote;
}

}  // namespace tsr
