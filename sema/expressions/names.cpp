#include "sema/expressions/names.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "frontend/foreign_names.h"
#include "sema/annotations/unknown_names.h"
#include "sema/builtins/library.h"
#include "sema/expressions/records.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/items.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

// A list of a graph function has the length that it has there, on every path.
static Value with_length_here(Body& b, const ast::Expr& e, const Slot& slot, Value value) {
    if (!value.type.is(Kind::list) || !b.rules().new_values) return value;
    const auto here = b.length_here(slot);
    const auto length = here ? here : value.type.length();
    value.type = Type::list(value.type.parts()[0], length);
    // A plain function is checked once for lists of all lengths.
    const bool any = slot.given && slot.given->is(Kind::list) && !slot.given->length();
    if (length || any || !b.aloud || !b.flow.reachable) return value;
    if (b.lengths_said.insert(slot.id).second) {
        b.error("E0314", e.span, fmt::format("how many items `{}` has here is not the same on every path", slot.name))
            .note(
                "in a graph function the length of a list is static: it changes only in loops whose number of "
                "iterations is static, and under static conditions")
            .note("a tensor holds what each iteration of another loop gives: `ys = zeros(n, …)`, `ys[i] = h`");
    }
    return {};
}

static Value read_variable(Body& b, const ast::Expr& e, Slot& slot) {
    b.note(e, variable_entity(b, slot));
    bool assigned = slot.id.index < b.flow.assigned.size() && b.flow.assigned[slot.id.index];
    if (!assigned && b.flow.reachable) {
        const std::string written = slot.name.substr(0, slot.name.find('.'));  // of one round of a loop: `y.3`
        auto& d = b.error("E0206", e.span, fmt::format("`{}` may be read before it is assigned", written));
        if (slot.first_at.valid() && slot.joined)
            d.label(slot.first_at, "this assignment does not happen on every path");
        b.mark_assigned(slot);  // said once per path
        return {};
    }
    slot.last_read = std::max(slot.last_read, e.span.begin);
    Value value;
    value.referent = slot.id;
    if (slot.declared) {
        value.type = *slot.declared;
        return with_length_here(b, e, slot, std::move(value));
    }
    // It was assigned what has no type, beside numbers at most: which type it would have is not known.
    const Type& beside = slot.joined && !slot.joined->is_unknown() ? *slot.joined : slot.settled;
    if (b.aloud && slot.broken && (beside.is_literal() || beside.is_number())) return value;
    if (slot.bindings <= 1 && slot.once) {
        value = *slot.once;
        value.compute.reset();
        value.rounds = rounds_of_variable(b, slot);
        if (!value.is_static()) value.type = b.type_to_read(slot);
        if (slot.outlived) {
            set_rounds(value, 0);
            value.type = settled_type(value.type, {});
        }
        value.referent = slot.id;
        value = with_length_here(b, e, slot, std::move(value));
        if (has_unknown_extents(value.type)) value.type = item_type(b, value.type, e);
        return value;
    }
    value.type = b.type_to_read(slot);
    value = with_length_here(b, e, slot, std::move(value));
    const bool own = slot.id.index < b.flow.own.size() && b.flow.own[slot.id.index];
    if (own && (value.type.is(Kind::tensor) || value.type.is(Kind::record))) value.type = value.type.with_mut(true);
    value.rounds = rounds_of_variable(b, slot);
    if (has_unknown_extents(value.type)) value.type = item_type(b, value.type, e);
    return value;
}

// A variable of the function or module around this one: a hidden parameter with its type.
static Type captured_type(Body& b, const Type& type, const std::string& variable, const ast::Expr& at) {
    if (type.is(Kind::tuple) && b.rules().host_objects) return as_item(type);
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape = type.tensor().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].constant_value()) continue;
        SymbolInfo symbol;
        symbol.name = fmt::format("{}__{}", variable, b.checker.fresh++);
        symbol.source = SymbolInfo::Source::expression;
        symbol.expr = at.id;
        symbol.axis = axis;
        shape[axis] = ir::Dim::symbol(symbol.name);
        b.instance.symbols.insert(b.instance.symbols.begin() + static_cast<std::ptrdiff_t>(b.header_symbols), symbol);
        ++b.header_symbols;
    }
    return type.with_shape(std::move(shape));
}

