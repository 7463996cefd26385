#include "runtime/text/quoted.h"

#include "runtime/fail.h"
#include "runtime/text/string.h"

namespace tsr::runtime {

std::string quoted(std::string_view text) {
    char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string result(1, quote);
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            result += {'\\', c};
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (c == '\r') {
            result += "\\r";
        } else if (byte < 0x20 || byte == 0x7F) {
            result += runtime::text("\\x%02x", byte);
        } else {
            result += c;
        }
    }
    return result + quote;
}

}  // namespace tsr::runtime

extern "C" TsrString* tsr_string_repr(const TsrString* text) {
    using namespace tsr::runtime;
    return make_string(quoted(view(text)));
}
