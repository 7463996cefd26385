// What a name means inside a function: variables, dimensions, tuning parameters, functions, the module, the root.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "frontend/foreign_names.h"
#include "sema/body.h"
#include "sema/containers.h"

namespace tsr::sema {

const SymbolInfo* Body::find_symbol(std::string_view name) const {
    for (const SymbolInfo& symbol : instance.symbols) {
        if (symbol.name == name) return &symbol;
    }
    return nullptr;
}

std::optional<Static> Body::fixed_name(std::string_view name) {
    if (auto found = fixed.find(name); found != fixed.end() && !is_inner(name)) return found->second;
    if (Slot* slot = find_slot(name)) {
        if (slot->bindings == 1 && slot->once && slot->once->value) return slot->once->value;
        return std::nullopt;
    }
    if (enclosing) {
        if (auto outer = enclosing->fixed_name(name)) return outer;
    }
    return checker.constant(instance.module, std::string(name));
}

Value Body::read_variable(const ast::Expr& e, Slot& slot) {
    bool assigned = slot.id.index < flow.assigned.size() && flow.assigned[slot.id.index];
    if (!assigned && flow.reachable) {
        auto& d = error("E0206", e.span, fmt::format("`{}` may be read before it is assigned", slot.name));
        if (slot.first_at.valid() && slot.joined)
            d.label(slot.first_at, "this assignment does not happen on every path");
        mark_assigned(slot);  // said once per path
        return {};
    }
    slot.last_read = std::max(slot.last_read, e.span.begin);
    Value value;
    value.referent = slot.id;
    if (slot.declared) {
        value.type = *slot.declared;
        return value;
    }
    // It was assigned what has no type, beside numbers at most: which type it would have is not known.
    const Type& beside = slot.joined && !slot.joined->is_unknown() ? *slot.joined : slot.settled;
    if (aloud && slot.broken && (beside.is_literal() || beside.is_number())) return value;
    if (slot.bindings <= 1 && slot.once) {
        value = *slot.once;
        value.compute.reset();
        value.rounds = rounds_of_variable(slot);
        if (slot.known && !value.is_static()) value.type = slot.settled;
        if (slot.outlived) {
            set_rounds(value, 0);
            value.type = settled_type(value.type, {});
        }
        value.referent = slot.id;
        return value;
    }
    value.type = slot.known ? slot.settled : slot.joined.value_or(Type::unknown());
    const bool own = slot.id.index < flow.own.size() && flow.own[slot.id.index];
    if (own && (value.type.is(Kind::tensor) || value.type.is(Kind::record))) value.type = value.type.with_mut(true);
    value.rounds = rounds_of_variable(slot);
    if (has_unknown_extents(value.type)) value.type = item_type(value.type, e);
    return value;
}

// A variable of the function or module around this one: a hidden parameter with its type.
Type Body::captured_type(const Type& type, const std::string& variable, const ast::Expr& at) {
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape = type.tensor().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].constant_value()) continue;
        SymbolInfo symbol;
        symbol.name = fmt::format("{}__{}", variable, checker.fresh++);
        symbol.source = SymbolInfo::Source::expression;
        symbol.expr = &at;
        symbol.axis = axis;
        shape[axis] = ir::Dim::symbol(symbol.name);
        instance.symbols.insert(instance.symbols.begin() + static_cast<std::ptrdiff_t>(header_symbols_), symbol);
        ++header_symbols_;
    }
    return type.with_shape(std::move(shape));
}

Slot& Body::capture(Body& owner, Slot& outer, const ast::Expr& at) {
    const std::pair captured(owner.instance.id, outer.id);
    for (Slot& known : slots) {
        if (instance.variables[known.id.index].captured == captured) return known;
    }
    // A module's variables are published before the functions that read them are checked.
    outer.last_read = owner.instance.variables[outer.id.index].last_read = UINT32_MAX;
    Slot& slot = add_slot(outer.name, outer.first_at);
    names.try_emplace(slot.name, slot.id);  // `m.x` beside an `x` of its own
    slot.bindings = 1;
    slot.once = Value{};
    Value& value = *slot.once;
    if (outer.bindings <= 1 && outer.once) value = *outer.once;
    value.type = outer.known ? outer.settled : outer.joined.value_or(Type::unknown());
    if (!owner.function) value.type = captured_type(value.type, outer.name, at);
    value.rounds = 0;
    slot.settled = value.type;
    slot.known = true;
    Variable& variable = instance.variables[slot.id.index];
    variable.type = value.type;
    variable.captured = captured;
    instance.captures.push_back(slot.id);
    mark_assigned(slot);
    if (entry_flow_.assigned.size() <= slot.id.index) entry_flow_.assigned.resize(slot.id.index + 1);
    entry_flow_.assigned[slot.id.index] = true;
    return slot;
}

