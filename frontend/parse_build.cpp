#include "frontend/parse_build.h"

#include <fmt/core.h>

#include "base/cancel.h"

namespace tsr {

namespace {

using P = TesseraParser;

ast::BinaryOp augmented_op(std::string_view text) {
    using ast::BinaryOp;
    static constexpr std::pair<std::string_view, BinaryOp> kOps[] = {
        {"+=", BinaryOp::add},       {"-=", BinaryOp::sub},    {"*=", BinaryOp::mul},     {"/=", BinaryOp::div},
        {"//=", BinaryOp::floordiv}, {"%=", BinaryOp::mod},    {"**=", BinaryOp::pow},    {"@=", BinaryOp::matmul},
        {"&=", BinaryOp::bit_and},   {"|=", BinaryOp::bit_or}, {"^=", BinaryOp::bit_xor}, {"<<=", BinaryOp::shl},
        {">>=", BinaryOp::shr}};
    for (const auto& [spelled, op] : kOps) {
        if (spelled == text) return op;
    }
    return BinaryOp::add;
}

// How an expression that nothing can be assigned to is called; empty for one that can be assigned to.
std::string_view kind_of(const ast::ExprNode& node) {
    struct {
        std::string_view operator()(const ast::Name&) const { return {}; }
        std::string_view operator()(const ast::Attribute&) const { return {}; }
        std::string_view operator()(const ast::Subscript&) const { return {}; }
        std::string_view operator()(const ast::Tuple&) const { return {}; }
        std::string_view operator()(const ast::List&) const { return {}; }
        std::string_view operator()(const ast::Hole&) const { return {}; }
        std::string_view operator()(const ast::Call&) const { return "a call"; }
        std::string_view operator()(const ast::IntLiteral&) const { return "a number"; }
        std::string_view operator()(const ast::FloatLiteral&) const { return "a number"; }
        std::string_view operator()(const ast::StringLiteral&) const { return "a string"; }
        std::string_view operator()(const ast::FString&) const { return "a string"; }
        std::string_view operator()(const ast::BoolLiteral& b) const { return b.value ? "`True`" : "`False`"; }
        std::string_view operator()(const ast::NoneLiteral&) const { return "`None`"; }
        std::string_view operator()(const ast::EllipsisLiteral&) const { return "`...`"; }
        std::string_view operator()(const ast::Compare&) const { return "a comparison"; }
        std::string_view operator()(const ast::Conditional&) const { return "a conditional expression"; }
        std::string_view operator()(const ast::Lambda&) const { return "a lambda"; }
        std::string_view operator()(const ast::Dict&) const { return "a dict"; }
        std::string_view operator()(const ast::Comprehension&) const { return "a comprehension"; }
        std::string_view operator()(const ast::Unary&) const { return "an expression"; }
        std::string_view operator()(const ast::Binary&) const { return "an expression"; }
        std::string_view operator()(const ast::Logical&) const { return "an expression"; }
        std::string_view operator()(const ast::Slice&) const { return "a slice"; }
        std::string_view operator()(const ast::Qualified&) const { return "a type"; }
        std::string_view operator()(const ast::WithPolicy&) const { return "a type"; }
    } kind;
    return std::visit(kind, node);
}

}  // namespace

// ---- nodes ----

Span TreeBuilder::span(Rule* context) const {
    if (!context->start) return report_.span(0, 0);
    auto begin = span(context->start);
    if (!context->stop) return begin;
    const Span end = span(context->stop);
    return end.end < begin.begin ? begin : begin.to(end);
}

ast::Identifier TreeBuilder::identifier(antlr4::tree::TerminalNode* node) const {
    auto at = span(node);
    return {std::string(text(at)), at};
}

ast::Expr* TreeBuilder::make(Span at, ast::ExprNode node) {
    module_.exprs.push_back({ast::ExprId(module_.exprs.size()), at, std::move(node)});
    return &module_.exprs.back();
}

void TreeBuilder::add(Span at, ast::StmtNode node, ast::Block& out) {
    stop_if_cancelled();
    module_.stmts.push_back({ast::StmtId(module_.stmts.size()), at, std::move(node)});
    out.push_back(&module_.stmts.back());
}

// ---- blocks ----

void TreeBuilder::build(P::FileContext* file) {
    statements(file, module_.body);
    take_docstring(module_.body, module_.docstring, module_.docstring_span);
}

ast::Block TreeBuilder::build(P::BodyContext* body) {
    ast::Block out;
    statements(body, out);
    return out;
}

// The blocks of headers that could not be read join the block around them: what they assign is assigned.
void TreeBuilder::statements(Rule* context, ast::Block& out) {
    for (const ParsedChild& child : context->children) {
        auto* rule = child.rule();
        if (!rule) continue;
        switch (rule->getRuleIndex()) {
            case P::RuleStatement:
            case P::RuleSimpleLine:
            case P::RuleBlock:
            case P::RuleBody:
                statements(rule, out);
                break;
            case P::RuleSimple:
                simple(static_cast<P::SimpleContext*>(rule), out);
                break;
            case P::RuleIfStatement:
                if_statement(static_cast<P::IfStatementContext*>(rule), out);
                break;
            case P::RuleForStatement:
                for_statement(static_cast<P::ForStatementContext*>(rule), out);
                break;
            case P::RuleWhileStatement:
                while_statement(static_cast<P::WhileStatementContext*>(rule), out);
                break;
            case P::RuleDefinition:
                definition(static_cast<P::DefinitionContext*>(rule), out);
                break;
            case P::RuleRefused:
            case P::RuleRefusedTail:
                refused(rule, out);
                break;
            default:
                break;
        }
    }
}

ast::Block TreeBuilder::block(Rule* header, P::BlockContext* context, bool is_later) {
    ast::Block out;
    if (!context) {
        // The header broke before its ':'; its block was read by the recovery.
        for (const ParsedChild& child : header->children) {
            if (auto* body = child.as<P::BodyContext>()) statements(body, out);
        }
        return out;
    }
    statements(context, out);
    if (!is_later && !context->exception && !context->simpleLine() && context->children.size() <= 2) {
        auto keyword = span(header->start);
        error("E0114", keyword, fmt::format("this `{}` needs an indented block after it", text(keyword)));
    }
    return out;
}

void TreeBuilder::refused(Rule* context, ast::Block& out) {
    auto word = span(context->start);
    // `case` and the tails belong to a statement that was refused already.
    if (context->start->getType() == P::REFUSED && text(word) != "case") {
        error("E0121", word, fmt::format("Tessera has no `{}`", text(word)));
    }
    add(word, ast::BrokenStmt{}, out);
    statements(context, out);
}

// ---- simple statements ----

void TreeBuilder::simple(P::SimpleContext* context, ast::Block& out) {
    auto at = span(context);
    const size_t first = context->start->getType();
    if (context->exception || context->children.empty()) {
        add(at, ast::BrokenStmt{}, out);
    } else if (first == P::PASS) {
        add(at, ast::Pass{}, out);
    } else if (first == P::BREAK) {
        add(at, ast::Break{}, out);
    } else if (first == P::CONTINUE) {
        add(at, ast::Continue{}, out);
    } else if (auto* returned = context->returnStatement()) {
        add(at, ast::Return{returned->testList() ? test_list(returned->testList()) : nullptr}, out);
    } else if (auto* assertion = context->assertStatement()) {
        const ast::Expr* message = assertion->test().size() > 1 ? test(assertion->test(1)) : nullptr;
        const ast::Expr* condition = assertion->test().empty() ? hole(at) : test(assertion->test(0));
        add(at, ast::Assert{condition, message}, out);
    } else if (context->importStatement()) {
        import(context->importStatement(), out);
    } else if (context->fromStatement()) {
        from_import(context->fromStatement(), out);
    } else if (context->expressionStatement()) {
        expression_statement(context->expressionStatement(), out);
    }
}

void TreeBuilder::expression_statement(P::ExpressionStatementContext* context, ast::Block& out) {
    auto at = span(context);
    auto lists = context->testList();
    if (lists.empty()) {
        add(at, ast::BrokenStmt{}, out);
        return;
    }
    const ast::Expr* first = test_list(lists[0]);
    if (context->AUGMENTED()) {
        check_target(first, "update");
        auto op = span(context->AUGMENTED());
        if (std::holds_alternative<ast::Tuple>(first->node) || std::holds_alternative<ast::List>(first->node)) {
            refuse_target(first, "update", "a tuple");
        }
        const ast::Expr* value = lists.size() > 1 ? test_list(lists[1]) : hole(at);
        add(at, ast::AugmentedAssign{augmented_op(text(op)), first, value, op}, out);
    } else if (context->COLON()) {
        check_target(first, "annotate");
        if (std::holds_alternative<ast::Tuple>(first->node)) refuse_target(first, "annotate", "a tuple");
        const ast::Expr* type = context->annotation() ? annotation(context->annotation()) : hole(at);
        add(at, ast::AnnotatedAssign{first, type, lists.size() > 1 ? test_list(lists[1]) : nullptr}, out);
    } else if (!context->assignTail().empty()) {
        ast::Assign assign{{first}, nullptr};
        for (auto* tail : context->assignTail()) assign.targets.push_back(test_list(tail->testList()));
        assign.value = assign.targets.back();
        assign.targets.pop_back();
        for (const ast::Expr* target : assign.targets) check_target(target, "assign to");
        add(at, std::move(assign), out);
    } else {
        add(at, ast::ExprStmt{first}, out);
    }
}

void TreeBuilder::refuse_target(const ast::Expr* target, std::string_view what, std::string_view kind) {
    auto& told = error("E0120", target->span, fmt::format("can not {} {}", what, kind));
    if (what == "assign to") told.note("a comparison is written `==`");
}

void TreeBuilder::check_target(const ast::Expr* target, std::string_view what) {
    const std::vector<const ast::Expr*>* elements = nullptr;
    if (const auto* tuple = std::get_if<ast::Tuple>(&target->node)) elements = &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&target->node)) elements = &list->elements;
    if (elements) {
        if (elements->empty()) refuse_target(target, what, "nothing");
        for (const ast::Expr* element : *elements) check_target(element, what);
        return;
    }
    auto kind = kind_of(target->node);
    if (!kind.empty()) refuse_target(target, what, kind);
}

