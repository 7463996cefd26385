#include "sema/statements/returns.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtin_calls/reduction_types.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/declared_values.h"
#include "sema/values/making.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

// False after a message.
static bool kernel_result(Body& b, const ast::Expr& e, const Value& value) {
    const char* rule = "a kernel returns a scalar or one of its `mut` parameters";
    if (!value.type.is(Kind::tensor)) {
        if (is_complex(value.type)) {
            b.refuse(Feature::host, e.span, "a complex number that a kernel returns is");
            return false;
        }
        if (value.type.is_number() || value.type.is_bool()) return true;
        b.error("E0409", e.span, fmt::format("{}, this is {}", rule, shown(value.type)));
        return false;
    }
    const auto* variable = std::get_if<VariableId>(&value.referent);
    int parameter = variable ? b.instance.variables[variable->index].parameter : -1;
    if (parameter < 0 || !value.type.tensor().mut) {
        b.error("E0409", e.span, rule).note("declare the parameter `mut`, or write the result to one");
        return false;
    }
    b.instance.returned_parameter = static_cast<size_t>(parameter);
    return true;
}

static bool has_open_length(const Type& type) {
    if (type.is(Kind::list)) return !type.length() || has_open_length(type.parts()[0]);
    const bool several = type.is(Kind::tuple) || type.is(Kind::record);
    return several && std::ranges::any_of(type.parts(), has_open_length);
}

// The length of a list is in the type of a graph's result: several returns give equally many items. False after a
// message.
static bool require_lengths(Body& b, const ast::Expr& e, const std::optional<Type>& joined) {
    if (!rules_of(b.function->kind).of_values || !joined || !has_open_length(*joined)) return true;
    b.error(
        "E0314", e.span,
        "the length of a list that a graph function gives is static: every `return` gives the same number of items");
    return false;
}

static void inferred_result(Body& b, const ast::Stmt& stmt, const ast::Return& r, const Value& value) {
    Type type = settled_type(b.rules().host_objects ? stored(value.type) : value.type, value.value);
    const auto joined = b.returned ? join(*b.returned, type) : type;
    if (r.value && !require_lengths(b, *r.value, joined)) return;
    if (joined) b.returned = joined;
    // The items of a list are not converted.
    const bool fits = !b.aloud || !r.value || makes_or_converts(b, *r.value, value, b.instance.result);
    if (joined && fits) return;
    b.error("E0303", r.value ? r.value->span : stmt.span,
            fmt::format("other returns give {}, this gives {}", shown(joined ? b.instance.result : *b.returned),
                        shown(value.type)));
}

// Whether a tensor may stand for a declared one. Extents that only the run can compare are noted; an extent that
// differs is said here.
static bool require_result_part(Body& b, const ast::Expr& e, const Type& found, const Type& wanted, size_t part,
                                std::vector<DimCheck>& checks) {
    if (found.elem() != wanted.elem() || found.rank() != wanted.rank()) return false;
    if (policy_conflict(found.policy(), wanted.policy())) return false;
    for (size_t axis = 0; axis < wanted.rank(); ++axis) {
        const ir::Dim &here = found.tensor().shape[axis], &there = wanted.tensor().shape[axis];
        // A name that stands only in the result is bound by it.
        bool bound = std::ranges::all_of(there.symbols(),
                                         [&](const std::string& symbol) { return b.find_symbol(symbol) != nullptr; });
        if (!bound) continue;
        ir::Equality equality = ir::compare(here, there);
        if (equality == ir::Equality::unknown) checks.push_back({part, axis, here, there, there.text(), std::nullopt});
        if (equality != ir::Equality::different) continue;
        b.error("E0312", e.span,
                fmt::format("the result of `{}` has {} along axis {}, this has {}", b.function->name,
                            readable(there.text()), axis, readable(here.text())))
            .label(b.result_at, "declared here");
    }
    return true;
}

