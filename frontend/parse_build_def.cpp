#include <algorithm>

#include <fmt/core.h>

#include "frontend/parse_build.h"

namespace tsr {

void TreeBuilder::definition(P::DefinitionContext* context, ast::Block& out) {
    std::vector<ast::Decorator> decorators;
    for (auto* one : context->decorator()) decorators.push_back(decorator(one));
    auto begin = span(context->start);
    if (auto* function_context = context->functionDefinition()) {
        function(function_context, std::move(decorators), begin, out);
    } else if (auto* class_context = context->classDefinition()) {
        class_definition(class_context, std::move(decorators), begin, out);
    } else {
        add(begin, ast::BrokenStmt{}, out);
    }
}

ast::Decorator TreeBuilder::decorator(P::DecoratorContext* context) {
    auto at = span(context);
    ast::Decorator out{
        at, context->primary() ? primary(context->primary(), context->primary()->trailer()) : hole(at), {}};
    for (auto* clause : context->clause()) {
        auto where = span(clause);
        if (clause->exception || !clause->NAME()) {
            out.clauses.push_back(hole(where));
            continue;
        }
        auto name = span(clause->NAME());
        const ast::Expr* value = make(name, ast::Name{std::string(text(name))});
        for (auto* next : clause->trailer()) value = trailer(value, next);
        bool shaped = clause->trailer().size() == 1 && !clause->trailer(0)->NAME();
        if (!shaped) {
            error("E0129", where, fmt::format("a clause of a header is written `{0}[...]` or `{0}(...)`", text(name)));
            value = hole(where);
        }
        out.clauses.push_back(value);
    }
    return out;
}

void TreeBuilder::function(P::FunctionDefinitionContext* context, std::vector<ast::Decorator> decorators, Span begin,
                           ast::Block& out) {
    ast::FunctionDef made;
    made.decorators = std::move(decorators);
    made.header = span(context->start);
    if (context->NAME()) {
        made.name = identifier(context->NAME());
    } else {
        made.name.span = made.header;
    }
    made.header = made.header.to(made.name.span);
    if (context->parameters()) {
        made.parameters = parameters(context->parameters());
        made.header = made.header.to(span(context->parameters()));
    }
    if (context->annotation()) {
        made.result = annotation(context->annotation());
        made.header = made.header.to(made.result->span);
    }
    if (context->block() && context->block()->COLON()) made.header = made.header.to(span(context->block()->COLON()));
    const auto later = std::ranges::lower_bound(later_, span(context->start).begin, {}, &LaterBody::def);
    const bool is_later = later != later_.end() && later->def == span(context->start).begin;
    if (is_later) made.later = report_.span(later->begin, later->end);
    made.body = block(context, context->block(), is_later);
    auto at = begin.to(made.header);
    if (!made.body.empty()) at = at.to(made.body.back()->span);
    if (is_later) at = at.to(report_.span(later->end, later->end));
    take_docstring(made.body, made.docstring, made.docstring_span);
    add(at, std::move(made), out);
}

void TreeBuilder::class_definition(P::ClassDefinitionContext* context, std::vector<ast::Decorator> decorators,
                                   Span begin, ast::Block& out) {
    ast::ClassDef made;
    made.decorators = std::move(decorators);
    made.header = span(context->start);
    if (context->NAME()) {
        made.name = identifier(context->NAME());
    } else {
        made.name.span = made.header;
    }
    made.header = made.header.to(made.name.span);
    if (context->arguments()) {
        for (const ast::Argument& base : arguments(context->arguments())) {
            if (base.keyword) error("E0141", base.keyword->span, "a class takes no arguments by name");
            made.bases.push_back(base.value);
        }
    }
    if (context->block() && context->block()->COLON()) made.header = made.header.to(span(context->block()->COLON()));
    made.body = block(context, context->block());
    auto at = begin.to(made.header);
    if (!made.body.empty()) at = at.to(made.body.back()->span);
    take_docstring(made.body, made.docstring, made.docstring_span);
    add(at, std::move(made), out);
}

std::vector<ast::Parameter> TreeBuilder::parameters(P::ParametersContext* context) {
    std::vector<ast::Parameter> out;
    bool keyword_only = false;
    for (auto* one : context->parameter()) parameter(one, keyword_only, out);
    if (keyword_only && (out.empty() || !out.back().keyword_only)) {
        error("E0123", span(context), "a bare `*` stands before parameters that are given by name");
    }
    check_order(out);
    return out;
}

void TreeBuilder::parameter(P::ParameterContext* context, bool& keyword_only, std::vector<ast::Parameter>& out) {
    auto at = span(context);
    bool starred = context->STAR() || context->POW();
    if (starred && (context->POW() || context->NAME() || context->COLON())) {
        error(
            "E0123", at,
            fmt::format("Tessera has no `{}` parameters; a function says what it takes", context->POW() ? "**" : "*"));
        return;
    }
    if (context->SLASH()) {
        error("E0123", at, "Tessera has no `/` among parameters");
        return;
    }
    if (starred) {
        if (keyword_only) error("E0123", at, "a second bare `*`");
        keyword_only = true;
        return;
    }
    if (!context->NAME()) return;
    ast::Parameter made;
    made.name = identifier(context->NAME());
    made.keyword_only = keyword_only;
    if (context->annotation()) made.annotation = annotation(context->annotation());
    if (context->test()) made.default_value = test(context->test());
    out.push_back(std::move(made));
}

void TreeBuilder::check_order(const std::vector<ast::Parameter>& parameters) {
    const ast::Parameter* with_default = nullptr;
    for (const ast::Parameter& one : parameters) {
        if (one.keyword_only) break;
        if (one.default_value) {
            with_default = &one;
        } else if (with_default) {
            error("E0126", one.name.span,
                  fmt::format("`{}` needs a default, as a parameter before it has one", one.name.text))
                .label(with_default->name.span, "this one");
        }
    }
}

void TreeBuilder::take_docstring(ast::Block& body, std::optional<std::string>& docstring, Span& at) {
    if (body.empty()) return;
    const auto* first = std::get_if<ast::ExprStmt>(&body[0]->node);
    if (!first || first->value->parenthesized) return;
    const auto* literal = std::get_if<ast::StringLiteral>(&first->value->node);
    if (!literal || literal->pieces.size() != 1) return;
    docstring = literal->value;
    at = first->value->span;
    body.erase(body.begin());
}

std::vector<ast::Identifier> TreeBuilder::dotted(P::DottedNameContext* context) {
    std::vector<ast::Identifier> out;
    for (auto* name : context->NAME()) out.push_back(identifier(name));
    return out;
}

void TreeBuilder::import(P::ImportStatementContext* context, ast::Block& out) {
    ast::Import made;
    for (auto* one : context->importedModule()) {
        if (one->exception || !one->dottedName() || one->dottedName()->exception) continue;
        ast::ImportedName name{dotted(one->dottedName()), std::nullopt};
        if (one->NAME()) name.alias = identifier(one->NAME());
        made.names.push_back(std::move(name));
    }
    if (made.names.empty()) {
        add(span(context), ast::BrokenStmt{}, out);
    } else {
        add(span(context), std::move(made), out);
    }
}

void TreeBuilder::from_import(P::FromStatementContext* context, ast::Block& out) {
    auto at = span(context);
    ast::FromImport made;
    bool relative = !context->DOT().empty() || !context->ELLIPSIS().empty();
    if (relative) error("E0136", at, "Tessera has no relative imports; a file is found by its name");
    if (context->dottedName()) made.module = dotted(context->dottedName());
    if (!relative && made.module.empty() && !context->exception && context->IMPORT()) {
        error("E0116", span(context->IMPORT()), "expected a name, found `import`");
    }
    auto* names = context->importedNames();
    bool broken = context->exception || relative || made.module.empty() || (!names && !context->STAR());
    if (names) {
        for (auto* one : names->importedName()) {
            if (one->exception || one->NAME().empty()) continue;
            ast::ImportedName name{{identifier(one->NAME(0))}, std::nullopt};
            if (one->NAME().size() > 1) name.alias = identifier(one->NAME(1));
            made.names.push_back(std::move(name));
        }
        broken = broken || made.names.empty();
    }
    if (broken) {
        add(at, ast::BrokenStmt{}, out);
    } else {
        add(at, std::move(made), out);
    }
}

}  // namespace tsr
