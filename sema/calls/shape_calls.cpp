#include "sema/calls/shape_calls.h"

#include <algorithm>

#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// The arguments by position, of which the first is number `first` of the call, that are the extents: what the
// parameters behind the shape need is taken from the end.
size_t count_of_extents(Body& b, const ast::Call& c, const std::vector<BuiltinParameter>& parameters, size_t first,
                        size_t positions) {
    size_t count = positions - first;
    const bool takes_type = std::ranges::any_of(parameters, [](const auto& p) { return p.name == "T"; });
    if (takes_type && names_dtype(b, *c.arguments[positions - 1].value)) --count;
    for (size_t i = first + 1; i < parameters.size() && count > 0; ++i) {
        const BuiltinParameter& p = parameters[i];
        const bool by_keyword = std::ranges::any_of(
            c.arguments, [&](const ast::Argument& a) { return a.keyword && a.keyword->text == p.name; });
        if (!p.optional && !p.keyword_only && !by_keyword) --count;
    }
    return count;
}

}  // namespace

const ast::Call& call_with_shape(Body& b, const ast::Expr& e, const ast::Call& c,
                                 const std::vector<BuiltinParameter>& parameters) {
    const auto shape = std::ranges::find_if(parameters, &BuiltinParameter::extents);
    if (shape == parameters.end()) return c;
    const size_t first = static_cast<size_t>(shape - parameters.begin());
    const auto keyword = std::ranges::find_if(c.arguments, [](const auto& a) { return a.keyword || a.unpacked; });
    const size_t positions = static_cast<size_t>(keyword - c.arguments.begin());
    if (positions < first + 2) return c;
    const Value leading = expression(b, *c.arguments[first].value);
    if (leading.type.is(Kind::tuple) || leading.type.is(Kind::list)) return c;
    const size_t count = count_of_extents(b, c, parameters, first, positions);
    if (count < 2) return c;
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.calls_with_shape[{b.key(e), count}];
    if (made.valid()) return std::get<ast::Call>(b.expr(made)->node);
    ast::Tuple extents;
    for (size_t i = first; i < first + count; ++i) extents.elements.push_back(c.arguments[i].value);
    const Span at = extents.elements.front()->span.to(extents.elements.back()->span);
    ast::Call call = c;
    const auto begin = call.arguments.begin() + static_cast<ptrdiff_t>(first);
    call.arguments.erase(begin + 1, begin + static_cast<ptrdiff_t>(count));
    call.arguments[first].value = &syntax.expr(at, std::move(extents));
    const ast::Expr& whole = syntax.expr(e.span, std::move(call));
    made = whole.id;
    return std::get<ast::Call>(whole.node);
}

}  // namespace tsr::sema
