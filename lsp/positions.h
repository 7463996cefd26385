// Places in a text as the protocol counts them: lines from 0, and columns in bytes or in UTF-16 code units.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tsr::lsp {

enum class Encoding : uint8_t { utf8, utf16 };

struct Position {
    uint32_t line = 0;
    uint32_t character = 0;
    bool operator==(const Position&) const = default;
};

// Lines end with `\n`, `\r\n` or `\r`. It refers to no text: every question gets the text that it was made of.
class LineIndex {
public:
    LineIndex() = default;
    // `skip_mark`: a mark of the byte order at the begin of the text is no column. Editors do not have it in the text
    // of a file; in a text that they send it counts.
    explicit LineIndex(std::string_view text, bool skip_mark = false);

    // The byte of a position. A column behind the end of its line means that end, one in the middle of a character the
    // character's first byte, a line behind the last one the end of the text.
    [[nodiscard]] uint32_t offset(std::string_view text, Position at, Encoding encoding) const;
    [[nodiscard]] Position position(std::string_view text, uint32_t offset, Encoding encoding) const;

private:
    std::vector<uint32_t> begins_{0};
};

}  // namespace tsr::lsp
