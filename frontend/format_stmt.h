// Statements → lines: blocks, blank lines and comments between statements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/format_comments.h"
#include "frontend/format_doc.h"
#include "frontend/format_expr.h"

namespace tsr {

// Columns, where brackets allow a break.
inline constexpr size_t kFormatWidth = 100;

class StatementFormatter {
public:
    StatementFormatter(const ast::Module& module, std::string_view text)
        : module_(module), text_(text), comments_(module.comments, text) {}

    std::string run();

    // Statements without their trailing comment; `limit_` is where the next one begins.
    void operator()(const ast::BrokenStmt&) {}
    void operator()(const ast::ExprStmt& stmt);
    void operator()(const ast::Assign& assign);
    void operator()(const ast::AugmentedAssign& assign);
    void operator()(const ast::AnnotatedAssign& assign);
    void operator()(const ast::If& branching);
    void operator()(const ast::For& loop);
    void operator()(const ast::While& loop);
    void operator()(const ast::Break&) { line("break"); }
    void operator()(const ast::Continue&) { line("continue"); }
    void operator()(const ast::Pass&) { line("pass"); }
    void operator()(const ast::Return& stmt);
    void operator()(const ast::Assert& assertion);
    void operator()(const ast::FunctionDef& function);
    void operator()(const ast::ClassDef& definition);
    void operator()(const ast::Import& import);
    void operator()(const ast::FromImport& import);

private:
    // Docstring and statements, at `indent_`; comments up to `limit` that stand at `column` or deeper belong to it.
    void suite(const ast::Block& block, const Span* docstring, uint32_t limit, size_t column);
    void nested(const ast::Block& block, const Span* docstring, uint32_t limit);
    void write_else(const ast::Block& block, uint32_t begin, uint32_t limit);
    void rounds(Span header, const ast::Block& body, const ast::Block& otherwise, uint32_t limit);
    void statement(const ast::Stmt& stmt, uint32_t limit);
    void own_line_comments(uint32_t before, size_t column);
    void trailing_comment(uint32_t end, uint32_t before);
    void decorators(const std::vector<ast::Decorator>& list);

    // A blank line stands right before `end`.
    [[nodiscard]] bool blank_between(uint32_t begin, uint32_t end) const;
    // What separates an item that begins at `begin` from the one before it.
    void separate(uint32_t begin, bool definition);
    void line(std::string_view text) {
        out_.append(indent_, ' ');
        out_ += text;
        out_ += '\n';
        fresh_ = false;
    }
    template <typename Make>
    void write(Make make) {
        layout::Docs docs;
        ExprFormatter format(docs, comments_, text_);
        layout::Doc doc = make(format, docs);
        line(docs.render(doc, indent_, kFormatWidth));
    }
    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
    [[nodiscard]] size_t column_of(uint32_t offset) const {
        return offset == 0 ? 0 : offset - (text_.rfind('\n', offset - 1) + 1);
    }
    [[nodiscard]] uint32_t else_after(uint32_t offset) const;

    const ast::Module& module_;
    std::string_view text_;
    CommentQueue comments_;
    std::string out_;
    size_t indent_ = 0;
    bool fresh_ = true;              // nothing stands in this block yet
    bool after_definition_ = false;  // the item before was a definition
    uint32_t written_ = 0;           // where the item before ended in the text
    uint32_t limit_ = 0;
};

}  // namespace tsr