static Slot& capture(Body& b, Body& owner, Slot& outer, const ast::Expr& at) {
    const std::pair captured(owner.instance.id, outer.id);
    for (Slot& known : b.slots) {
        if (b.instance.variables[known.id.index].captured == captured) return known;
    }
    // A module's variables are published before the functions that read them are checked.
    outer.last_read = owner.instance.variables[outer.id.index].last_read = UINT32_MAX;
    Slot& slot = b.add_slot(outer.name, outer.first_at);
    b.names.try_emplace(slot.name, slot.id);  // `m.x` beside an `x` of its own
    slot.bindings = 1;
    slot.once = Value{};
    Value& value = *slot.once;
    if (outer.bindings <= 1 && outer.once) value = *outer.once;
    value.type = owner.type_to_read(outer);
    if (!owner.function) value.type = captured_type(b, value.type, outer.name, at);
    value.rounds = 0;
    slot.settled = value.type;
    slot.known = true;
    Variable& variable = b.instance.variables[slot.id.index];
    variable.type = value.type;
    variable.captured = captured;
    b.instance.captures.push_back(slot.id);
    b.mark_assigned(slot);
    if (b.entry_flow.assigned.size() <= slot.id.index) b.entry_flow.assigned.resize(slot.id.index + 1);
    b.entry_flow.assigned[slot.id.index] = true;
    return slot;
}

Value name_value(Body& b, const ast::Expr& e, const std::string& text) {
    if (auto it = b.fixed.find(text); it != b.fixed.end() && !b.is_inner(text))
        return static_value(it->second, TuningParameter{text});
    if (Slot* slot = b.find_slot(text)) return read_variable(b, e, *slot);
    if (auto found = b.nested.find(text); found != b.nested.end()) {
        Value value;
        value.type = Type::function(found->second);
        value.referent = FunctionName{found->second};
        return value;
    }
    if (const auto bound = b.bound_type(text)) {
        b.note(e, type_variable_entity(b, text));
        Value value;
        value.type = Type::dtype_value(*bound);
        value.value = Static::of(*bound);
        return value;
    }
    if (const SymbolInfo* symbol = b.find_symbol(text)) {
        Value value;
        value.type = Type::index();
        value.dim = ir::Dim::symbol(symbol->name);
        value.referent = DimensionSymbol{symbol->name};
        return value;
    }
    if (auto whole = b.opaque_names.find(text); whole != b.opaque_names.end()) {
        b.note(e, dimension_entity(b, text));
        if (whole->second.empty()) return {};
        b.error("E0313", e.span, fmt::format("`{}` has no value of its own: only `{}` is known", text, whole->second));
        return {};
    }
    if (const ast::Expr* extent = field_extent(b, e, text)) {
        b.note(e, record_dimension_entity(b, text));
        Value value = expression(b, *extent);
        value.referent = {};
        return value;
    }
    for (Body* around = b.enclosing; around; around = around->enclosing) {
        Slot* outer = around->find_slot(text);
        if (const auto fixed = around->fixed.find(text); !outer && fixed != around->fixed.end()) {
            b.note(e, dimension_entity(*around, text));
            return static_value(fixed->second, {});
        }
        if (outer) {
            b.note(e, variable_entity(*around, *outer));
            const bool assigned =
                outer->id.index < around->flow.assigned.size() && around->flow.assigned[outer->id.index];
            const bool known = outer->bindings == 1 && outer->once && outer->once->value;
            const bool inlined = b.rules().inlines_calls && around->rules().inlines_calls;
            if (known && (assigned || inlined)) return static_value(*outer->once->value, {});
            Slot& captured = capture(b, *around, *outer, e);
            if (b.rules().new_values && !inlined && !is_tree(captured.settled)) {
                return b.refuse(Feature::graphs, e.span,
                                fmt::format("a graph function that captures {} is", shown(captured.settled)));
            }
            return read_variable(b, e, captured);
        }
        if (auto found = around->nested.find(text); found != around->nested.end()) {
            Value value;
            value.type = Type::function(found->second);
            value.referent = FunctionName{found->second};
            return value;
        }
    }
    if (b.function && !b.function->self.empty() && b.function->self == text) {  // the policy whose method this is
        const FunctionId made = b.function->method_of->constructor;
        Value value = typed(Type::function(made));
        value.referent = FunctionName{made};
        return value;
    }
    Symbol symbol = b.checker.lookup(b.instance.module, text);
    return symbol_value(b, e, symbol, e.span, text);
}

