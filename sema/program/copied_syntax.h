// Copies of statements and expressions, with other names in them, or other expressions in the place of names.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "sema/program/made_syntax.h"

namespace tsr::sema {

class SyntaxCopier {
public:
    explicit SyntaxCopier(MadeSyntax& syntax) : syntax_(syntax) {}

    std::map<std::string, std::string, std::less<>> names;
    std::map<std::string, ast::ExprNode, std::less<>> values;  // what stands in the place of a name

    // Definitions and jumps out of the block are not copied.
    static bool may_copy(const ast::Block& block, bool in_loop = false);

    ast::Block block(const ast::Block& statements);
    const ast::Expr* expr(const ast::Expr* e);

private:
    friend struct CopiedStatement;
    friend struct CopiedExpression;

    std::vector<const ast::Expr*> all(const std::vector<const ast::Expr*>& list);

    MadeSyntax& syntax_;
};

}  // namespace tsr::sema