Value Body::name(const ast::Expr& e, const std::string& text) {
    if (auto it = fixed.find(text); it != fixed.end() && !is_inner(text))
        return static_value(it->second, TuningParameter{text});
    if (Slot* slot = find_slot(text)) return read_variable(e, *slot);
    if (auto found = nested.find(text); found != nested.end()) {
        Value value;
        value.type = Type::function(found->second);
        value.referent = FunctionName{found->second};
        return value;
    }
    if (const auto bound = bound_type(text)) {
        Value value;
        value.type = Type::dtype_value(*bound);
        value.value = Static::of(*bound);
        return value;
    }
    if (const SymbolInfo* symbol = find_symbol(text)) {
        Value value;
        value.type = Type::index();
        value.dim = ir::Dim::symbol(symbol->name);
        value.referent = DimensionSymbol{symbol->name};
        return value;
    }
    if (auto whole = opaque_names.find(text); whole != opaque_names.end()) {
        error("E0313", e.span, fmt::format("`{}` has no value of its own: only `{}` is known", text, whole->second));
        return {};
    }
    if (const ast::Expr* extent = field_extent(e, text)) {
        Value value = expr(*extent);
        value.referent = {};
        return value;
    }
    for (Body* around = enclosing; around; around = around->enclosing) {
        if (auto value = around->fixed_name(text); value && !around->find_slot(text)) return static_value(*value, {});
        if (Slot* outer = around->find_slot(text)) {
            const bool assigned =
                outer->id.index < around->flow.assigned.size() && around->flow.assigned[outer->id.index];
            const bool known = outer->bindings == 1 && outer->once && outer->once->value;
            if (known && (assigned || in_kernel())) return static_value(*outer->once->value, {});
            return read_variable(e, capture(*around, *outer, e));
        }
        if (auto found = around->nested.find(text); found != around->nested.end()) {
            Value value;
            value.type = Type::function(found->second);
            value.referent = FunctionName{found->second};
            return value;
        }
    }
    Symbol symbol = checker.lookup(instance.module, text);
    return symbol_value(e, symbol, e.span, text);
}

namespace {

bool has_word(std::string_view line, std::string_view word) {
    const auto is_letter = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]))) return true;
    }
    return false;
}

// Whether the name stands on a line of the file that could not be read: it may be assigned there.
bool is_on_broken_line(const Checker& checker, FileId file, std::string_view name) {
    return std::ranges::any_of(checker.diagnostics.all(), [&](const Diagnostic& d) {
        return d.code.starts_with("E01") && d.span.file == file &&
               has_word(checker.sources.line(file, checker.sources.position(file, d.span.begin).line), name);
    });
}

}  // namespace

void Body::say_unknown(Span at, const std::string& text) {
    if (!unknown_names.insert(text).second || checker.is_broken_line(at)) return;
    if (is_on_broken_line(checker, at.file, text)) return;
    auto& d = error("E0201", at, fmt::format("there is no `{}`", text));
    constexpr size_t kMostGuesses = 100;  // each takes time, and no more than a few are ever shown
    if (unknown_names.size() > kMostGuesses) return;
    std::vector<std::string> candidates = checker.names_of(instance.module);
    for (const auto& [known, id] : names) candidates.push_back(known);
    for (const SymbolInfo& known : instance.symbols) candidates.push_back(known.name);
    for (const auto& [known, unused] : fixed) candidates.push_back(known);
    // As other languages write them.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFamiliar{
        {{"true", "True"}, {"false", "False"}, {"none", "None"}, {"null", "None"}, {"nil", "None"}}};
    const auto* familiar = std::ranges::find(kFamiliar, text, &std::pair<std::string_view, std::string_view>::first);
    if (familiar != kFamiliar.end()) {
        d.suggest(at, std::string(familiar->second), fmt::format("did you mean `{}`?", familiar->second));
    } else if (text == "ts") {
        d.note("`import tessera as ts` gives the root namespace this name");
    } else if (auto ours = own_spelling(text)) {
        d.suggest(at, std::string(*ours), fmt::format("here this is `{}`", *ours));
    } else if (auto hint = foreign_hint(text)) {
        d.note(std::string(*hint));
    } else if (auto near = nearest(text, candidates)) {
        d.suggest(at, *near, fmt::format("did you mean `{}`?", *near));
    }
}

