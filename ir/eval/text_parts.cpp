#include "ir/eval/text_parts.h"

namespace tsr::ir::eval {

std::vector<TextPart> parse_text_parts(const std::string& text) {
    std::vector<TextPart> parts(1);
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            parts.back().text += c;
            ++i;
        } else if (c == '{') {
            const size_t end = text.find('}', i);
            parts.back().value = true;
            const std::string hole = text.substr(i + 1, end == std::string::npos ? end : end - i - 1);
            if (hole.starts_with(':')) parts.back().spec = hole.substr(1);
            parts.emplace_back();
            if (end == std::string::npos) break;
            i = end;
        } else {
            parts.back().text += c;
        }
    }
    return parts;
}

}  // namespace tsr::ir::eval
