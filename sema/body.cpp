#include "sema/body.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/elements.h"

namespace tsr::sema {

Body::Body(Checker& checker, Instance& instance, const Function* function, Body* enclosing)
    : checker(checker), instance(instance), function(function), enclosing(enclosing) {}

// ---- messages ----

Diagnostic& Body::error(std::string code, Span span, std::string message) {
    const bool said =
        aloud && !(span.valid() && checker.is_broken_line(span));  // what the text means there is not known
    return (said ? state().found : scratch_).error(std::move(code), span, std::move(message));
}

Diagnostic& Body::warning(std::string code, Span span, std::string message) {
    return (aloud ? state().found : scratch_).warning(std::move(code), span, std::move(message));
}

Value Body::refuse(Feature feature, Span span, const std::string& what) {
    error(std::string(code(feature)), span, fmt::format("{} not compiled yet", what));
    return {};
}

std::string Body::source(const ast::Expr& expr) const { return std::string(checker.sources.text(expr.span)); }

std::string readable(const std::string& text) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
        const bool part = std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
        size_t end = i + 1;
        while (part && end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
            ++end;
        }
        const std::string word = text.substr(i, end - i);
        i = end;
        const size_t mark = word.rfind("__");
        const bool made = mark != std::string::npos && mark > 0 && mark + 2 < word.size() &&
                          word.find_first_not_of("0123456789", mark + 2) == std::string::npos;
        result += !made ? word : word.starts_with("extent__") ? "?" : word.substr(0, mark);
    }
    return result;
}

std::string shown(const Type& type) {
    constexpr size_t kLongest = 200;  // of a message
    bool spelled = type.is_scalar() || type.is(Kind::tensor);
    std::string text = readable(type.text());
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
    return spelled ? "`" + text + "`" : text;
}

// ---- slots ----

Slot& Body::add_slot(const std::string& name, Span at) {
    VariableId id(slots.size());
    Slot& slot = slots.emplace_back();
    slot.name = name;
    slot.id = id;
    slot.first_at = at;
    Variable& variable = instance.variables.emplace_back();
    variable.name = name;
    variable.declared = at;
    return slot;
}

Slot* Body::find_slot(std::string_view name) {
    for (auto inner = inner_names.rbegin(); inner != inner_names.rend(); ++inner) {
        if (inner->first == name) return &slots[inner->second.index];
    }
    auto found = names.find(name);
    return found == names.end() ? nullptr : &slots[found->second.index];
}

bool Body::is_inner(std::string_view name) const {
    return std::ranges::any_of(inner_names, [&](const auto& inner) { return inner.first == name; });
}

void Body::mark_assigned(const Slot& slot) {
    if (flow.assigned.size() <= slot.id.index) flow.assigned.resize(slot.id.index + 1);
    flow.assigned[slot.id.index] = true;
}

void Body::mark_own(const Slot& slot, bool own) {
    if (flow.own.size() <= slot.id.index) flow.own.resize(slot.id.index + 1);
    flow.own[slot.id.index] = own;
}

void Body::forget_own(const ast::Block& block) {
    std::map<std::string, int, std::less<>> bound;
    count_bindings(block, bound);
    for (const auto& [name, count] : bound) {
        if (const Slot* slot = find_slot(name)) mark_own(*slot, false);
    }
}

// What holds where two paths meet; a path that ends says nothing.
Flow Body::meet(const Flow& a, const Flow& b) {
    if (!a.reachable || !b.reachable) {
        Flow other = a.reachable ? a : b;
        other.decided = !other.reachable && (a.decided || b.decided);
        return other;
    }
    Flow result = a;
    for (size_t i = 0; i < result.assigned.size(); ++i) {
        result.assigned[i] = result.assigned[i] && i < b.assigned.size() && b.assigned[i];
    }
    for (size_t i = 0; i < result.own.size(); ++i) {
        result.own[i] = result.own[i] && i < b.own.size() && b.own[i];
    }
    return result;
}

// ---- passes ----

