#include "sema/calls/builtin_dispatch.h"

#include <fmt/format.h>

#include "sema/builtin_calls/allocations.h"
#include "sema/builtin_calls/axis_calls.h"
#include "sema/builtin_calls/derivative_calls.h"
#include "sema/builtin_calls/host_calls.h"
#include "sema/builtin_calls/indexed_calls.h"
#include "sema/builtin_calls/joining_calls.h"
#include "sema/builtin_calls/math_calls.h"
#include "sema/builtin_calls/tile_calls.h"
#include "sema/builtin_calls/tree_calls.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/calls/arguments.h"
#include "sema/calls/generators.h"
#include "sema/calls/transform_calls.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

static Value refuse_dict_call(Body& b, const ast::Call& c) {
    std::string entries;
    bool named = true;
    for (const ast::Argument& argument : c.arguments) {
        expression(b, *argument.value);
        named &= argument.keyword.has_value();
        if (!argument.keyword) continue;
        entries +=
            fmt::format("{}\"{}\": {}", entries.empty() ? "" : ", ", argument.keyword->text, b.source(*argument.value));
    }
    auto& d = b.error("E0316", c.callee->span, "`dict(…)` stands for the values of a tuning space alone");
    if (named && !c.arguments.empty()) {
        const Span whole = c.callee->span.to(c.arguments.back().value->span);
        d.suggest({whole.file, whole.begin, whole.end + 1}, "{" + entries + "}", "a dictionary is written with braces");
    } else {
        d.note("a dictionary is written with braces: `{\"a\": 1}`");
    }
    return {};
}

Value builtin_call(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row,
                   const ast::Expr* receiver) {
    if (row.id == Builtin::dict_) return refuse_dict_call(b, c);
    std::vector<bool> has_default;
    for (const BuiltinParameter& p : row.parameters) has_default.push_back(p.optional);
    std::string what = fmt::format("`{}`", receiver                    ? row.paths.front()
                                           : dotted(*c.callee).empty() ? row.paths.front()
                                                                       : dotted(*c.callee));
    note_keywords(b, c, row);
    Matched m = match_arguments(b, c, c.callee->span, what, row.parameters, has_default, receiver ? 1 : 0);
    if (!m.ok) {
        evaluate_arguments(b, c);
        return {};
    }
    if (receiver) m.arguments[0] = receiver;
    if (row.id == Builtin::jvp || row.id == Builtin::hvp) return transform_call(b, e, row, m);
    take_generators(b, row.id, m);
    CallInfo info;
    info.kind = CallKind::builtin;
    info.builtin = row.id;
    for (const ast::Expr* argument : m.arguments) info.arguments.push_back({id_of(argument), {}});
    info.rest = ids_of(m.rest);
    b.record_call(e, std::move(info));
    if (row.id == Builtin::alloc_shared) {
        auto elem = named_dtype(b, *m.arguments[1]);
        if (elem) return allocation(b, e, elem, m, true);
        expression(b, *m.arguments[0]);
        return {};
    }
    if (row.id == Builtin::tshared_alloc) {
        evaluate_arguments(b, c);
        b.error("E0315", c.callee->span, fmt::format("`{}` lacks the type of its elements", dotted(*c.callee)))
            .note("it stands in brackets: `tshared.alloc[f32](128)`");
        return {};
    }
    if (makes_derivative(row.id)) return derivative_call(b, row, e, m);
    if (row.id == Builtin::vjp) return transform_call(b, e, row, m);
    if (row.id == Builtin::stop_gradient) return stopped_value(b, *m.arguments[0]);
    if (row.id == Builtin::tree_map || row.id == Builtin::tree_update || row.id == Builtin::tree_leaves)
        return tree_call(b, row, e, m);
    switch (row.id) {
        TSR_CASES_TILE
        TSR_CASES_REGISTER_TILE
        return tile_call(b, e, row, m);
        TSR_CASES_MATH
        return math_call(b, e, row, m);
        TSR_CASES_HOST
        return host_call(b, e, row, m);
        TSR_CASES_INDEXED
        return indexed_call(b, e, row);
        TSR_CASES_AXES
        return axis_call(b, e, row, m);
        TSR_CASES_JOINING
        return joining_call(b, e, row, m);
        TSR_CASES_FORM
        return {};
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
