#include "sema/builtin_calls/mapped_calls.h"

#include <fmt/format.h>

#include "sema/expressions/records.h"
#include "sema/state/recursion.h"

namespace tsr::sema {

// `[f(x) for x in xs]`, `[f(x, y) for (x, y) in zip(xs, ys)]`
static const ast::Expr& mapped_list(MadeSyntax& syntax, Span at, const Matched& m) {
    ast::Call call{m.arguments[0], {}};
    ast::Tuple targets;
    ast::Call zip;
    for (size_t i = 0; i < m.rest.size(); ++i) {  // names that no program has
        const ast::Expr& name = syntax.expr(m.rest[i]->span, ast::Name{fmt::format("item {}", i)});
        call.arguments.push_back({std::nullopt, &name});
        targets.elements.push_back(&name);
        zip.arguments.push_back({std::nullopt, m.rest[i]});
    }
    ast::Comprehension whole;
    whole.element = &syntax.expr(at, std::move(call));
    if (m.rest.size() == 1) {
        whole.clauses.push_back({targets.elements[0], m.rest[0], {}});
    } else {
        zip.callee = &syntax.expr(at, ast::Attribute{&syntax.expr(at, ast::Name{"tessera"}), {"zip", at}});
        const ast::Expr& zipped = syntax.expr(at, std::move(zip));
        whole.clauses.push_back({&syntax.expr(at, std::move(targets)), &zipped, {}});
    }
    return syntax.expr(at, std::move(whole));
}

Value map_call(Body& b, const ast::Expr& e, const Matched& m) {
    if (m.rest.empty()) {
        b.error("E0315", e.span, "`map` takes a function and one iterable or more");
        expression(b, *m.arguments[0]);
        return {};
    }
    ast::ExprId& made = b.checker.program.made.mapped[b.key(e)];
    if (!made.valid()) made = mapped_list(b.checker.program.made, e.span, m).id;
    const Value list = expression(b, *b.expr(made));
    check_method_value(b, *m.arguments[0]);
    return list;
}

}  // namespace tsr::sema
