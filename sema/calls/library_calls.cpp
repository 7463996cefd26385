// Operators, subscripts and built-in functions that are functions of the standard library for some types.
#include "sema/calls/function_calls.h"
#include "sema/state/recursion.h"

namespace tsr::sema {

Value library_call(Body& b, const ast::Expr& e, const LibraryFunction& function,
                   const std::vector<const ast::Expr*>& operands) {
    MadeSyntax& syntax = b.checker.program.made;
    const ast::Expr* made = syntax.library_call(b.key(e), function.name);
    if (made == nullptr) {
        ast::Call call{&syntax.expr(e.span, ast::Name{std::string(function.name)}), {}};
        for (const ast::Expr* operand : operands) call.arguments.push_back({std::nullopt, operand});
        made = &syntax.expr(e.span, std::move(call));
        syntax.library_calls[b.key(e)].push_back(made->id);
    }
    const ast::Expr& call = *made;
    if (const Value* known = b.found(call)) return *known;
    const FunctionId id = b.checker.library_function(function);
    return b.record(call, function_call(b, call, std::get<ast::Call>(call.node), id, {}));
}

}  // namespace tsr::sema
