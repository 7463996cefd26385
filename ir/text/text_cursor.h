// Reading of IR text, character by character. The first error stays; after it every read fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/core/type.h"

namespace tsr::ir {

class TextCursor {
public:
    explicit TextCursor(std::string_view text) : text_(text) {}

    // Blanks, line ends and `//` comments do not count.
    bool at_end();
    [[nodiscard]] char peek();
    bool take(char c);            // if it comes next
    bool take(std::string_view);  // a word or sign, if it comes next
    bool want(char c);            // else an error
    // True when more stands on this line.
    [[nodiscard]] bool more_on_line() const;
    // True when an identifier and then `=` come next: an attribute.
    [[nodiscard]] bool at_assignment();

    std::optional<std::string> word();        // letters, digits, _ and .
    std::optional<std::string> value_name();  // behind a percent sign
    std::optional<std::string> quoted();
    std::optional<int64_t> integer();
    std::optional<uint32_t> number();
    // A literal with sign, point and exponent, `inf`, `nan`, `nan(0x…)`, as it is written.
    std::string_view literal();
    std::optional<Dim> dim();
    std::optional<std::vector<Dim>> dims();  // with the brackets
    std::optional<std::string> symbol();     // a dimension's name
    std::optional<Type> type();

    // Always false. The message is "LINE:COLUMN: what".
    bool fail(const std::string& what) { return fail_at(at_, what); }
    bool fail_at(size_t position, const std::string& what);
    [[nodiscard]] size_t position() const { return at_; }
    [[nodiscard]] bool failed() const { return !error_.empty(); }
    [[nodiscard]] const std::string& error() const { return error_; }

private:
    void skip();
    std::optional<Type> element_type(std::string_view word);
    std::optional<Type> container(std::string_view kind);
    std::optional<Type> part();
    std::optional<Policy> policy();  // what stands behind a tensor's shape: `@accum(f32) @round(rz)`

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;  // containers around what is read
    std::string error_;
};

}  // namespace tsr::ir