void Body::begin_pass(bool final) {
    aloud = final;
    scratch_ = {};
    flow = entry_flow_;
    loops.clear();
    round_loops.clear();
    round_conditions.clear();
    returned.reset();
    unknown_names.clear();
    inner_names.clear();
    state().allocations.clear();
    state().callees.clear();
    instance.exprs.clear();
    instance.calls.clear();
    instance.loops.clear();
    instance.comprehensions.clear();
    instance.augmented.clear();
    instance.checks.clear();
    instance.symbols.resize(header_symbols_);
    variable_symbols.clear();
    for (Slot& slot : slots) {
        slot.broken = false;
        if (instance.variables[slot.id.index].captured) continue;
        slot.joined = slot.given;
        slot.declared.reset();
        slot.only_value.reset();
        slot.assigned_at.clear();
        if (slot.given) continue;
        slot.once.reset();
        slot.outlived = false;
        slot.rounds = 0;
    }
}

// Takes the types found in a pass for the next one. True when one of them is new.
bool Body::adopt(bool settle) {
    bool changed = false;
    for (Slot& slot : slots) {
        if (!slot.joined) continue;
        Type type = slot.declared ? *slot.declared : *slot.joined;
        bool static_once = slot.bindings == 1 && slot.once && slot.once->is_static();
        if (settle && !static_once) type = settled_type(type, slot.only_value);
        // A type does not go back: `x = f(x)`, whose result is wider than its parameter, would change in every round.
        if (slot.known && !slot.declared && is_element(type) && is_element(slot.settled))
            type = join(slot.settled, type).value_or(type);
        if (slot.known && slot.settled == type) continue;
        slot.settled = type;
        slot.known = true;
        changed = true;
    }
    return changed;
}

// False where the types still change after so many rounds that they go on doing so: `xs = [xs]` in a loop.
bool Body::settle_types(const std::function<void()>& once) {
    bool changes = false;
    for (bool settle : {false, true}) {
        changes = true;
        // A type may go through a chain of assignments in which each is one round behind the next.
        for (size_t round = 0; changes && round < 16 + 2 * slots.size() && !checker.cancelled(); ++round) {
            begin_pass(false);
            once();
            changes = adopt(settle);
        }
    }
    return !changes;
}

void Body::passes(const std::function<void()>& once) {
    const bool settled = settle_types(once);
    begin_pass(true);
    once();
    for (const FunctionId inner : inner_generics) {
        if (!checker.is_called(inner)) checker.check_untyped(inner, this);
    }
    if (!settled && !state().found.has_errors()) say_unsettled(once);
    publish_variables();
}

// What one more round would change is what has no type.
void Body::say_unsettled(const std::function<void()>& once) {
    std::vector<Type> before;
    for (const Slot& slot : slots) before.push_back(slot.settled);
    begin_pass(false);
    once();
    adopt(true);
    aloud = true;
    for (size_t i = 0; i < before.size(); ++i) {
        if (slots[i].settled == before[i]) continue;
        error("E0303", slots[i].first_at,
              fmt::format("`{}` has no type: each round of assignments gives it a larger one", slots[i].name));
        return;
    }
}

void Body::publish_variables() {
    for (const Slot& slot : slots) {
        Variable& variable = instance.variables[slot.id.index];
        variable.type = slot.known ? slot.settled : Type::unknown();
        variable.assigned_once = slot.bindings <= 1;
        variable.last_read = slot.last_read;
    }
}

