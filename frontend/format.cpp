#include "frontend/format.h"

#include <algorithm>

#include <fmt/core.h>

#include "frontend/format_comments.h"
#include "frontend/format_expr.h"
#include "frontend/spelling.h"

namespace tsr {

using layout::Doc;
using layout::Docs;

namespace {

constexpr size_t kWidth = 100;
constexpr size_t kIndent = 4;

bool is_definition(const ast::Stmt& stmt) {
    return std::holds_alternative<ast::FunctionDef>(stmt.node) || std::holds_alternative<ast::ClassDef>(stmt.node);
}

std::string dotted(const std::vector<ast::Identifier>& path) {
    std::string out;
    for (const auto& part : path) out += (out.empty() ? "" : ".") + part.text;
    return out;
}

std::string imported(const ast::ImportedName& name) {
    return name.alias ? fmt::format("{} as {}", dotted(name.path), name.alias->text) : dotted(name.path);
}

class Formatter {
public:
    Formatter(const ast::Module& module, std::string_view text)
        : module_(module), text_(text), comments_(module.comments, text) {}

    std::string run() {
        suite(module_.body, module_.docstring ? &module_.docstring_span : nullptr, size(), 0);
        return std::move(out_);
    }

    // Statements without their trailing comment; `limit_` is where the next one begins.
    void operator()(const ast::BrokenStmt&) {}
    void operator()(const ast::ExprStmt& stmt) {
        write([&](ExprFormatter& format, Docs&) { return format.expr(stmt.value); });
    }
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
        Docs docs;
        ExprFormatter format(docs, comments_, text_);
        Doc doc = make(format, docs);
        line(docs.render(doc, indent_, kWidth));
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

// ---- lines and comments ----

bool Formatter::blank_between(uint32_t begin, uint32_t end) const {
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

void Formatter::separate(uint32_t begin, bool definition) {
    if (fresh_) return;
    size_t blank = blank_between(written_, begin) ? 1 : 0;
    if (definition || after_definition_) blank = indent_ == 0 ? 2 : 1;
    out_.append(blank, '\n');
    after_definition_ = false;
}

void Formatter::own_line_comments(uint32_t before, size_t column) {
    while (const auto* next = comments_.peek()) {
        if (next->span.begin >= before || (next->own_line && column_of(next->span.begin) < column)) return;
        comments_.before(before);
        separate(next->span.begin, false);
        line(comments_.text(*next));
        written_ = next->span.end;
    }
}

void Formatter::trailing_comment(uint32_t end, uint32_t before) {
    while (const auto* comment = comments_.behind(end, before)) {
        out_.pop_back();
        out_ += fmt::format("  {}\n", comments_.text(*comment));
        written_ = comment->span.end;
    }
}

void Formatter::suite(const ast::Block& block, const Span* docstring, uint32_t limit, size_t column) {
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

void Formatter::nested(const ast::Block& block, const Span* docstring, uint32_t limit) {
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

void Formatter::statement(const ast::Stmt& stmt, uint32_t limit) {
    uint32_t outer = limit_;
    limit_ = limit;
    std::visit(*this, stmt.node);
    limit_ = outer;
    written_ = std::max(written_, stmt.span.end);
    trailing_comment(stmt.span.end, limit);
}

// ---- simple statements ----

void Formatter::operator()(const ast::Assign& assign) {
    write([&](ExprFormatter& format, Docs& docs) {
        std::vector<Doc> parts;
        for (const auto* target : assign.targets) {
            parts.push_back(format.expr(target));
            parts.push_back(docs.text(" = "));
        }
        parts.push_back(format.expr(assign.value));
        return docs.concat(std::move(parts));
    });
}

void Formatter::operator()(const ast::AugmentedAssign& assign) {
    write([&](ExprFormatter& format, Docs& docs) {
        auto target = format.expr(assign.target);
        return docs.concat({target, docs.text(fmt::format(" {}= ", spelling(assign.op))), format.expr(assign.value)});
    });
}

void Formatter::operator()(const ast::AnnotatedAssign& assign) {
    write([&](ExprFormatter& format, Docs& docs) {
        std::vector<Doc> parts{format.expr(assign.target), docs.text(": "), format.annotation(assign.annotation)};
        if (assign.value) {
            parts.push_back(docs.text(" = "));
            parts.push_back(format.expr(assign.value));
        }
        return docs.concat(std::move(parts));
    });
}

void Formatter::operator()(const ast::Return& stmt) {
    if (!stmt.value) return line("return");
    write([&](ExprFormatter& format, Docs& docs) {
        return docs.concat({docs.text("return "), format.expr(stmt.value)});
    });
}

void Formatter::operator()(const ast::Assert& assertion) {
    write([&](ExprFormatter& format, Docs& docs) {
        std::vector<Doc> parts{docs.text("assert "), format.expr(assertion.condition)};
        if (assertion.message) {
            parts.push_back(docs.text(", "));
            parts.push_back(format.expr(assertion.message));
        }
        return docs.concat(std::move(parts));
    });
}

void Formatter::operator()(const ast::Import& import) {
    std::string text;
    for (const auto& name : import.names) text += (text.empty() ? "" : ", ") + imported(name);
    line(fmt::format("import {}", text));
}

void Formatter::operator()(const ast::FromImport& import) {
    write([&](ExprFormatter& format, Docs& docs) {
        auto head = docs.text(fmt::format("from {} import ", dotted(import.module)));
        if (import.names.empty()) return docs.concat({head, docs.text("*")});
        std::vector<ExprFormatter::Element> names;
        for (const auto& name : import.names) {
            uint32_t end = name.alias ? name.alias->span.end : name.path[0].span.end;
            names.push_back({name.path[0].span.begin, end, [&docs, &name] { return docs.text(imported(name)); }});
        }
        uint32_t end = names.back().end;
        // Behind the last name the closing parenthesis, if there is one, ends the statement.
        auto rest = text_.substr(end, limit_ - end);
        for (size_t i = 0; i < rest.size() && rest[i] != ')'; ++i) {
            if (rest[i] == '#') i = std::min(rest.find('\n', i), rest.size() - 1);
            if (std::string_view(" \t\f\r\n,").find(rest[i]) == std::string_view::npos) break;
            if (i + 1 < rest.size() && rest[i + 1] == ')') end += static_cast<uint32_t>(i) + 1;
        }
        return docs.concat({head, format.bracketed({"(", ")", true, true}, names, end)});
    });
}

// ---- compound statements ----

// Where the `else` behind a block that ends at `offset` stands: only comments and white space are between.
uint32_t Formatter::else_after(uint32_t offset) const {
    while (offset < size() && text_.substr(offset, 4) != "else") {
        offset =
            text_[offset] == '#' ? static_cast<uint32_t>(std::min(text_.find('\n', offset), text_.size())) : offset + 1;
    }
    return offset;
}

void Formatter::operator()(const ast::If& branching) {
    uint32_t limit = limit_;
    for (size_t i = 0; i < branching.branches.size(); ++i) {
        const auto& branch = branching.branches[i];
        bool last = i + 1 == branching.branches.size();
        uint32_t end = branch.body.empty() ? branch.header.end : branch.body.back()->span.end;
        uint32_t orelse = last && !branching.otherwise.empty() ? else_after(end) : limit;
        uint32_t next = last ? orelse : branching.branches[i + 1].header.begin;
        if (i > 0) own_line_comments(branch.header.begin, 0);
        write([&](ExprFormatter& format, Docs& docs) {
            auto word = docs.text(i == 0 ? "if " : "elif ");
            return docs.concat({word, format.expr(branch.condition), docs.text(":")});
        });
        written_ = branch.header.end;
        trailing_comment(branch.header.end, branch.body.empty() ? next : branch.body.front()->span.begin);
        nested(branch.body, nullptr, next);
        if (!last || branching.otherwise.empty()) continue;
        own_line_comments(orelse, 0);
        line("else:");
        written_ = orelse + 4;
        trailing_comment(orelse + 4, branching.otherwise.front()->span.begin);
        nested(branching.otherwise, nullptr, limit);
    }
}

void Formatter::operator()(const ast::For& loop) {
    uint32_t limit = limit_;
    write([&](ExprFormatter& format, Docs& docs) {
        auto target = format.expr(loop.target);
        return docs.concat({docs.text("for "), target, docs.text(" in "), format.expr(loop.iterable), docs.text(":")});
    });
    written_ = loop.header.end;
    trailing_comment(loop.header.end, loop.body.empty() ? limit : loop.body.front()->span.begin);
    nested(loop.body, nullptr, limit);
}

void Formatter::operator()(const ast::While& loop) {
    uint32_t limit = limit_;
    write([&](ExprFormatter& format, Docs& docs) {
        return docs.concat({docs.text("while "), format.expr(loop.condition), docs.text(":")});
    });
    written_ = loop.header.end;
    trailing_comment(loop.header.end, loop.body.empty() ? limit : loop.body.front()->span.begin);
    nested(loop.body, nullptr, limit);
}

// One to a line.
void Formatter::decorators(const std::vector<ast::Decorator>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
        const auto& decorator = list[i];
        own_line_comments(decorator.span.begin, 0);
        write([&](ExprFormatter& format, Docs& docs) {
            std::vector<Doc> parts{docs.text("@"), format.expr(decorator.value)};
            for (const auto* clause : decorator.clauses) {
                parts.push_back(docs.text(" "));
                parts.push_back(format.expr(clause));
            }
            return docs.concat(std::move(parts));
        });
        written_ = decorator.span.end;
        trailing_comment(decorator.span.end, i + 1 < list.size() ? list[i + 1].span.begin : limit_);
    }
}

void Formatter::operator()(const ast::FunctionDef& function) {
    uint32_t limit = limit_;
    decorators(function.decorators);
    own_line_comments(function.header.begin, 0);
    write([&](ExprFormatter& format, Docs& docs) {
        uint32_t end = function.result ? function.result->span.begin : function.header.end;
        std::vector<Doc> parts{docs.text(fmt::format("def {}", function.name.text)),
                               format.bracketed({"(", ")"}, format.parameters(function.parameters), end)};
        if (function.result) {
            parts.push_back(docs.text(" -> "));
            parts.push_back(format.annotation(function.result));
        }
        parts.push_back(docs.text(":"));
        return docs.concat(std::move(parts));
    });
    written_ = function.header.end;
    const Span* docstring = function.docstring ? &function.docstring_span : nullptr;
    uint32_t first = docstring ? docstring->begin : function.body.empty() ? limit : function.body.front()->span.begin;
    trailing_comment(function.header.end, first);
    nested(function.body, docstring, limit);
}

void Formatter::operator()(const ast::ClassDef& definition) {
    uint32_t limit = limit_;
    decorators(definition.decorators);
    own_line_comments(definition.header.begin, 0);
    write([&](ExprFormatter& format, Docs& docs) {
        auto name = docs.text(fmt::format("class {}", definition.name.text));
        if (definition.bases.empty()) return docs.concat({name, docs.text(":")});
        std::vector<ExprFormatter::Element> bases;
        for (const auto* base : definition.bases) {
            bases.push_back({base->span.begin, base->span.end, [&format, base] { return format.expr(base); }});
        }
        return docs.concat({name, format.bracketed({"(", ")"}, bases, definition.header.end), docs.text(":")});
    });
    written_ = definition.header.end;
    const Span* docstring = definition.docstring ? &definition.docstring_span : nullptr;
    uint32_t first = docstring                 ? docstring->begin
                     : definition.body.empty() ? limit
                                               : definition.body.front()->span.begin;
    trailing_comment(definition.header.end, first);
    nested(definition.body, docstring, limit);
}

}  // namespace

std::string format(const ast::Module& module, const Sources& sources) {
    return Formatter(module, sources.text(module.file)).run();
}

}  // namespace tsr
