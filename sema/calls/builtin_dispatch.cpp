#include "sema/calls/builtin_dispatch.h"

#include <algorithm>

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
#include "sema/calls/other_spellings.h"
#include "sema/calls/shape_calls.h"
#include "sema/calls/transform_calls.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
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
        d.note("a dictionary is written with braces: `{\"a\": 1}`; of pairs: `dict(zip(names, values))`");
    }
    return {};
}

namespace {

// What is said of complex numbers themselves.
bool takes_complex(Builtin function) {
    switch (function) {
        TSR_CASES_AXES
        case Builtin::print:
        case Builtin::str_:
        case Builtin::copy:
        case Builtin::item:
        case Builtin::on_gpu:
        case Builtin::from_list:
        case Builtin::ones_like:
        case Builtin::full:
        case Builtin::full_like:
        case Builtin::concat:
        case Builtin::stack:
        case Builtin::split:
        case Builtin::zip:
        case Builtin::enumerate:
        case Builtin::reversed:
        case Builtin::list_:
        case Builtin::stop_gradient:
        case Builtin::vjp:
        case Builtin::jvp:
        case Builtin::hvp:
        case Builtin::tree_map:
        case Builtin::tree_update:
        case Builtin::tree_leaves:
        case Builtin::tree_paths:
        case Builtin::reshape:
        case Builtin::save:
        case Builtin::zeros_like:
        case Builtin::len:
        case Builtin::view_as_real:
        case Builtin::view_as_complex:
            return true;
        default:
            return false;
    }
}

bool holds_complex(const Type& type) {
    if (is_complex(type)) return true;
    const bool several = type.is(Kind::tuple) || type.is(Kind::list);
    return several && std::ranges::any_of(type.parts(), holds_complex);
}

Value known_call(Body& b, const ast::Expr& e, const ast::Call& written, const BuiltinEntry& row,
                 const ast::Expr* receiver);

}  // namespace

namespace {

// What the library computes of complex numbers: the built-in function, what is called for tensors and for a number.
struct ComplexFunction {
    Builtin function;
    std::string_view of_tensor, of_number;
    size_t most;  // of its arguments
};
constexpr ComplexFunction kComplexFunctions[] = {
    {Builtin::abs, "_magnitude", "_magnitude_of_number", 1},
    {Builtin::exp, "_exponential", "_exponential_of_number", 1},
    {Builtin::sum, "_total", "", 3},
    {Builtin::mean, "_average", "", 3},
    {Builtin::where, "_chosen", "_chosen", 3},
};

std::optional<Value> complex_function(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row,
                                      const ast::Expr* receiver) {
    const auto* known = std::ranges::find(kComplexFunctions, row.id, &ComplexFunction::function);
    if (known == std::end(kComplexFunctions)) return std::nullopt;
    std::vector<const ast::Expr*> operands;
    if (receiver) operands.push_back(receiver);
    for (const ast::Argument& argument : c.arguments) {
        const bool in_order = !argument.keyword || (operands.size() == 1 && argument.keyword->text == "axis") ||
                              (operands.size() == 2 && argument.keyword->text == "keepdims");
        if (!in_order || argument.unpacked) return std::nullopt;
        operands.push_back(argument.value);
    }
    if (operands.empty() || operands.size() > known->most) return std::nullopt;
    // `where(c, x, y)` gives what its values are.
    const bool chooses = known->function == Builtin::where && operands.size() == 3;
    Type type = expression(b, chooses ? *operands.back() : *operands.front()).type;
    for (const ast::Expr* operand : operands) {
        const Type given = chooses && !is_complex(type) ? expression(b, *operand).type : Type::unknown();
        if (is_complex(given)) type = given;
    }
    if (chooses && is_complex_number(type) && !b.rules().tensor_values) return std::nullopt;
    const std::string_view name = is_complex_tensor(type)   ? known->of_tensor
                                  : is_complex_number(type) ? known->of_number
                                                            : "";
    if (name.empty()) return std::nullopt;
    return library_call(b, e, {.name = name, .file = "complex_numbers", .signature = {}, .doc = {}}, operands);
}

}  // namespace

// Of complex numbers some are functions of the library; others are not compiled.
Value builtin_call(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row,
                   const ast::Expr* receiver) {
    if (const auto given = complex_function(b, e, c, row, receiver)) return *given;
    if (const auto given = other_spelling(b, e, c, row, receiver)) return *given;
    Value value = known_call(b, e, c, row, receiver);
    const bool converted = row.id == Builtin::cast && is_complex(value.type);
    if (value.broken() || takes_complex(row.id) || converted) return value;
    std::vector<const ast::Expr*> all{receiver};
    for (const ast::Argument& argument : c.arguments) all.push_back(argument.value);
    for (const ast::Expr* argument : all) {
        const Value* given = argument ? b.found(*argument) : nullptr;
        if (given && holds_complex(given->type) && !b.checker.program.made.library_calls.contains(b.key(e)))
            return b.refuse(Feature::host, e.span, fmt::format("`{}` of complex numbers is", row.paths.front()));
    }
    return value;
}

namespace {

Value known_call(Body& b, const ast::Expr& e, const ast::Call& written, const BuiltinEntry& row,
                 const ast::Expr* receiver) {
    const ast::Call& c = call_with_shape(b, e, written, row.parameters);
    if (row.id == Builtin::dict_) return refuse_dict_call(b, c);
    if (row.id == Builtin::save_checkpoint || row.id == Builtin::load_checkpoint) return checkpoint_call(b, row, e, c);
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
    if (row.id == Builtin::tree_map || row.id == Builtin::tree_update || row.id == Builtin::tree_leaves ||
        row.id == Builtin::tree_paths)
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

}  // namespace

}  // namespace tsr::sema
