#include "sema/program/copied_syntax.h"

#include <algorithm>

namespace tsr::sema {

namespace {

bool may_copy_statement(const ast::Stmt& stmt, bool in_loop) {
    const auto is = [&]<class Node>(const Node*) { return std::holds_alternative<Node>(stmt.node); };
    if (is((ast::FunctionDef*)nullptr) || is((ast::ClassDef*)nullptr) || is((ast::Import*)nullptr) ||
        is((ast::FromImport*)nullptr) || is((ast::BrokenStmt*)nullptr))
        return false;
    if (is((ast::Break*)nullptr) || is((ast::Continue*)nullptr)) return in_loop;
    if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
        return SyntaxCopier::may_copy(branch->otherwise, in_loop) &&
               std::ranges::all_of(branch->branches,
                                   [&](const auto& one) { return SyntaxCopier::may_copy(one.body, in_loop); });
    }
    if (const auto* loop = std::get_if<ast::For>(&stmt.node))
        return SyntaxCopier::may_copy(loop->body, true) && SyntaxCopier::may_copy(loop->otherwise, in_loop);
    if (const auto* loop = std::get_if<ast::While>(&stmt.node))
        return SyntaxCopier::may_copy(loop->body, true) && SyntaxCopier::may_copy(loop->otherwise, in_loop);
    return true;
}

}  // namespace

struct CopiedStatement {
    SyntaxCopier& to;

    ast::StmtNode operator()(const ast::ExprStmt& s) { return ast::ExprStmt{to.expr(s.value)}; }
    ast::StmtNode operator()(const ast::Assign& s) { return ast::Assign{to.all(s.targets), to.expr(s.value)}; }
    ast::StmtNode operator()(const ast::AugmentedAssign& s) {
        return ast::AugmentedAssign{s.op, to.expr(s.target), to.expr(s.value), s.op_span};
    }
    ast::StmtNode operator()(const ast::AnnotatedAssign& s) {
        return ast::AnnotatedAssign{to.expr(s.target), to.expr(s.annotation), to.expr(s.value)};
    }
    ast::StmtNode operator()(const ast::If& s) {
        ast::If made;
        for (const ast::If::Branch& one : s.branches)
            made.branches.push_back({to.expr(one.condition), to.block(one.body), one.header});
        made.otherwise = to.block(s.otherwise);
        return made;
    }
    ast::StmtNode operator()(const ast::For& s) {
        return ast::For{to.expr(s.target), to.expr(s.iterable), to.block(s.body), s.header, to.block(s.otherwise)};
    }
    ast::StmtNode operator()(const ast::While& s) {
        return ast::While{to.expr(s.condition), to.block(s.body), s.header, to.block(s.otherwise)};
    }
    ast::StmtNode operator()(const ast::Return& s) { return ast::Return{to.expr(s.value)}; }
    ast::StmtNode operator()(const ast::Assert& s) { return ast::Assert{to.expr(s.condition), to.expr(s.message)}; }
    template <class Other>
    ast::StmtNode operator()(const Other& s) {
        return s;
    }
};

struct CopiedExpression {
    SyntaxCopier& to;

