#include "sema/state/body.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/program/round_values.h"
#include "sema/state/entities.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

Body::Body(Checker& checker, Instance& instance, const Function* function, Body* enclosing)
    : checker(checker), instance(instance), function(function), enclosing(enclosing) {}

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

const ast::Expr* Body::expr(ast::ExprId id) const { return checker.program.expr(instance.module, id); }

std::string Body::source(const ast::Expr& expr) const { return std::string(checker.sources.text(expr.span)); }

std::string shown(const Type& type) {
    constexpr size_t kLongest = 200;  // of a message
    bool spelled = type.is_scalar() || type.is(Kind::tensor);
    std::string text = readable(type.text());
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
    return spelled ? "`" + text + "`" : text;
}

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

void Body::mark_length(const Slot& slot, int64_t length) {
    if (flow.lengths.size() <= slot.id.index) flow.lengths.resize(slot.id.index + 1, Flow::kAnyLength);
    flow.lengths[slot.id.index] = length;
}

std::optional<int64_t> Body::length_here(const Slot& slot) const {
    if (slot.id.index >= flow.lengths.size() || flow.lengths[slot.id.index] == Flow::kAnyLength) return std::nullopt;
    return flow.lengths[slot.id.index];
}

void Body::begin_pass(bool final) {
    aloud = final;
    scratch_ = {};
    flow = entry_flow;
    loops.clear();
    round_loops.clear();
    round_conditions.clear();
    returned.reset();
    unknown_names.clear();
    integers_read.clear();
    lengths_said.clear();
    found_.clear();
    inner_names.clear();
    state().allocations.clear();
    state().callees.clear();
    state().left_out_behind.clear();
    instance.exprs = header_exprs;
    instance.calls.clear();
    instance.compared.clear();
    instance.loops.clear();
    instance.comprehensions.clear();
    instance.augmented.clear();
    instance.extents.clear();
    instance.checks.clear();
    instance.symbols.resize(header_symbols);
    variable_symbols.clear();
    for (Slot& slot : slots) {
        slot.broken = false;
        if (instance.variables[slot.id.index].captured) continue;
        slot.joined = slot.given;
        slot.read_as.reset();
        slot.declared.reset();
        slot.only_value.reset();
        slot.assigned_at.clear();
        if (slot.given) continue;
        slot.once.reset();
        slot.outlived = false;
        slot.rounds = 0;
    }
}

const Value* Body::found(const ast::Expr& e) const {
    const auto known = found_.find(e.id);
    return known == found_.end() ? nullptr : &known->second;
}

Value Body::record(const ast::Expr& e, Value value) {
    write(e, value);
    if (!aloud) return value;
    const bool fresh = found_.try_emplace(e.id, value).second;
    if (!fresh && checker.options.verify)
        ir::internal_error(fmt::format("`{}` was checked twice in the last pass of `{}`", source(e), instance.name));
    return value;
}

void Body::record_target(const ast::Expr& e, const Value& value) {
    Value written = value;
    write(e, written);
}

void Body::write(const ast::Expr& e, Value& value) {
    ExprInfo& info = instance.exprs[e.id];
    info.type = value.type;
    info.value = value.value;
    info.dim = value.dim;
    info.referent = value.referent;
    info.compute = value.compute;
    info.rounds = value.value ? 0 : value.rounds;
    if (aloud && checker.options.names) {
        if (const auto named = referent_entity(*this, value.referent)) note(e, *named);
    }
    if (!value.value && !value.broken() && value.rounds == 0) {
        value.rounds = info.rounds = rounds_of(checker.program, instance, e).value_or(0);
    }
}

void Body::note(Span at, Entity entity, bool binds) {
    if (aloud && checker.options.names && at.valid()) state().names.push_back({at, std::move(entity), binds});
}

void Body::note(const ast::Expr& name, const Entity& entity) {
    if (checker.program.made.find(name.id)) return;
    if (std::holds_alternative<ast::Name>(name.node)) note(name.span, entity);
    if (const auto* attribute = std::get_if<ast::Attribute>(&name.node)) note(attribute->name.span, entity);
}

CallInfo& Body::record_call(const ast::Expr& e, CallInfo info) { return instance.calls[e.id] = std::move(info); }

const SymbolInfo* Body::find_symbol(std::string_view name) const {
    if (const auto own = header_dimensions.find(name); own != header_dimensions.end()) name = own->second;
    for (const SymbolInfo& symbol : instance.symbols) {
        if (symbol.name == name) return &symbol;
    }
    return nullptr;
}

std::string Body::header_dimension(const std::string& name) {
    if (!passes_dimensions_on) return name;
    const auto [known, fresh] = header_dimensions.try_emplace(name);
    if (fresh) known->second = fmt::format("{}__{}", name, checker.fresh++);
    return known->second;
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

std::optional<DType> Body::bound_type(std::string_view name) const {
    if (const auto found = bound_types.find(name); found != bound_types.end()) return found->second;
    return enclosing ? enclosing->bound_type(name) : std::nullopt;
}

Type Body::type_to_read(Slot& slot) const {
    if (slot.known) return slot.settled;
    const Type type = slot.joined.value_or(Type::unknown());
    if (!slot.read_as) slot.read_as = type;
    return type;
}

void Body::add_to_type(Slot& slot, const Type& given, const std::optional<Static>& value) {
    const bool widened = slot.any_keys && given.is_keyed_dict();
    const Type type = widened ? with_any_keys(given).value_or(given) : given;
    const bool first = !slot.joined || slot.joined->is_unknown();
    auto joined = first ? type : join(*slot.joined, type, slot.only_value, value);
    // A variable is given tensors of other extents: those are symbols where it is read. A parameter has the header's in
    // kernels alone: elsewhere `x = relu(x @ w)` gives the name another value.
    const bool rebinds = slot.given && (rules().new_values || rules().host_objects) && slot.given->is(Kind::tensor) &&
                         !slot.given->tensor().mut;
    if (!joined && rules().tensor_values && (!slot.given || rebinds) && !slot.joined->is_unknown()) {
        joined = join(of_either_extent(type, *slot.joined), of_either_extent(*slot.joined, type));
        if (!joined && type.is(Kind::list)) joined = join(without_extents(type), without_extents(*slot.joined));
    }
    if (joined && type.is(Kind::function) && !first && *slot.joined != type) joined.reset();
    if (first)
        slot.only_value = value;
    else if (slot.only_value != value)
        slot.only_value.reset();
    // The extents of tensors, and what of them may be written, are not in the header.
    const auto in_header = [&](Type (*as)(const Type&)) {
        return joined && as(joined->with_mut(false)) == as(slot.given->with_mut(false));
    };
    const bool fits = !slot.keeps_type || type.is(Kind::tensor) || in_header([](const Type& t) { return t; }) ||
                      (rules().host_objects && in_header(without_lengths));
    if (joined && fits) slot.joined = joined;
}

// Functions that are checked for each signature or point of a tuning space: of them only what can be reached.
bool Body::is_checked_for_each() const { return function && (function->generic || !instance.kernel.tuning.empty()); }

std::optional<bool> Body::decides(const Value& condition) const {
    return is_checked_for_each() && condition.value ? condition.value->boolean() : std::nullopt;
}

Body* Body::body_of(InstanceId id) {
    Body* body = this;
    while (body && body->instance.id != id) body = body->enclosing;
    return body;
}

void Body::name_group(Span at, const std::string& spelling) {
    if (state().group_name.valid()) return;
    state().group_name = at;
    state().group_spelling = spelling;
}

}  // namespace tsr::sema
