#include "sema/builtin_calls/mapped_calls.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"

namespace tsr::sema {

Value map_call(Body& b, const ast::Expr& e, const Matched& m) {
    if (m.rest.empty()) {
        b.error("E0315", e.span, "`map` takes a function and one iterable or more");
        expression(b, *m.arguments[0]);
        return {};
    }
    Program& program = b.checker.program;
    auto [found, fresh] = program.mapped.try_emplace(&e);
    MappedCall& all = found->second;
    if (fresh) {
        const Span at = e.span;
        ast::Call call{m.arguments[0], {}};
        ast::Tuple targets;
        ast::Call zip{&all.zip, {}};
        for (size_t i = 0; i < m.rest.size(); ++i) {  // names that no program has
            all.names.push_back(program.make_expr(m.rest[i]->span, ast::Name{fmt::format("item {}", i)}));
            call.arguments.push_back({std::nullopt, &all.names.back()});
            targets.elements.push_back(&all.names.back());
            zip.arguments.push_back({std::nullopt, m.rest[i]});
        }
        const bool one = m.rest.size() == 1;
        all.call = program.make_expr(at, std::move(call));
        all.target = program.make_expr(at, std::move(targets));
        all.root = program.make_expr(at, ast::Name{"tessera"});
        all.zip = program.make_expr(at, ast::Attribute{&all.root, {"zip", at}});
        all.zipped = program.make_expr(at, std::move(zip));
        ast::Comprehension whole;
        whole.element = &all.call;
        whole.clauses.push_back({one ? &all.names[0] : &all.target, one ? m.rest[0] : &all.zipped, {}});
        all.whole = program.make_expr(at, std::move(whole));
    }
    return expression(b, all.whole);
}

}  // namespace tsr::sema