void Body::check_function(const Request& request) {
    aloud = true;
    read_header(request);
    if (instance.tuned) {
        check_defaults();
        return;
    }
    const ast::FunctionDef& def = *function->def;
    std::map<std::string, int, std::less<>> counts;
    count_bindings(def.body, counts);
    for (const TuningEntry& entry : function->space) {
        if (!counts.contains(entry.name)) continue;
        error(
            "E0413", entry.at,
            fmt::format("`{}` is assigned in the kernel: a tuning parameter has its value from the space", entry.name));
    }
    loop_names = checker.places_of(instance.module).own_to_loops(def, counts);
    for (const auto& [name, count] : counts) {
        Slot* slot = find_slot(name);
        if (!slot && enclosing) fixed.erase(name);
        if (loop_names.contains(name)) continue;
        if (!slot) {
            Slot& added = add_slot(name, {});
            names[name] = added.id;
            slot = &added;
            slot->bindings = count;
        } else {
            slot->bindings += count;
        }
    }
    for (const ast::Stmt* stmt : def.body) {
        const auto* assertion = std::get_if<ast::Assert>(&stmt->node);
        if (!assertion) break;
        instance.assumed.push_back(assertion->condition);
    }
    flow.assigned.resize(slots.size());
    entry_flow_ = flow;
    header_symbols_ = instance.symbols.size();
    passes([&] {
        check_defaults();
        if (function->makes) {
            instance.result = own_record();
            return;
        }
        block(def.body);
        finish_result(def.body);
    });
    if (function->kind == FunctionKind::kernel) finish_kernel();
    instance.complete = !state().found.has_errors();
}

void Body::check_module(const ast::Module& tree) {
    std::map<std::string, int, std::less<>> counts;
    count_bindings(tree.body, counts);
    for (const auto& [name, count] : counts) {
        Slot& slot = add_slot(name, {});
        names[name] = slot.id;
        slot.bindings = count;
    }
    flow.assigned.resize(slots.size());
    entry_flow_ = flow;
    passes([&] { block(tree.body); });
    instance.result = Type::none();
    instance.complete = !state().found.has_errors();
}

std::optional<Static> Body::evaluate_constant(const ast::Expr& e) {
    constant_only = true;
    aloud = false;
    Value value = expr(e);
    if (value.type.is(Kind::dtype)) return Static::of(value.type.elem());
    return value.value;
}

// Default values: constants of the types that they stand for, element types and functions.
void Body::check_defaults() {
    for (const ParameterInfo& parameter : instance.parameters) {
        if (!parameter.syntax->default_value) continue;
        const ast::Expr& otherwise = *parameter.syntax->default_value;
        Value value = expr(otherwise);
        const bool named = value.type.is(Kind::dtype) || value.type.is(Kind::function);
        const bool known = named || (parameter.is_static && parameter.value);
        if (!known && !require_static(otherwise, value, fmt::format("the default of `{}`", parameter.name))) continue;
        const ast::Expr* annotation = parameter.syntax->annotation;
        if (!annotation) continue;  // its type is that of what is given
        const auto* qualified = std::get_if<ast::Qualified>(&annotation->node);
        if (parameter.is_static && qualified && !qualified->type) continue;  // this too
        require_converts(otherwise, value, parameter.type, fmt::format("`{}`", parameter.name));
    }
}

// Whether what stands in a file could not all be read: a `return` may be in what is missing.
static bool has_unread_text(const Diagnostics& diagnostics, FileId file) {
    return std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& d) {
        return d.severity == Severity::error && d.code.starts_with("E01") && d.span.file == file;
    });
}

// The result of the function: declared, or the join of what it returns.
void Body::finish_result(const ast::Block& body) {
    const ast::FunctionDef& def = *function->def;
    const bool ends = flow.reachable && !has_unread_text(checker.diagnostics, def.name.span.file);
    if (result_type) {
        instance.result = *result_type;
        bool only_ellipsis =
            body.size() == 1 && std::holds_alternative<ast::ExprStmt>(body[0]->node) &&
            std::holds_alternative<ast::EllipsisLiteral>(std::get<ast::ExprStmt>(body[0]->node).value->node);
        if (ends && !result_type->is(Kind::none) && !result_type->is_unknown() && !only_ellipsis) {
            error("E0317", def.name.span, fmt::format("`{}` may end without a `return`", def.name.text))
                .label(result_at, fmt::format("it is to give {}", shown(*result_type)));
        }
        return;
    }
    const Type joined = returned.value_or(Type::none());
    instance.result = joined;
    if (ends && !joined.is(Kind::none) && !joined.is_unknown()) {
        error("E0317", def.name.span, fmt::format("`{}` may end without a `return`", def.name.text))
            .note(fmt::format("on other paths it gives {}", shown(joined)));
    }
}

}  // namespace tsr::sema