static void declared_result(Body& b, const ast::Stmt& stmt, const ast::Return& r, const Value& value) {
    if (b.result_type->is_unknown() || value.broken()) return;
    if (b.result_type->is(Kind::none) != value.type.is(Kind::none)) {
        b.error("E0317", r.value ? r.value->span : stmt.span,
                r.value ? fmt::format("`{}` gives nothing back", b.function->name) : "`return` lacks a value")
            .label(b.result_at, "declared here");
        return;
    }
    if (!r.value) return;
    bool tuples = value.type.is(Kind::tuple) && b.result_type->is(Kind::tuple) &&
                  value.type.parts().size() == b.result_type->parts().size();
    std::vector<Type> found = tuples ? value.type.parts() : std::vector{value.type};
    std::vector<Type> wanted = tuples ? b.result_type->parts() : std::vector{*b.result_type};
    if (chooses_result(b, *r.value, value.type, *b.result_type)) return;
    // What the caller may write depends on what may be written here.
    const auto as_written = [&](const Type& declared, const Type& given) {
        const Type part = written_as(declared, given);
        return !b.returned ? part : join(declared, part).value_or(declared);
    };
    // A graph gives lists whose length and dictionaries whose keys are in the type.
    const auto form_of = [&](const Type& declared, const Type& given) -> std::optional<Type> {
        if (!rules_of(b.function->kind).of_values || !leaves_form(declared) || !has_form(given, declared)) return {};
        return !b.returned ? given : join(declared, given);
    };
    if (const auto form = tuples ? std::nullopt : form_of(wanted[0], found[0])) {
        if (!require_lengths(b, *r.value, form)) return;
        b.result_type = *form;
        b.returned = value.type;
        return;
    }
    if (!tuples && !found[0].is(Kind::tensor) && !wanted[0].is(Kind::tensor)) {
        const std::string what = fmt::format("the result of `{}`", b.function->name);
        if (!b.result_values_shape.empty()) b.instance.values_shapes[stmt.id] = b.result_values_shape;
        // A list that was returned before said its length; another may have another.
        const Type wanted_type = without_lengths(b.result_type->with_mut(false));
        if (!require_converts(b, *r.value, value, wanted_type, what)) return;
        b.result_type = as_written(*b.result_type, value.type);
        b.returned = value.type;
        return;
    }
    std::vector<DimCheck> checks;
    bool fits = true;
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i].is(Kind::tensor) && wanted[i].is(Kind::tensor)) {
            fits &= require_result_part(b, *r.value, found[i], wanted[i], i, checks);
            // What the caller may do with the tensor depends on whether it may be written here.
            bool before = !b.returned || wanted[i].tensor().mut;
            wanted[i] = wanted[i].with_mut(before && found[i].tensor().mut);
            continue;
        }
        if (const auto form = form_of(wanted[i], found[i])) {
            if (!require_lengths(b, *r.value, form)) return;
            wanted[i] = *form;
            continue;
        }
        Value part;
        if (i < value.elements.size()) part = value.elements[i];
        part.type = found[i];
        const auto* apart = std::get_if<ast::Tuple>(&r.value->node);
        const Type read = wanted[i].with_mut(false);
        const bool made = tuples && apart && makes(b, *apart->elements[i], part, read);
        fits &= made || (tuples && converts(part, read));
        wanted[i] = as_written(wanted[i], found[i]);
    }
    if (!fits) {
        b.error("E0302", r.value->span,
                fmt::format("the result of `{}` is {}, this is {}", b.function->name, shown(*b.result_type),
                            shown(value.type)))
            .label(b.result_at, "declared here");
    }
    b.result_type = tuples ? Type::tuple(std::move(wanted)) : wanted[0];
    b.returned = value.type;
    if (!checks.empty()) b.instance.checks[stmt.id] = std::move(checks);
}

void return_statement(Body& b, const ast::Stmt& stmt, const ast::Return& r) {
    if (!b.function) {
        b.error("E0211", stmt.span, "`return` stands only in a function");
        return;
    }
    Value value;
    value.type = Type::none();
    if (b.result_type) b.declared_value = {r.value, nullptr, std::nullopt, element_declared(*b.result_type)};
    if (r.value) value = expression(b, *r.value);
    b.flow.reachable = false;
    if (rules_of(b.function->kind).of_group && r.value && !value.broken() && !kernel_result(b, *r.value, value)) return;
    b.result_type ? declared_result(b, stmt, r, value) : inferred_result(b, stmt, r, value);
}

}  // namespace tsr::sema
