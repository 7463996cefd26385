#include "sema/functions/passes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/functions/derivatives.h"
#include "sema/functions/header.h"
#include "sema/functions/kernel_limits.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

// Takes the types found in a pass for the next one. True when the pass read a variable as of another type.
static bool adopt_types(Body& b, bool settle) {
    bool changed = false;
    for (Slot& slot : b.slots) {
        if (!slot.joined) continue;
        Type type = slot.declared ? *slot.declared : *slot.joined;
        bool static_once = slot.bindings == 1 && slot.once && slot.once->is_static();
        if (settle && !static_once) type = settled_type(type, slot.only_value);
        // A type does not go back: `x = f(x)`, whose result is wider than its parameter, would change in every round.
        const bool grows = is_element(type) && !type.is(Kind::tensor);
        if (slot.known && !slot.declared && grows && is_element(slot.settled))
            type = join(slot.settled, type).value_or(type);
        if (slot.known && slot.settled == type) continue;
        changed |= slot.known || (slot.read_as && *slot.read_as != type);
        slot.settled = type;
        slot.known = true;
    }
    return changed;
}

// False where the types still change after so many rounds that they go on doing so: `xs = [xs]` in a loop.
static bool settle_types(Body& b, const std::function<void()>& once) {
    bool changes = true;
    for (bool settle : {false, true}) {
        if (settle) changes |= adopt_types(b, true);
        // A type may go through a chain of assignments in which each is one round behind the next.
        for (size_t round = 0; changes && round < 16 + 2 * b.slots.size() && !b.checker.cancelled(); ++round) {
            b.begin_pass(false);
            once();
            changes = adopt_types(b, settle) || std::exchange(b.new_dimensions, false);
        }
    }
    return !changes;
}

// What one more round would change is what has no type.
static void say_unsettled(Body& b, const std::function<void()>& once) {
    std::vector<Type> before;
    for (const Slot& slot : b.slots) before.push_back(slot.settled);
    b.begin_pass(false);
    once();
    adopt_types(b, true);
    b.aloud = true;
    for (size_t i = 0; i < before.size(); ++i) {
        if (b.slots[i].settled == before[i]) continue;
        b.error("E0303", b.slots[i].first_at,
                fmt::format("`{}` has no type: each round of assignments gives it a larger one", b.slots[i].name));
        return;
    }
}

static void publish_variables(Body& b) {
    for (const Slot& slot : b.slots) {
        Variable& variable = b.instance.variables[slot.id.index];
        variable.type = slot.known ? slot.settled : Type::unknown();
        variable.assigned_once = slot.bindings <= 1;
        variable.last_read = slot.last_read;
    }
}

static void run_passes(Body& b, const std::function<void()>& once) {
    const bool settled = settle_types(b, once);
    b.begin_pass(true);
    once();
    for (const FunctionId inner : b.inner_generics) {
        if (!b.checker.is_called(inner)) b.checker.check_untyped(inner, &b);
    }
    const bool fine = !b.state().found.has_errors();
    if (!settled && fine) say_unsettled(b, once);
    if (settled && fine && b.checker.options.verify && adopt_types(b, true))
        ir::internal_error(fmt::format("the last pass of `{}` found other types than those before", b.instance.name));
    publish_variables(b);
}

// Default values: constants of the types that they stand for, element types and functions.
static void check_defaults(Body& b) {
    for (const ParameterInfo& parameter : b.instance.parameters) {
        if (!parameter.default_value.valid()) continue;
        const ast::Expr& otherwise = *b.expr(parameter.default_value);
        Value value = expression(b, otherwise);
        const bool named = value.type.is(Kind::dtype) || value.type.is(Kind::function);
        const bool known = named || (parameter.is_static && parameter.value);
        if (!known && !require_static(b, otherwise, value, fmt::format("the default of `{}`", parameter.name)))
            continue;
        const ast::Expr* annotation = b.expr(parameter.annotation);
        if (!annotation) continue;  // its type is that of what is given
        const auto* qualified = std::get_if<ast::Qualified>(&annotation->node);
        if (parameter.is_static && qualified && !qualified->type) continue;  // this too
        require_converts(b, otherwise, value, parameter.type, fmt::format("`{}`", parameter.name));
    }
}

// Whether what stands in a file could not all be read: a `return` may be in what is missing.
static bool has_unread_text(const Diagnostics& diagnostics, FileId file) {
    return std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& d) {
        return d.severity == Severity::error && d.code.starts_with("E01") && d.span.file == file;
    });
}

