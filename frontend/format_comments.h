// Comments in the order of the text, each given out once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/ast.h"

namespace tsr {

class CommentQueue {
public:
    CommentQueue(const std::vector<ast::Comment>& comments, std::string_view text) : comments_(comments), text_(text) {}

    // The next comment if it begins before `offset`.
    const ast::Comment* before(uint32_t offset) {
        return next_ < comments_.size() && comments_[next_].span.begin < offset ? &comments_[next_++] : nullptr;
    }
    // The next comment if it begins before `offset` and stands behind `end` on its line.
    const ast::Comment* behind(uint32_t end, uint32_t offset) {
        const ast::Comment* next = peek();
        if (!next || next->span.begin < end || next->span.begin >= offset) return nullptr;
        if (text_.substr(end, next->span.begin - end).find('\n') != std::string_view::npos) return nullptr;
        ++next_;
        return next;
    }
    [[nodiscard]] const ast::Comment* peek() const { return next_ < comments_.size() ? &comments_[next_] : nullptr; }
    // Those inside text that is kept as written.
    void drop_before(uint32_t offset) {
        while (before(offset)) {
        }
    }
    [[nodiscard]] std::string_view text(const ast::Comment& comment) const {
        auto text = text_.substr(comment.span.begin, comment.span.end - comment.span.begin);
        return text.substr(0, text.find_last_not_of(" \t\f") + 1);
    }

private:
    const std::vector<ast::Comment>& comments_;
    std::string_view text_;
    size_t next_ = 0;
};

}  // namespace tsr
