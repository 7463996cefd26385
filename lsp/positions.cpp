#include "lsp/positions.h"

#include <algorithm>

namespace tsr::lsp {

namespace {

// A character of the text: its bytes, and what it counts in an encoding. A byte that begins no character is one.
struct Step {
    uint32_t bytes = 1;
    uint32_t units = 1;
};

Step step_at(std::string_view text, uint32_t offset, Encoding encoding) {
    const auto first = static_cast<unsigned char>(text[offset]);
    uint32_t bytes = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
    for (uint32_t i = 1; i < bytes; ++i) {
        const bool follows =
            offset + i < text.size() && (static_cast<unsigned char>(text[offset + i]) & 0xC0U) == 0x80U;
        if (!follows) bytes = 1;
    }
    if (encoding == Encoding::utf8) return {bytes, bytes};
    return {bytes, bytes == 4 ? 2U : 1U};
}

}  // namespace

LineIndex::LineIndex(std::string_view text, bool skip_mark) {
    if (skip_mark && text.starts_with("\xEF\xBB\xBF")) begins_.front() = 3;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
        if (text[i] == '\n' || text[i] == '\r') begins_.push_back(static_cast<uint32_t>(i + 1));
    }
}

uint32_t LineIndex::offset(std::string_view text, Position at, Encoding encoding) const {
    if (at.line >= begins_.size()) return static_cast<uint32_t>(text.size());
    uint32_t offset = begins_[at.line];
    uint32_t column = 0;
    while (offset < text.size() && text[offset] != '\n' && text[offset] != '\r') {
        const Step step = step_at(text, offset, encoding);
        if (column + step.units > at.character) break;
        column += step.units;
        offset += step.bytes;
    }
    return offset;
}

Position LineIndex::position(std::string_view text, uint32_t offset, Encoding encoding) const {
    offset = std::min(offset, static_cast<uint32_t>(text.size()));
    const auto behind = std::ranges::upper_bound(begins_, offset);
    const auto line = static_cast<uint32_t>(behind == begins_.begin() ? 0 : behind - begins_.begin() - 1);
    uint32_t column = 0;
    for (uint32_t i = begins_[line]; i < offset;) {
        const Step step = step_at(text, i, encoding);
        if (i + step.bytes > offset) break;
        column += step.units;
        i += step.bytes;
    }
    return {line, column};
}

}  // namespace tsr::lsp
