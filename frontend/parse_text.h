// Source text as the lexer sees it: code points, each with its place in bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tsr {

// Offset of the first byte that is not part of a well-formed UTF-8 sequence; npos if there is none.
size_t find_invalid_utf8(std::string_view text);

// From indices of code points to offsets of bytes. A byte order mark is no part of the text that is lexed.
class CodePoints {
public:
    // `text` must be valid UTF-8 and outlive this.
    explicit CodePoints(std::string_view text);

    // What is to be lexed.
    [[nodiscard]] std::string_view body() const { return body_; }
    // Byte offset in the whole text of the index-th code point of the body. An index past the end gives the end.
    [[nodiscard]] uint32_t byte(size_t index) const;

private:
    std::string_view body_;
    uint32_t skipped_ = 0;           // bytes of the byte order mark
    std::vector<uint32_t> offsets_;  // empty for ASCII, where both count the same
};

}  // namespace tsr
