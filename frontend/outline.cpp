#include <fmt/core.h>

#include "frontend/format.h"
#include "frontend/spelling.h"

namespace tsr {

namespace {

// A string on one line, in quotes.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out + '"';
}

class Outliner {
public:
    std::string run(const ast::Module& module) {
        docstring(module.docstring);
        block(module.body);
        return std::move(out_);
    }

    // ---- expressions: one line each, their parts indented below ----

    void operator()(const ast::Hole&) { line("hole"); }
    void operator()(const ast::Name& name) { line("name {}", name.text); }
    void operator()(const ast::IntLiteral& literal) {
        literal.overflow ? line("int overflow") : line("int {}", literal.value);
    }
    void operator()(const ast::FloatLiteral& literal) { line("float {}", literal.value); }
    void operator()(const ast::StringLiteral& literal) { line("string {}", quoted(literal.value)); }
    void operator()(const ast::BoolLiteral& literal) { line("bool {}", literal.value); }
    void operator()(const ast::NoneLiteral&) { line("none"); }
    void operator()(const ast::EllipsisLiteral&) { line("ellipsis"); }
    void operator()(const ast::FString& string) {
        line("fstring");
        for (const auto& part : string.parts) {
            within([&] {
                line("text {}", quoted(part.text));
                if (!part.value) return;
                line("hole {}", quoted(part.format));
                if (part.conversion != 0) line("conversion {}", part.conversion);
                within([&] { expr(part.value); });
                if (part.spec) within([&] { expr(part.spec); });
            });
        }
    }
    void operator()(const ast::Unary& unary) {
        line("unary {}", spelling(unary.op));
        parts(unary.operand);
    }
    void operator()(const ast::Binary& binary) {
        line("binary {}", spelling(binary.op));
        parts(binary.lhs, binary.rhs);
    }
    void operator()(const ast::Compare& compare) {
        line("compare");
        parts(compare.first);
        for (const auto& link : compare.links) {
            within([&] {
                line("{}", spelling(link.op));
                parts(link.rhs);
            });
        }
    }
    void operator()(const ast::Logical& logical) {
        line("{}", spelling(logical.op));
        each(logical.operands);
    }
    void operator()(const ast::Conditional& conditional) {
        line("conditional");
        parts(conditional.condition, conditional.then, conditional.otherwise);
    }
    void operator()(const ast::Lambda& lambda) {
        line("lambda");
        within([&] { parameters(lambda.parameters); });
        parts(lambda.body);
    }
    void operator()(const ast::Call& call) {
        line("call");
        parts(call.callee);
        for (const auto& argument : call.arguments) {
            within([&] {
                line("argument {}", argument.unpacked ? "*" : argument.keyword ? argument.keyword->text : "");
                parts(argument.value);
            });
        }
    }
    void operator()(const ast::Subscript& subscript) {
        line("subscript");
        parts(subscript.base);
        each(subscript.indices);
    }
    void operator()(const ast::Slice& slice) {
        line("slice");
        parts(slice.lower, slice.upper, slice.step);
    }
    void operator()(const ast::Attribute& attribute) {
        line("attribute {}", attribute.name.text);
        parts(attribute.base);
    }
    void operator()(const ast::Tuple& tuple) {
        line("tuple");
        each(tuple.elements);
    }
    void operator()(const ast::List& list) {
        line("list");
        each(list.elements);
    }
    void operator()(const ast::Dict& dict) {
        line("dict");
        for (const auto& [key, value] : dict.entries) parts(key, value);
    }
    void operator()(const ast::Comprehension& comprehension) {
        line("{}", comprehension.value       ? "dict comprehension"
                   : comprehension.generator ? "generator"
                                             : "comprehension");
        parts(comprehension.element);
        if (comprehension.value) parts(comprehension.value);
        for (const auto& clause : comprehension.clauses) {
            parts(clause.target, clause.iterable);
            each(clause.conditions);
        }
    }
    void operator()(const ast::Qualified& qualified) {
        line("{}", spelling(qualified.qualifier));
        parts(qualified.type);
    }
    void operator()(const ast::WithPolicy& policy) {
        line("with policy");
        parts(policy.type);
        each(policy.policies);
    }

    // ---- statements ----