static Value builtin_value(Body& b, const ast::Expr& e, const BuiltinEntry& entry) {
    Value value;
    std::string text = dotted(e).empty() ? entry.paths.front() : dotted(e);
    if (entry.feature != Feature::none) return b.refuse(entry.feature, e.span, fmt::format("`{}` is", text));
    if (!is_known_in(entry, b.instance.context)) {
        const ElsewhereMessage elsewhere = elsewhere_message(b.instance.context);
        b.error(elsewhere.code, e.span, fmt::format("`{}` is {}", text, elsewhere.text));
        return {};
    }
    value.referent = BuiltinName{entry.id};
    if (const auto form = named_form(entry.id)) {
        value.type = Type::function(b.checker.class_of(*form));
        return value;
    }
    value.type = Type::builtin(entry.id);
    if (!entry.is_value) return value;
    auto constant = [&](double number) {
        value.type = Type::float_literal();
        value.value = Static::of(number);
    };
    if (entry.id == Builtin::pi) constant(3.14159265358979323846);
    if (entry.id == Builtin::e) constant(2.71828182845904523536);
    if (entry.id == Builtin::tau) constant(6.28318530717958647693);
    if (entry.id == Builtin::inf) constant(HUGE_VAL);
    if (entry.id == Builtin::nan) constant(__builtin_nan(""));
    if (entry.id == Builtin::version) {
        value.type = Type::string();
        value.value = Static::of(std::string(TSR_VERSION));
    }
    if (entry.id == Builtin::args) value.type = Type::list(Type::string(), std::nullopt);
    if (entry.id == Builtin::grid_groups) {
        if (b.rules().in_group) b.name_group(e.span, text);
        value.type = Type::index();
        if (b.find_symbol("grid_groups")) value.dim = ir::Dim::symbol("grid_groups");
    }
    return value;
}

Value symbol_value(Body& b, const ast::Expr& e, const Symbol& symbol, Span at, const std::string& text) {
    Value value;
    switch (symbol.kind) {
        case Symbol::Kind::none:
            say_unknown(b, at, text);
            return {};
        case Symbol::Kind::broken:
            return {};
        case Symbol::Kind::class_:  // called, it makes a record
        case Symbol::Kind::function:
            value.type = Type::function(symbol.function);
            value.referent = FunctionName{symbol.function};
            return value;
        case Symbol::Kind::library: {
            const FunctionId function = b.checker.library_function(*library_function(symbol.path));
            value.type = Type::function(function);
            value.referent = FunctionName{function};
            return value;
        }
        case Symbol::Kind::name_space:
            value.type = Type::name_space(symbol.path);
            value.referent = NameSpace{symbol.path};
            return value;
        case Symbol::Kind::package:
            value.type = Type::name_space(symbol.path);
            return value;
        case Symbol::Kind::module:
            value.type = Type::module(symbol.module, b.checker.program.modules[symbol.module.index].name);
            value.referent = ModuleName{symbol.module};
            return value;
        case Symbol::Kind::builtin:
            return builtin_value(b, e, *symbol.builtin);
        case Symbol::Kind::dtype:
            value.type = Type::dtype_value(symbol.dtype);
            value.value = Static::of(symbol.dtype);
            value.referent = ElementType{symbol.dtype};
            return value;
        case Symbol::Kind::variable:
            break;
    }
    if (auto known = b.checker.constant(symbol.module, symbol.path)) {
        return static_value(*known, ModuleConstant{symbol.module, symbol.path});
    }
    if (b.constant_only) return {};
    b.note(e, *symbol_entity(b.checker.program, symbol, text));
    if (!b.rules().reads_modules) {
        b.error("E0210", at,
                fmt::format("`{}` is not a constant: {} may only use names that are assigned once, from static values",
                            text, b.rules().in_group ? "kernels" : "graph functions"))
            .label(symbol.declared, "assigned here");
        return {};
    }
    auto open = b.checker.open_modules.find(symbol.module);
    Slot* outer = open == b.checker.open_modules.end() ? nullptr : open->second->find_slot(symbol.path);
    if (!outer) return {};
    Type type = open->second->type_to_read(*outer);
    if (type.is_unknown() && outer->broken) return {};
    if (type.is_unknown()) {
        b.error("E0206", at, fmt::format("`{}` is read before it is assigned", text))
            .label(symbol.declared, "it is assigned here");
        return {};
    }
    bool sized = !type.is(Kind::tensor) || std::ranges::all_of(type.tensor().shape, [](const ir::Dim& d) {
        return d.constant_value().has_value();
    });
    if (!sized && (!b.function || b.function->name != "main")) {
        if (!b.unknown_names.insert(text).second) return {};  // said once
        return b.refuse(Feature::host, at,
                        fmt::format("`{}`, a module's tensor whose shape is not static, in a function is", text));
    }
    return read_variable(b, e, capture(b, *open->second, *outer, e));
}

}  // namespace tsr::sema