    ast::ExprNode operator()(const ast::Name& n) {
        if (const auto value = to.values.find(n.text); value != to.values.end()) return value->second;
        const auto name = to.names.find(n.text);
        return ast::Name{name == to.names.end() ? n.text : name->second};
    }
    ast::ExprNode operator()(const ast::FString& n) {
        ast::FString made = n;
        for (ast::FString::Part& one : made.parts) {
            one.value = to.expr(one.value);
            one.spec = to.expr(one.spec);
        }
        return made;
    }
    ast::ExprNode operator()(const ast::Unary& n) { return ast::Unary{n.op, to.expr(n.operand)}; }
    ast::ExprNode operator()(const ast::Binary& n) {
        return ast::Binary{n.op, to.expr(n.lhs), to.expr(n.rhs), n.op_span};
    }
    ast::ExprNode operator()(const ast::Compare& n) {
        ast::Compare made{to.expr(n.first), {}};
        for (const ast::Compare::Link& link : n.links) made.links.push_back({link.op, to.expr(link.rhs)});
        return made;
    }
    ast::ExprNode operator()(const ast::Logical& n) { return ast::Logical{n.op, to.all(n.operands)}; }
    ast::ExprNode operator()(const ast::Conditional& n) {
        return ast::Conditional{to.expr(n.condition), to.expr(n.then), to.expr(n.otherwise)};
    }
    ast::ExprNode operator()(const ast::Lambda& n) {
        SyntaxCopier inner = to;
        ast::Lambda made = n;
        for (ast::Parameter& parameter : made.parameters) {
            inner.names.erase(parameter.name.text);
            inner.values.erase(parameter.name.text);
        }
        made.body = inner.expr(n.body);
        return made;
    }
    ast::ExprNode operator()(const ast::Call& n) {
        ast::Call made{to.expr(n.callee), n.arguments};
        for (ast::Argument& argument : made.arguments) argument.value = to.expr(argument.value);
        return made;
    }
    ast::ExprNode operator()(const ast::Subscript& n) { return ast::Subscript{to.expr(n.base), to.all(n.indices)}; }
    ast::ExprNode operator()(const ast::Slice& n) {
        return ast::Slice{to.expr(n.lower), to.expr(n.upper), to.expr(n.step)};
    }
    ast::ExprNode operator()(const ast::Attribute& n) { return ast::Attribute{to.expr(n.base), n.name}; }
    ast::ExprNode operator()(const ast::Tuple& n) { return ast::Tuple{to.all(n.elements)}; }
    ast::ExprNode operator()(const ast::List& n) { return ast::List{to.all(n.elements)}; }
    ast::ExprNode operator()(const ast::Dict& n) {
        ast::Dict made;
        for (const auto& [key, value] : n.entries) made.entries.emplace_back(to.expr(key), to.expr(value));
        return made;
    }
    ast::ExprNode operator()(const ast::Comprehension& n) {
        ast::Comprehension made = n;
        made.element = to.expr(n.element);
        made.value = to.expr(n.value);
        for (ast::Comprehension::Clause& clause : made.clauses) {
            clause.target = to.expr(clause.target);
            clause.iterable = to.expr(clause.iterable);
            clause.conditions = to.all(clause.conditions);
        }
        return made;
    }
    ast::ExprNode operator()(const ast::Qualified& n) { return ast::Qualified{n.qualifier, to.expr(n.type)}; }
    ast::ExprNode operator()(const ast::WithPolicy& n) { return ast::WithPolicy{to.expr(n.type), to.all(n.policies)}; }
    template <class Other>
    ast::ExprNode operator()(const Other& n) {
        return n;
    }
};

bool SyntaxCopier::may_copy(const ast::Block& block, bool in_loop) {
    return std::ranges::all_of(block, [&](const ast::Stmt* stmt) { return may_copy_statement(*stmt, in_loop); });
}

ast::Block SyntaxCopier::block(const ast::Block& statements) {
    ast::Block made;
    for (const ast::Stmt* stmt : statements)
        made.push_back(&syntax_.stmt(stmt->span, std::visit(CopiedStatement{*this}, stmt->node)));
    return made;
}

const ast::Expr* SyntaxCopier::expr(const ast::Expr* e) {
    return e == nullptr ? nullptr : &syntax_.expr(e->span, std::visit(CopiedExpression{*this}, e->node));
}

std::vector<const ast::Expr*> SyntaxCopier::all(const std::vector<const ast::Expr*>& list) {
    std::vector<const ast::Expr*> made;
    for (const ast::Expr* e : list) made.push_back(expr(e));
    return made;
}

}  // namespace tsr::sema
