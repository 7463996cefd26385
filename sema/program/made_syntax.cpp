#include "sema/program/made_syntax.h"

namespace tsr::sema {

namespace {

constexpr uint32_t kLast = UINT32_MAX - 1;  // behind it is the id that was never given

template <class Node, class Tag>
const Node* node_of(const std::deque<Node>& nodes, Id<Tag> id) {
    const size_t at = kLast - id.index;
    return id.valid() && at < nodes.size() ? &nodes[at] : nullptr;
}

}  // namespace

const ast::Expr& MadeSyntax::expr(Span at, ast::ExprNode node) {
    const ast::ExprId id(kLast - exprs_.size());
    return exprs_.emplace_back(ast::Expr{id, at, std::move(node)});
}

const ast::Stmt& MadeSyntax::stmt(Span at, ast::StmtNode node) {
    const ast::StmtId id(kLast - stmts_.size());
    return stmts_.emplace_back(ast::Stmt{id, at, std::move(node)});
}

const ast::Expr* MadeSyntax::library_call(const ExprKey& of, std::string_view function) const {
    const auto found = library_calls.find(of);
    if (found == library_calls.end()) return nullptr;
    for (const ast::ExprId id : found->second) {
        const ast::Expr* made = find(id);
        const auto* call = made ? std::get_if<ast::Call>(&made->node) : nullptr;
        if (call && std::get<ast::Name>(call->callee->node).text == function) return made;
    }
    return nullptr;
}

const ast::Expr* MadeSyntax::find(ast::ExprId id) const { return node_of(exprs_, id); }
const ast::Stmt* MadeSyntax::find(ast::StmtId id) const { return node_of(stmts_, id); }

}  // namespace tsr::sema
