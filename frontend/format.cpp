#include "frontend/format.h"

#include <algorithm>

#include <fmt/core.h>

#include "frontend/format_stmt.h"

namespace tsr {

namespace {

constexpr size_t kIndent = 4;

bool is_definition(const ast::Stmt& stmt) {
    return std::holds_alternative<ast::FunctionDef>(stmt.node) || std::holds_alternative<ast::ClassDef>(stmt.node);
}

}  // namespace

std::string StatementFormatter::run() {
    suite(module_.body, module_.docstring ? &module_.docstring_span : nullptr, size(), 0);
    return std::move(out_);
}

// ---- lines and comments ----

bool StatementFormatter::blank_between(uint32_t begin, uint32_t end) const {
    size_t ends = 0;
    for (char c : text_.substr(begin, end - std::min(end, begin))) {
        if (c == '\n') {
            ++ends;
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f') {
            ends = 0;
        }
    }
    return ends > 1;
}

void StatementFormatter::separate(uint32_t begin, bool definition) {
    if (fresh_) return;
    size_t blank = blank_between(written_, begin) ? 1 : 0;
    if (definition || after_definition_) blank = indent_ == 0 ? 2 : 1;
    out_.append(blank, '\n');
    after_definition_ = false;
}

void StatementFormatter::own_line_comments(uint32_t before, size_t column) {
    while (const auto* next = comments_.peek()) {
        if (next->span.begin >= before || (next->own_line && column_of(next->span.begin) < column)) return;
        comments_.before(before);
        separate(next->span.begin, false);
        line(comments_.text(*next));
        written_ = next->span.end;
    }
}

void StatementFormatter::trailing_comment(uint32_t end, uint32_t before) {
    while (const auto* comment = comments_.behind(end, before)) {
        out_.pop_back();
        out_ += fmt::format("  {}\n", comments_.text(*comment));
        written_ = comment->span.end;
    }
}

void StatementFormatter::suite(const ast::Block& block, const Span* docstring, uint32_t limit, size_t column) {
    fresh_ = true;
    after_definition_ = false;
    if (docstring) {
        own_line_comments(docstring->begin, 0);
        separate(docstring->begin, false);
        auto literal = text_.substr(docstring->begin, docstring->end - docstring->begin);
        std::string text;
        for (size_t i = 0; i < literal.size(); ++i) {
            if (literal[i] != '\r' || i + 1 == literal.size() || literal[i + 1] != '\n') text += literal[i];
        }
        line(text);
        written_ = docstring->end;
        trailing_comment(docstring->end, block.empty() ? limit : block.front()->span.begin);
    }
    for (size_t i = 0; i < block.size(); ++i) {
        const ast::Stmt& stmt = *block[i];
        uint32_t next = i + 1 < block.size() ? block[i + 1]->span.begin : limit;
        bool definition = is_definition(stmt);
        // Comments right above a definition are its own: the blank lines go above them.
        const auto* above = comments_.peek();
        if (definition && above && above->span.begin < stmt.span.begin && !fresh_) {
            separate(above->span.begin, true);
            fresh_ = true;
            own_line_comments(stmt.span.begin, 0);
            fresh_ = !blank_between(written_, stmt.span.begin);
        } else {
            own_line_comments(stmt.span.begin, 0);
        }
        separate(stmt.span.begin, definition && !fresh_);
        statement(stmt, next);
        after_definition_ = definition;
    }
    own_line_comments(limit, column);
}

void StatementFormatter::nested(const ast::Block& block, const Span* docstring, uint32_t limit) {
    indent_ += kIndent;
    uint32_t first = docstring ? docstring->begin : block.empty() ? limit : block.front()->span.begin;
    // Comments behind the block that are indented less than it belong to what follows.
    size_t begin = text_.rfind('\n', first) == std::string_view::npos ? 0 : text_.rfind('\n', first) + 1;
    size_t column = text_.find_first_not_of(" \t\f", begin) - begin;
    bool own_lines = column == column_of(first);
    suite(block, docstring, limit, own_lines ? column : column + 1);
    indent_ -= kIndent;
    fresh_ = false;
}

void StatementFormatter::statement(const ast::Stmt& stmt, uint32_t limit) {
    uint32_t outer = limit_;
    limit_ = limit;
    std::visit(*this, stmt.node);
    limit_ = outer;
    written_ = std::max(written_, stmt.span.end);
    trailing_comment(stmt.span.end, limit);
}

std::string format(const ast::Module& module, const Sources& sources) {
    return StatementFormatter(module, sources.text(module.file)).run();
}

}  // namespace tsr