    void operator()(const ast::BrokenStmt&) { line("broken"); }
    void operator()(const ast::ExprStmt& statement) {
        line("expression");
        parts(statement.value);
    }
    void operator()(const ast::Assign& assign) {
        line("assign");
        each(assign.targets);
        parts(assign.value);
    }
    void operator()(const ast::AugmentedAssign& assign) {
        line("assign {}=", spelling(assign.op));
        parts(assign.target, assign.value);
    }
    void operator()(const ast::AnnotatedAssign& assign) {
        line("annotated");
        parts(assign.target, assign.annotation, assign.value);
    }
    void operator()(const ast::If& branching) {
        for (const auto& branch : branching.branches) {
            line("if");
            parts(branch.condition);
            body(branch.body);
        }
        orelse(branching.otherwise);
    }
    void operator()(const ast::For& loop) {
        line("for");
        parts(loop.target, loop.iterable);
        body(loop.body);
        orelse(loop.otherwise);
    }
    void operator()(const ast::While& loop) {
        line("while");
        parts(loop.condition);
        body(loop.body);
        orelse(loop.otherwise);
    }
    void operator()(const ast::Break&) { line("break"); }
    void operator()(const ast::Continue&) { line("continue"); }
    void operator()(const ast::Return& statement) {
        line("return");
        if (statement.value) parts(statement.value);
    }
    void operator()(const ast::Pass&) { line("pass"); }
    void operator()(const ast::Assert& assertion) {
        line("assert");
        parts(assertion.condition);
        if (assertion.message) parts(assertion.message);
    }
    void operator()(const ast::FunctionDef& function) {
        line("def {}", function.name.text);
        within([&] {
            decorators(function.decorators);
            parameters(function.parameters);
            if (function.result) {
                line("result");
                parts(function.result);
            }
            docstring(function.docstring);
        });
        body(function.body);
    }
    void operator()(const ast::ClassDef& definition) {
        line("class {}", definition.name.text);
        within([&] {
            decorators(definition.decorators);
            docstring(definition.docstring);
        });
        each(definition.bases);
        body(definition.body);
    }
    void operator()(const ast::Import& statement) {
        line("import");
        within([&] { imported(statement.names); });
    }
    void operator()(const ast::FromImport& statement) {
        line("from {}", dotted(statement.module));
        within([&] { imported(statement.names); });
    }

private:
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        out_.append(indent_ * 2, ' ');
        out_ += fmt::format(format, std::forward<Args>(args)...);
        out_ += '\n';
    }
    template <typename Do>
    void within(Do make) {
        ++indent_;
        make();
        --indent_;
    }
    template <typename... Exprs>
    void parts(const Exprs*... exprs) {
        within([&] { (expr(exprs), ...); });
    }
    void each(const std::vector<const ast::Expr*>& exprs) {
        within([&] {
            for (const auto* one : exprs) expr(one);
        });
    }
    void expr(const ast::Expr* one) { one ? std::visit(*this, one->node) : line("-"); }
    void block(const ast::Block& block) {
        for (const auto* one : block) std::visit(*this, one->node);
    }
    void body(const ast::Block& statements) {
        within([&] { block(statements); });
    }
    void orelse(const ast::Block& statements) {
        if (statements.empty()) return;
        line("else");
        body(statements);
    }
    void docstring(const std::optional<std::string>& text) {
        if (text) line("docstring {}", quoted(*text));
    }
    void decorators(const std::vector<ast::Decorator>& list) {
        for (const auto& decorator : list) {
            line("decorator");
            parts(decorator.value);
            each(decorator.clauses);
        }
    }
    void parameters(const std::vector<ast::Parameter>& list) {
        for (const auto& parameter : list) {
            line("{} {}", parameter.keyword_only ? "keyword" : "parameter", parameter.name.text);
            parts(parameter.annotation, parameter.default_value);
        }
    }
    void imported(const std::vector<ast::ImportedName>& names) {
        for (const auto& name : names) line("{} as {}", dotted(name.path), name.alias ? name.alias->text : "-");
    }

    std::string out_;
    size_t indent_ = 0;
};

}  // namespace

std::string outline(const ast::Module& module) { return Outliner().run(module); }

}  // namespace tsr
