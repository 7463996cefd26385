#include "frontend/format_stmt.h"

#include <algorithm>

#include <fmt/core.h>

#include "frontend/spelling.h"

namespace tsr {

using layout::Doc;
using layout::Docs;

namespace {

std::string imported(const ast::ImportedName& name) {
    return name.alias ? fmt::format("{} as {}", dotted(name.path), name.alias->text) : dotted(name.path);
}

}  // namespace

// ---- simple statements ----

void StatementFormatter::operator()(const ast::ExprStmt& stmt) {
    write([&](ExprFormatter& format, Docs&) { return format.expr(stmt.value); });
}

void StatementFormatter::operator()(const ast::Assign& assign) {
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

void StatementFormatter::operator()(const ast::AugmentedAssign& assign) {
    write([&](ExprFormatter& format, Docs& docs) {
        auto target = format.expr(assign.target);
        return docs.concat({target, docs.text(fmt::format(" {}= ", spelling(assign.op))), format.expr(assign.value)});
    });
}

void StatementFormatter::operator()(const ast::AnnotatedAssign& assign) {
    write([&](ExprFormatter& format, Docs& docs) {
        std::vector<Doc> parts{format.expr(assign.target), docs.text(": "), format.annotation(assign.annotation)};
        if (assign.value) {
            parts.push_back(docs.text(" = "));
            parts.push_back(format.expr(assign.value));
        }
        return docs.concat(std::move(parts));
    });
}

void StatementFormatter::operator()(const ast::Return& stmt) {
    if (!stmt.value) return line("return");
    write([&](ExprFormatter& format, Docs& docs) {
        return docs.concat({docs.text("return "), format.expr(stmt.value)});
    });
}

void StatementFormatter::operator()(const ast::Assert& assertion) {
    write([&](ExprFormatter& format, Docs& docs) {
        std::vector<Doc> parts{docs.text("assert "), format.expr(assertion.condition)};
        if (assertion.message) {
            parts.push_back(docs.text(", "));
            parts.push_back(format.expr(assertion.message));
        }
        return docs.concat(std::move(parts));
    });
}

void StatementFormatter::operator()(const ast::Import& import) {
    std::string text;
    for (const auto& name : import.names) text += (text.empty() ? "" : ", ") + imported(name);
    line(fmt::format("import {}", text));
}

void StatementFormatter::operator()(const ast::FromImport& import) {
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
uint32_t StatementFormatter::else_after(uint32_t offset) const {
    while (offset < size() && text_.substr(offset, 4) != "else") {
        offset =
            text_[offset] == '#' ? static_cast<uint32_t>(std::min(text_.find('\n', offset), text_.size())) : offset + 1;
    }
    return offset;
}

void StatementFormatter::operator()(const ast::If& branching) {
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
        if (last && !branching.otherwise.empty()) write_else(branching.otherwise, orelse, limit);
    }
}

void StatementFormatter::write_else(const ast::Block& block, uint32_t begin, uint32_t limit) {
    own_line_comments(begin, 0);
    line("else:");
    written_ = begin + 4;
    trailing_comment(begin + 4, block.front()->span.begin);
    nested(block, nullptr, limit);
}

// What stands behind the header of a loop.
void StatementFormatter::rounds(Span header, const ast::Block& body, const ast::Block& otherwise, uint32_t limit) {
    const uint32_t end = body.empty() ? header.end : body.back()->span.end;
    const uint32_t orelse = otherwise.empty() ? limit : else_after(end);
    written_ = header.end;
    trailing_comment(header.end, body.empty() ? orelse : body.front()->span.begin);
    nested(body, nullptr, orelse);
    if (!otherwise.empty()) write_else(otherwise, orelse, limit);
}

void StatementFormatter::operator()(const ast::For& loop) {
    uint32_t limit = limit_;
    write([&](ExprFormatter& format, Docs& docs) {
        auto target = format.expr(loop.target);
        return docs.concat({docs.text("for "), target, docs.text(" in "), format.expr(loop.iterable), docs.text(":")});
    });
    rounds(loop.header, loop.body, loop.otherwise, limit);
}

void StatementFormatter::operator()(const ast::While& loop) {
    uint32_t limit = limit_;
    write([&](ExprFormatter& format, Docs& docs) {
        return docs.concat({docs.text("while "), format.expr(loop.condition), docs.text(":")});
    });
    rounds(loop.header, loop.body, loop.otherwise, limit);
}

// One to a line.
void StatementFormatter::decorators(const std::vector<ast::Decorator>& list) {
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

void StatementFormatter::operator()(const ast::FunctionDef& function) {
    uint32_t limit = limit_;
    decorators(function.decorators);
    own_line_comments(function.header.begin, 0);
    write([&](ExprFormatter& format, Docs& docs) {
        uint32_t end = function.result ? function.result->span.begin : function.header.end;
        std::vector<Doc> parts{docs.text(fmt::format("def {}", function.name.text)),
                               format.bracketed({"(", ")"}, format.parameters(function.parameters), end)};
        if (function.result) {
            parts.push_back(docs.text(" -> "));
            parts.push_back(docs.firm(format.annotation(function.result)));
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

void StatementFormatter::operator()(const ast::ClassDef& definition) {
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

}  // namespace tsr
