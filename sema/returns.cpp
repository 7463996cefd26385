// Returns: what a function gives back, declared or inferred; what a kernel may return.
#include <algorithm>

#include <fmt/format.h>

#include "sema/elements.h"
#include "sema/passing.h"
#include "sema/reductions.h"

namespace tsr::sema {

void Body::give_back(const ast::Stmt& stmt, const ast::Return& r) {
    if (!function) {
        error("E0211", stmt.span, "`return` stands only in a function");
        return;
    }
    Value value;
    value.type = Type::none();
    if (r.value) value = expr(*r.value);
    flow.reachable = false;
    const bool kernel = function->kind == FunctionKind::kernel;
    if (kernel && r.value && !value.broken() && !kernel_result(*r.value, value)) return;
    result_type ? declared_result(stmt, r, value) : inferred_result(stmt, r, value);
}

// False after a message.
bool Body::kernel_result(const ast::Expr& e, const Value& value) {
    const char* rule = "a kernel returns a scalar or one of its `mut` parameters";
    if (!value.type.is(Kind::tensor)) {
        if (value.type.is_number() || value.type.is_bool()) return true;
        error("E0409", e.span, fmt::format("{}, this is {}", rule, shown(value.type)));
        return false;
    }
    const auto* variable = std::get_if<VariableId>(&value.referent);
    int parameter = variable ? instance.variables[variable->index].parameter : -1;
    if (parameter < 0 || !value.type.tensor().mut) {
        error("E0409", e.span, rule).note("declare the parameter `mut`, or write the result to one");
        return false;
    }
    instance.returned_parameter = static_cast<size_t>(parameter);
    return true;
}

void Body::inferred_result(const ast::Stmt& stmt, const ast::Return& r, const Value& value) {
    Type type = settled_type(in_kernel() ? value.type : stored(value.type), value.value);
    const auto joined = returned ? join(*returned, type) : type;
    if (joined) returned = joined;
    // The items of a list are not converted.
    const bool fits = !aloud || !r.value || makes_or_converts(*r.value, value, instance.result);
    if (joined && fits) return;
    error("E0303", r.value ? r.value->span : stmt.span,
          fmt::format("other returns give {}, this gives {}", shown(joined ? instance.result : *returned),
                      shown(value.type)));
}

// Whether a tensor may stand for a declared one. Extents that only the run can compare are noted; an extent that
// differs is said here.
bool Body::result_part(const ast::Expr& e, const Type& found, const Type& wanted, size_t part,
                       std::vector<DimCheck>& checks) {
    if (found.elem() != wanted.elem() || found.rank() != wanted.rank()) return false;
    if (policy_conflict(found.policy(), wanted.policy())) return false;
    for (size_t axis = 0; axis < wanted.rank(); ++axis) {
        const ir::Dim &a = found.tensor().shape[axis], &b = wanted.tensor().shape[axis];
        // A name that stands only in the result is bound by it.
        bool bound =
            std::ranges::all_of(b.symbols(), [&](const std::string& symbol) { return find_symbol(symbol) != nullptr; });
        if (!bound) continue;
        ir::Equality equality = ir::compare(a, b);
        if (equality == ir::Equality::unknown) checks.push_back({part, axis, a, b, b.text(), std::nullopt});
        if (equality != ir::Equality::different) continue;
        error("E0312", e.span,
              fmt::format("the result of `{}` has {} along axis {}, this has {}", function->name, b.text(), axis,
                          a.text()))
            .label(result_at, "declared here");
    }
    return true;
}

void Body::declared_result(const ast::Stmt& stmt, const ast::Return& r, const Value& value) {
    if (result_type->is_unknown() || value.broken()) return;
    if (result_type->is(Kind::none) != value.type.is(Kind::none)) {
        error("E0317", r.value ? r.value->span : stmt.span,
              r.value ? fmt::format("`{}` gives nothing back", function->name) : "`return` lacks a value")
            .label(result_at, "declared here");
        return;
    }
    if (!r.value) return;
    bool tuples = value.type.is(Kind::tuple) && result_type->is(Kind::tuple) &&
                  value.type.parts().size() == result_type->parts().size();
    std::vector<Type> found = tuples ? value.type.parts() : std::vector{value.type};
    std::vector<Type> wanted = tuples ? result_type->parts() : std::vector{*result_type};
    if (chooses_result(*this, *r.value, value.type, *result_type)) return;
    // What the caller may write depends on what may be written here.
    const auto as_written = [&](const Type& declared, const Type& given) {
        const Type part = written_as(declared, given);
        return !returned ? part : join(declared, part).value_or(declared);
    };
    if (!tuples && !found[0].is(Kind::tensor) && !wanted[0].is(Kind::tensor)) {
        const std::string what = fmt::format("the result of `{}`", function->name);
        if (!require_converts(*r.value, value, result_type->with_mut(false), what)) return;
        result_type = as_written(*result_type, value.type);
        returned = value.type;
        return;
    }
    std::vector<DimCheck> checks;
    bool fits = true;
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i].is(Kind::tensor) && wanted[i].is(Kind::tensor)) {
            fits &= result_part(*r.value, found[i], wanted[i], i, checks);
            // What the caller may do with the tensor depends on whether it may be written here.
            bool before = !returned || wanted[i].tensor().mut;
            wanted[i] = wanted[i].with_mut(before && found[i].tensor().mut);
            continue;
        }
        Value part;
        if (i < value.elements.size()) part = value.elements[i];
        part.type = found[i];
        fits &= tuples && converts(part, wanted[i].with_mut(false));
        wanted[i] = as_written(wanted[i], found[i]);
    }
    if (!fits) {
        error(
            "E0302", r.value->span,
            fmt::format("the result of `{}` is {}, this is {}", function->name, shown(*result_type), shown(value.type)))
            .label(result_at, "declared here");
    }
    result_type = tuples ? Type::tuple(std::move(wanted)) : wanted[0];
    returned = value.type;
    if (!checks.empty()) instance.checks[stmt.id] = std::move(checks);
}

}  // namespace tsr::sema
