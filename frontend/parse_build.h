// Parse tree → syntax tree, by functions over the parser's contexts. What the grammar accepts only to refuse it in
// words is refused here. A context that the parser recovered in becomes a hole.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "TesseraParser.h"
#include "frontend/ast.h"
#include "frontend/parse.h"
#include "frontend/parse_report.h"

namespace tsr {

// An expression may nest this deep, chains of operators and of `.name` counted. Whoever walks the tree may recurse.
inline constexpr int kMostExpressionDepth = 1000;

class TreeBuilder {
public:
    // `later`: the bodies that the text of the parse tree lacks.
    TreeBuilder(ast::Module& module, std::string_view text, SyntaxReport& report, std::span<const LaterBody> later = {})
        : module_(module), text_(text), report_(report), later_(later) {}

    void build(TesseraParser::FileContext* file);
    const ast::Expr* build(TesseraParser::TypeTextContext* type);
    ast::Block build(TesseraParser::BodyContext* body);

private:
    using P = TesseraParser;
    using Rule = ParsedRule;

    // parse_build.cpp: statements
    void statements(Rule* context, ast::Block& out);
    void simple(P::SimpleContext* context, ast::Block& out);
    void expression_statement(P::ExpressionStatementContext* context, ast::Block& out);
    void refused(Rule* context, ast::Block& out);
    void if_statement(P::IfStatementContext* context, ast::Block& out);
    void for_statement(P::ForStatementContext* context, ast::Block& out);
    void while_statement(P::WhileStatementContext* context, ast::Block& out);
    ast::Block block(Rule* header, P::BlockContext* context, bool is_later = false);
    void add(Span span, ast::StmtNode node, ast::Block& out);
    void check_target(const ast::Expr* target, std::string_view what);
    void refuse_target(const ast::Expr* target, std::string_view what, std::string_view kind);

    // parse_build_def.cpp: definitions and imports
    void definition(P::DefinitionContext* context, ast::Block& out);
    void function(P::FunctionDefinitionContext* context, std::vector<ast::Decorator> decorators, Span begin,
                  ast::Block& out);
    void class_definition(P::ClassDefinitionContext* context, std::vector<ast::Decorator> decorators, Span begin,
                          ast::Block& out);
    ast::Decorator decorator(P::DecoratorContext* context);
    std::vector<ast::Parameter> parameters(P::ParametersContext* context);
    void parameter(P::ParameterContext* context, bool& keyword_only, std::vector<ast::Parameter>& out);
    void check_order(const std::vector<ast::Parameter>& parameters);
    void take_docstring(ast::Block& body, std::optional<std::string>& docstring, Span& at);
    void import(P::ImportStatementContext* context, ast::Block& out);
    void from_import(P::FromStatementContext* context, ast::Block& out);
    std::vector<ast::Identifier> dotted(P::DottedNameContext* context);

    // parse_build_expr.cpp: expressions
    const ast::Expr* annotation(P::AnnotationContext* context);
    const ast::Expr* test_list(P::TestListContext* context);
    const ast::Expr* test(P::TestContext* context);
    const ast::Expr* lambda(P::TestContext* context);
    const ast::Expr* expression(P::ExpressionContext* context);
    // A part of an expression, by its number in `parts`.
    struct Part;
    using Parts = std::vector<Part>;
    const ast::Expr* part(const Parts& parts, size_t at);
    const ast::Expr* unary(const Parts& parts, size_t at);
    const ast::Expr* binary(const Parts& parts, size_t at);
    const ast::Expr* comparison(const Parts& parts, size_t at);
    const ast::Expr* logical(const Parts& parts, size_t at);
    void refuse_not(const Parts& parts, size_t operand);
    const ast::Expr* policy(const ast::Expr* type, const ast::Expr* policy, Span span);
    const ast::Expr* target_list(P::TargetListContext* context);
    const ast::Expr* primary(P::PrimaryContext* context, const std::vector<P::TrailerContext*>& trailers);
    const ast::Expr* trailer(const ast::Expr* base, P::TrailerContext* context);
    std::vector<ast::Argument> arguments(P::ArgumentsContext* context);
    const ast::Expr* subscript(P::SubscriptContext* context);
    // `value`: of a dictionary's, else null.
    const ast::Expr* comprehension(const ast::Expr* element, const ast::Expr* value, P::ComprehensionContext* context,
                                   Span span);
    const ast::Expr* generator(const ast::Expr* element, P::ComprehensionContext* context, Span span);

    // parse_build_atom.cpp: names, literals, displays
    const ast::Expr* atom(P::AtomContext* context);
    const ast::Expr* parenthesis(P::AtomContext* context);
    const ast::Expr* list(P::AtomContext* context);
    const ast::Expr* dict(P::AtomContext* context);
    const ast::Expr* number(antlr4::Token* token);
    const ast::Expr* strings(P::StringsContext* context);
    std::string plain_string(antlr4::Token* token);
    void fstring(P::FstringContext* context, ast::FString& out);
    void hole(P::HoleContext* context, ast::FString& out);
    const ast::Expr* spec(P::HoleContext* context);
    std::string unescaped(Span span, bool raw, bool fstring);

    ast::Expr* make(Span span, ast::ExprNode node);
    const ast::Expr* hole(Span span) { return make(span, ast::Hole{}); }
    [[nodiscard]] Span span(const ParsedWord* word) const { return report_.span(word->begin(), word->end()); }
    [[nodiscard]] Span span(antlr4::Token* token) const { return span(static_cast<const ParsedWord*>(token)); }
    [[nodiscard]] Span span(antlr4::tree::TerminalNode* node) const {
        return span(static_cast<const ParsedWord*>(node));
    }
    [[nodiscard]] Span span(Rule* context) const;
    [[nodiscard]] std::string_view text(Span at) const { return text_.substr(at.begin, at.end - at.begin); }
    [[nodiscard]] ast::Identifier identifier(antlr4::tree::TerminalNode* node) const;
    Diagnostic& error(const char* code, Span at, std::string message) {
        return report_.sentence(code, at, std::move(message));
    }

    ast::Module& module_;
    std::string_view text_;
    SyntaxReport& report_;
    std::span<const LaterBody> later_;
    int depth_ = 0;
    bool in_annotation_ = false;  // `@` there adds a policy
};

}  // namespace tsr