Value Body::symbol_value(const ast::Expr& e, const Symbol& symbol, Span at, const std::string& text) {
    Value value;
    switch (symbol.kind) {
        case Symbol::Kind::none:
            say_unknown(at, text);
            return {};
        case Symbol::Kind::broken:
            return {};
        case Symbol::Kind::class_:  // called, it makes a record
        case Symbol::Kind::function:
            value.type = Type::function(symbol.function);
            value.referent = FunctionName{symbol.function};
            return value;
        case Symbol::Kind::name_space:
            value.type = Type::name_space(symbol.path);
            value.referent = NameSpace{symbol.path};
            return value;
        case Symbol::Kind::module:
            value.type = Type::module(symbol.module, checker.program.modules[symbol.module.index].name);
            value.referent = ModuleName{symbol.module};
            return value;
        case Symbol::Kind::builtin:
            return builtin_value(e, *symbol.builtin);
        case Symbol::Kind::dtype:
            value.type = Type::dtype_value(symbol.dtype);
            value.value = Static::of(symbol.dtype);
            return value;
        case Symbol::Kind::variable:
            break;
    }
    if (auto known = checker.constant(symbol.module, symbol.path)) {
        return static_value(*known, ModuleConstant{symbol.module, symbol.path});
    }
    if (constant_only) return {};
    if (in_kernel()) {
        error("E0210", at,
              fmt::format("`{}` is not a constant: kernels may only use names that are assigned once, from "
                          "static values",
                          text))
            .label(symbol.declared, "assigned here");
        return {};
    }
    auto open = checker.open_modules.find(symbol.module);
    Slot* outer = open == checker.open_modules.end() ? nullptr : open->second->find_slot(symbol.path);
    if (!outer) return {};
    Type type = outer->known ? outer->settled : outer->joined.value_or(Type::unknown());
    if (type.is_unknown() && outer->broken) return {};
    if (type.is_unknown()) {
        error("E0206", at, fmt::format("`{}` is read before it is assigned", text))
            .label(symbol.declared, "it is assigned here");
        return {};
    }
    bool sized = !type.is(Kind::tensor) || std::ranges::all_of(type.tensor().shape, [](const ir::Dim& d) {
        return d.constant_value().has_value();
    });
    if (!sized && (!function || function->name != "main")) {
        if (!unknown_names.insert(text).second) return {};  // said once
        return refuse(Feature::host, at,
                      fmt::format("`{}`, a module's tensor whose shape is not static, in a function is", text));
    }
    return read_variable(e, capture(*open->second, *outer, e));
}

Value Body::builtin_value(const ast::Expr& e, const BuiltinEntry& entry) {
    Value value;
    std::string text = dotted(e).empty() ? entry.paths.front() : dotted(e);
    if (entry.feature != Feature::none) return refuse(entry.feature, e.span, fmt::format("`{}` is", text));
    if (in_kernel() ? !entry.in_kernel : !entry.on_host) {
        error(in_kernel() ? "E0402" : "E0401", e.span,
              in_kernel() ? fmt::format("`{}` is for host programs, this runs in a kernel", text)
                          : fmt::format("`{}` is only known in kernels", text));
        return {};
    }
    value.referent = BuiltinName{entry.id};
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
        if (in_kernel()) name_group(e.span, text);
        value.type = Type::index();
        if (find_symbol("grid_groups")) value.dim = ir::Dim::symbol("grid_groups");
    }
    return value;
}

Value Body::module_member(const ast::Expr& e, const ast::Attribute& a, const Type& module) {
    const auto& known = checker.scopes[module.module_id().index].names;
    const auto found = known.find(a.name.text);
    if (found != known.end()) return symbol_value(e, found->second, a.name.span, a.name.text);
    std::vector<std::string> candidates;
    for (const auto& [candidate, unused] : known) candidates.push_back(candidate);
    auto& d = error("E0202", a.name.span, fmt::format("module `{}` has no `{}`", module.path(), a.name.text));
    if (const auto near = nearest(a.name.text, candidates))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

Value Body::attribute(const ast::Expr& e, const ast::Attribute& a) {
    Value base = expr(*a.base);
    if (base.broken()) return {};
    if (base.type.is(Kind::module)) return module_member(e, a, base.type);
    bool root_member = base.type.is(Kind::builtin) && !dotted(e).empty();
    if (!base.type.is(Kind::name_space) && !root_member) return member(e, base, a);
    std::string path = root_member ? entry(base.type.builtin_name()).paths.front() : base.type.path();
    Symbol symbol = root_symbol(path.empty() ? a.name.text : path + "." + a.name.text);
    if (symbol.kind != Symbol::Kind::none) return symbol_value(e, symbol, a.name.span, a.name.text);
    std::string shown_path = path.empty() ? "tessera" : path;
    auto& d = error("E0202", a.name.span, fmt::format("`{}` has no `{}`", shown_path, a.name.text));
    if (auto ours = own_spelling(path + "." + a.name.text)) {
        d.suggest(e.span, std::string(*ours), fmt::format("here this is `{}`", *ours));
    } else if (!path.empty() && root_symbol(a.name.text).kind == Symbol::Kind::builtin) {
        d.suggest(e.span, a.name.text, fmt::format("here this is `{}`", a.name.text));
    } else if (auto near = nearest(a.name.text, members(path))) {
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}.{}`?", source(*a.base), *near));
    }
    return {};
}

}  // namespace tsr::sema