// The result of the function: declared, or the join of what it returns.
static void finish_result(Body& b, const ast::Block& body) {
    const ast::FunctionDef& def = b.def();
    const bool ends = b.flow.reachable && !has_unread_text(b.checker.diagnostics, def.name.span.file);
    if (b.result_type) {
        b.instance.result = *b.result_type;
        bool only_ellipsis =
            body.size() == 1 && std::holds_alternative<ast::ExprStmt>(body[0]->node) &&
            std::holds_alternative<ast::EllipsisLiteral>(std::get<ast::ExprStmt>(body[0]->node).value->node);
        if (ends && !b.result_type->is(Kind::none) && !b.result_type->is_unknown() && !only_ellipsis) {
            b.error("E0317", def.name.span, fmt::format("`{}` may end without a `return`", def.name.text))
                .label(b.result_at, fmt::format("it is to give {}", shown(*b.result_type)));
        }
        return;
    }
    const Type joined = b.returned.value_or(Type::none());
    if (holds_function_values(joined)) {
        b.refuse(Feature::autodiff, def.name.span, "returning what `vjp` gave is");
        b.instance.result = {};
        return;
    }
    b.instance.result = joined;
    if (ends && !joined.is(Kind::none) && !joined.is_unknown()) {
        b.error("E0317", def.name.span, fmt::format("`{}` may end without a `return`", def.name.text))
            .note(fmt::format("on other paths it gives {}", shown(joined)));
    }
}

// Of a constructor: what it makes
static Type own_record(const Body& b) {
    std::vector<std::string> names{b.function->name};
    std::vector<Type> fields;
    for (const ParameterInfo& parameter : b.instance.parameters) {
        if (parameter.type.is_unknown()) return {};
        names.push_back(parameter.name);
        fields.push_back(stored(Type::list(parameter.type, std::nullopt)).parts()[0]);
    }
    return Type::record(b.function->id, std::move(names), std::move(fields), false).with_mut(false);
}

void check_function(Body& b, const Request& request) {
    b.aloud = true;
    read_header(b, request);
    if (b.instance.tuned) {
        check_defaults(b);
        return;
    }
    if (b.function->derived && !b.function->derived->call.valid()) {
        check_defaults(b);
        check_derivative(b, request);
        return;
    }
    const ast::FunctionDef& def = b.def();
    std::map<std::string, int, std::less<>> counts;
    count_bindings(def.body, counts);
    for (const TuningEntry& entry : b.function->space) {
        if (!counts.contains(entry.name)) continue;
        b.error(
            "E0413", entry.at,
            fmt::format("`{}` is assigned in the kernel: a tuning parameter has its value from the space", entry.name));
    }
    b.loop_names = b.checker.places_of(b.instance.module).own_to_loops(def, counts);
    for (const auto& [name, count] : counts) {
        Slot* slot = b.find_slot(name);
        if (!slot && b.enclosing) b.fixed.erase(name);
        if (b.loop_names.contains(name)) continue;
        if (!slot) {
            Slot& added = b.add_slot(name, {});
            b.names[name] = added.id;
            slot = &added;
            slot->bindings = count;
        } else {
            slot->bindings += count;
        }
    }
    b.flow.assigned.resize(b.slots.size());
    b.entry_flow = b.flow;
    b.header_symbols = b.instance.symbols.size();
    b.header_exprs = b.instance.exprs;
    run_passes(b, [&] {
        check_defaults(b);
        if (b.function->derived) {
            check_transform(b);
            return;
        }
        if (b.function->makes) {
            b.instance.result = own_record(b);
            return;
        }
        block(b, def.body);
        finish_result(b, def.body);
    });
    if (rules_of(b.function->kind).of_group) check_kernel_limits(b);
    b.instance.complete = !b.state().found.has_errors();
}

void check_module(Body& b, const ast::Module& tree) {
    std::map<std::string, int, std::less<>> counts;
    count_bindings(tree.body, counts);
    for (const auto& [name, count] : counts) {
        Slot& slot = b.add_slot(name, {});
        b.names[name] = slot.id;
        slot.bindings = count;
    }
    b.flow.assigned.resize(b.slots.size());
    b.entry_flow = b.flow;
    run_passes(b, [&] { block(b, tree.body); });
    b.instance.result = Type::none();
    b.instance.complete = !b.state().found.has_errors();
}

std::optional<Static> evaluate_constant(Body& b, const ast::Expr& e) {
    b.constant_only = true;
    b.aloud = false;
    Value value = expression(b, e);
    if (value.type.is(Kind::dtype)) return Static::of(value.type.elem());
    return value.value;
}

}  // namespace tsr::sema
