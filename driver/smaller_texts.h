// What could be left out of a program, or stand there in a shorter form: edits of its text, found in its syntax tree.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/sources.h"
#include "frontend/ast.h"

namespace tsr::driver {

// A range of the text and what could stand there instead.
struct Edit {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::string text;
};

// Edits of one text, in order and none inside of another.
std::string applied(const std::string& text, const std::vector<Edit>& edits);

// The statements of one block. A block whose statements all go keeps a `pass`.
struct BlockEdits {
    std::vector<Edit> removals;  // of each statement
    bool may_be_empty = false;   // the module's
};

class SmallerTexts {
public:
    explicit SmallerTexts(const std::string& text);

    // Outer blocks before those in them, in the order of the text.
    [[nodiscard]] std::vector<BlockEdits> blocks() const;
    // Each makes one statement smaller: its body without what is around it, without `else`, a decorator, a docstring.
    [[nodiscard]] std::vector<Edit> simpler_statements() const;
    // Comments, and lines without a word.
    [[nodiscard]] std::vector<Edit> unread_lines() const;
    // What could stand for each expression, outer ones before those in them; the shortest first.
    [[nodiscard]] std::vector<std::vector<Edit>> simpler_expressions() const;

private:
    void add_blocks(const ast::Block& block, std::vector<BlockEdits>& all) const;
    [[nodiscard]] Edit removal(const ast::Stmt& stmt) const;
    [[nodiscard]] Edit whole_lines(Span span) const;
    [[nodiscard]] std::string body_text(const ast::Block& body, const ast::Stmt& around) const;
    void add_simpler(const ast::Stmt& stmt, std::vector<Edit>& edits) const;
    [[nodiscard]] std::vector<Edit> simpler(const ast::Expr& expr) const;
    [[nodiscard]] std::string_view text() const { return sources_.text(file_); }

    Sources sources_;
    FileId file_;
    std::unique_ptr<ast::Module> module_;
};

}  // namespace tsr::driver