// ---- compound statements ----

namespace {

Span to_end(Span header, const ast::Block& body) { return body.empty() ? header : header.to(body.back()->span); }

}  // namespace

void TreeBuilder::if_statement(P::IfStatementContext* context, ast::Block& out) {
    ast::If made;
    auto at = span(context->start);
    auto branch = [&](Rule* header, P::TestContext* condition, P::BlockContext* body) {
        const ast::Expr* when = condition ? test(condition) : hole(span(header->start));
        auto until = body && body->COLON() ? span(body->COLON()) : when->span;
        auto statements = block(header, body);
        auto head = span(header->start).to(until);
        at = to_end(at.to(head), statements);
        made.branches.push_back({when, std::move(statements), head});
    };
    branch(context, context->test(), context->block());
    for (auto* part : context->elifPart()) branch(part, part->test(), part->block());
    if (auto* part = context->elsePart()) {
        made.otherwise = block(part, part->block());
        at = to_end(at, made.otherwise);
    }
    add(at, std::move(made), out);
}

void TreeBuilder::for_statement(P::ForStatementContext* context, ast::Block& out) {
    auto head = span(context->start);
    const ast::Expr* target = context->targetList() ? target_list(context->targetList()) : hole(head);
    check_target(target, "bind");
    const ast::Expr* iterable = context->testList() ? test_list(context->testList()) : hole(head);
    auto* body = context->block();
    head = head.to(body && body->COLON() ? span(body->COLON()) : iterable->span);
    auto statements = block(context, body);
    auto at = to_end(head, statements);
    ast::Block otherwise;
    if (auto* part = context->elsePart()) otherwise = block(part, part->block());
    at = to_end(at, otherwise);
    add(at, ast::For{target, iterable, std::move(statements), head, std::move(otherwise)}, out);
}

void TreeBuilder::while_statement(P::WhileStatementContext* context, ast::Block& out) {
    auto head = span(context->start);
    const ast::Expr* condition = context->test() ? test(context->test()) : hole(head);
    auto* body = context->block();
    head = head.to(body && body->COLON() ? span(body->COLON()) : condition->span);
    auto statements = block(context, body);
    auto at = to_end(head, statements);
    ast::Block otherwise;
    if (auto* part = context->elsePart()) otherwise = block(part, part->block());
    at = to_end(at, otherwise);
    add(at, ast::While{condition, std::move(statements), head, std::move(otherwise)}, out);
}

}  // namespace tsr
