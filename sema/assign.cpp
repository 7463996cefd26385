// Assignments: names, elements, views; what a variable's type becomes.
#include <fmt/format.h>

#include "sema/body.h"
#include "sema/containers.h"
#include "sema/elements.h"
#include "sema/narrow_sums.h"
#include "sema/reductions.h"

namespace tsr::sema {

void Body::assign(const ast::Stmt& stmt, const ast::Assign& a) {
    const Value value = expr(*a.value);
    if (const ast::Expr* added = added_to(*a.targets[0], *a.value)) {
        warn_of_narrow_sum(stmt, *a.targets[0], std::get<ast::Binary>(a.value->node).op, value.type, *added);
    }
    const auto* call = std::get_if<ast::Call>(&a.value->node);
    bool declares = false;
    if (call) {
        auto found = instance.calls.find(a.value->id);
        declares = found != instance.calls.end() && found->second.kind == CallKind::builtin &&
                   found->second.builtin == Builtin::alloc_register;
    }
    for (const ast::Expr* target : a.targets) {
        Slot* slot = nullptr;
        if (const auto* n = std::get_if<ast::Name>(&target->node)) slot = find_slot(n->text);
        if (declares && slot && !value.broken()) {
            slot->declared = value.type;
            slot->declared_at = a.value->span;
            slot->joined = value.type;
            Value written;
            written.type = value.type;
            written.referent = slot->id;
            record(*target, written);
            continue;
        }
        assign_to(*target, value, *a.value);
    }
}

void Body::assign_to(const ast::Expr& target, const Value& value, const ast::Expr& source) {
    if (std::holds_alternative<ast::Name>(target.node)) return assign_name(target, value, source);
    if (const auto* s = std::get_if<ast::Subscript>(&target.node)) return assign_element(target, *s, value, source);
    if (const auto* t = std::get_if<ast::Tuple>(&target.node)) return unpack(target, t->elements, value, source);
    if (const auto* l = std::get_if<ast::List>(&target.node)) return unpack(target, l->elements, value, source);
    // Other targets were refused when they were read.
    if (const auto* a = std::get_if<ast::Attribute>(&target.node)) assign_field(target, *a, value, source);
}

// What a variable of the host holds may change through other names: its length and items are not static.
static Value variable_value(const Value& value) {
    Value held = value;
    held.type = stored(value.type);
    if (held.type == value.type && !value.type.is(Kind::list)) return held;
    held.value.reset();
    held.elements.clear();
    held.rounds = 0;
    return held;
}

void Body::assign_name(const ast::Expr& target, const Value& given, const ast::Expr& source) {
    Value value = in_kernel() || !function ? given : variable_value(given);
    if (value.type.is(Kind::list)) set_rounds(value, 0);  // its items may be assigned
    Slot* slot = find_slot(std::get<ast::Name>(target.node).text);
    if (!slot) return;
    if (!slot->first_at.valid() || !slot->joined) {
        if (instance.variables[slot->id.index].parameter < 0) {
            slot->first_at = target.span;
            instance.variables[slot->id.index].declared = target.span;
        }
    }
    if (slot->given && fixed.contains(slot->name))
        error("E0333", target.span, fmt::format("`{}` is a static parameter and does not change", slot->name));
    mark_assigned(*slot);
    slot->assigned_at.push_back(target.span);
    slot->broken |= value.broken();
    const Type& type = value.type;
    mark_own(*slot, type.writable() && type == type.with_mut(true));
    bool holdable = !type.is(Kind::none) && !type.is(Kind::name_space) && !type.is(Kind::module) &&
                    !type.is(Kind::range) && !type.is(Kind::type) && !type.is(Kind::launcher);
    if (!holdable) {
        error("E0208", source.span,
              type.is(Kind::none) ? "this gives no value"
                                  : fmt::format("{} is not a value that a variable holds", shown(type)));
        if (!slot->joined) slot->joined = Type::unknown();
        if (aloud) slot->settled = Type::unknown();
        return;
    }
    Value written;
    written.referent = slot->id;
    if (slot->declared) {
        require_converts(source, value, *slot->declared, fmt::format("`{}`", slot->name));
        written.type = *slot->declared;
        record(target, written);
        return;
    }
    add_to_type(*slot, type, value.value);
    bool parameter = instance.variables[slot->id.index].parameter >= 0;
    if (slot->bindings == 1 && !parameter) slot->once = value;
    if (slot->bindings == 1) {
        slot->once_from = &source;
        slot->once_part = unpacked_at;
        slot->outlived = false;
    }
    if (slot->bindings == 1 && slot->once) slot->once->referent = {};
    const Type held = slot->known ? slot->settled : *slot->joined;
    written.type = held;
    record(target, written);
    if (aloud) require_assigns(*slot, held, target, value, source);
}

void Body::add_to_type(Slot& slot, const Type& type, const std::optional<Static>& value) {
    const bool first = !slot.joined || slot.joined->is_unknown();
    auto joined = first ? type : join(*slot.joined, type, slot.only_value, value);
    // A variable is given tensors of other extents: those are symbols where it is read. A parameter has the header's.
    if (!joined && !in_kernel() && !slot.given && !slot.joined->is_unknown()) {
        joined = join(of_either_extent(type, *slot.joined), of_either_extent(*slot.joined, type));
    }
    if (joined && type.is(Kind::function) && !first && *slot.joined != type) joined.reset();
    if (first)
        slot.only_value = value;
    else if (slot.only_value != value)
        slot.only_value.reset();
    // The extents of tensors, and what of them may be written, are not in the header.
    const bool fits =
        !slot.keeps_type || type.is(Kind::tensor) || (joined && joined->with_mut(false) == slot.given->with_mut(false));
    if (joined && fits) slot.joined = joined;
}

void Body::require_assigns(Slot& slot, const Type& held, const ast::Expr& target, const Value& value,
                           const ast::Expr& source) {
    const Type& type = value.type;
    if (held.is_unknown() || value.broken()) return;
    if (names_no_type(held)) {
        error("E0327", source.span,
              fmt::format("the type of an empty {} is not known", held.is(Kind::dict) ? "dictionary" : "list"));
        return;
    }
    if (makes_or_converts(source, value, held)) return;
    const bool narrow = held.is_scalar() && type.is(Kind::int_literal) && value.value && !held.is_bool();
    if (narrow) {
        error("E0306", source.span,
              fmt::format("`{}` is {} and does not hold {}", slot.name, shown(held), value.value->text()));
        return;
    }
    // Extents that only the running program knows are all shown as `?`.
    const bool differs = shown(type) != shown(held);
    auto& d = error("E0303", source.span,
                    fmt::format("`{}` is {} {}, this is {}{}", slot.name, shown(held),
                                slot.keeps_type ? "in the header" : "elsewhere", shown(type),
                                differs ? "" : " of other extents, as far as is known"));
    if (slot.first_at.valid() && !(slot.first_at == target.span))
        d.label(slot.first_at, slot.given ? "the parameter" : "first assigned here");
    if (held.is_scalar() && !held.is_bool()) offer_cast(d, source, type, held.elem());
    bool extents =
        type.is(Kind::tensor) && held.is(Kind::tensor) && type.elem() == held.elem() && type.rank() == held.rank();
    if (extents) d.note("a variable keeps its extents: a tensor of other extents needs a name of its own");
    slot.settled = Type::unknown();  // which of the two types was meant is not known: its uses say no more
}

void Body::unpack(const ast::Expr& target, const std::vector<const ast::Expr*>& targets, const Value& value,
                  const ast::Expr& source) {
    Value whole;
    whole.type = value.type;
    record(target, whole);
    std::vector<Value> parts;
    if (value.type.is(Kind::tuple)) {
        for (size_t i = 0; i < value.type.parts().size(); ++i) {
            Value part;
            part.rounds = value.rounds;
            if (i < value.elements.size()) part = value.elements[i];
            part.type = value.type.parts()[i];
            parts.push_back(std::move(part));
        }
    } else if (value.type.is(Kind::list) && (value.type.length() || !in_kernel())) {
        const auto count = value.type.length() ? static_cast<size_t>(*value.type.length()) : targets.size();
        for (size_t i = 0; i < count; ++i) {
            Value part;
            part.type = value.type.parts()[0];
            if (!in_kernel() && i < targets.size()) part = item_for(part.type, *targets[i]);
            parts.push_back(std::move(part));
        }
    } else if (!value.broken()) {
        error("E0318", source.span,
              fmt::format("{} values are wanted here, this is {}", targets.size(), shown(value.type)));
    }
    if (!parts.empty() && parts.size() != targets.size()) {
        error("E0318", target.span, fmt::format("{} names for {} values", targets.size(), parts.size()))
            .label(source.span, value.type.text());
        parts.clear();
    }
    const auto* tuple = std::get_if<ast::Tuple>(&source.node);
    for (size_t i = 0; i < targets.size(); ++i) {
        Value part = i < parts.size() ? parts[i] : Value{};
        const bool apart = tuple && tuple->elements.size() == targets.size();
        std::vector<size_t> part_of = apart ? std::vector<size_t>{} : unpacked_at;
        if (!apart) part_of.push_back(i);
        if (!apart && value.rounds == 0) set_rounds(part, 0);
        std::swap(unpacked_at, part_of);
        assign_to(*targets[i], part, apart ? *tuple->elements[i] : source);
        std::swap(unpacked_at, part_of);
    }
}

// `xs[i] = v`, `d[k] = v`
void Body::assign_item(const ast::Subscript& s, const Value& base, const Value& value, const ast::Expr& source) {
    const bool list = base.type.is(Kind::list);
    if (std::holds_alternative<ast::Slice>(s.indices[0]->node)) {
        const Type items = settled_type(stored(value.type), value.value);
        if (items.is(Kind::list)) widen(*s.base, items);
        if (aloud) require_converts(source, value, stored(base.type), "what replaces a slice of the list");
        return;
    }
    if (!in_kernel()) {
        const Type part = settled_type(stored(value.type), value.value);
        const ExprInfo& key = instance.info(*s.indices[0]);
        widen(*s.base,
              list ? Type::list(part, std::nullopt) : Type::dict(settled_type(stored(key.type), key.value), part));
    }
    if (!aloud) return;
    require_converts(source, value, base.type.parts()[list ? 0 : 1],
                     list ? "an element of the list" : "a value of the dictionary");
}

// `y[i] = v`, `C[m:m+64, :] = v`, `acc[2] = v`.
void Body::assign_element(const ast::Expr& target, const ast::Subscript& s, const Value& value,
                          const ast::Expr& source) {
    Value place = expr(target);
    const Type& of = instance.type(*s.base);
    if (place.broken() && !of.is(Kind::list) && !of.is(Kind::dict)) return;
    Value base;
    base.type = instance.type(*s.base);
    base.referent = instance.info(*s.base).referent;
    if (!require_changeable(target, target.span)) return;
    if (base.type.is(Kind::list) && in_kernel()) {
        if (const auto* variable = std::get_if<VariableId>(&base.referent)) {
            Slot& slot = slots[variable->index];
            if (instance.variables[variable->index].parameter >= 0) {
                error("E0333", target.span,
                      fmt::format("`{}` is given by value: its elements do not change where the "
                                  "function is called",
                                  slot.name))
                    .note(
                        "lists in kernels are values: make a name of its own (`[x for x in a]`), and return the list");
                return;
            }
            if (slot.joined && !value.broken()) add_to_type(slot, Type::list(value.type, base.type.length()), {});
            if (slot.once) slot.once->value.reset();
            slot.only_value.reset();
        }
    }
    if (base.type.is(Kind::list) || base.type.is(Kind::dict)) return assign_item(s, base, value, source);
    if (base.type.is(Kind::local)) {
        require_converts(source, value, place.type, fmt::format("an element of `{}`", this->source(*s.base)));
        return;
    }
    if (!base.type.is_memory()) {
        error("E0333", target.span, fmt::format("elements of {} are not assigned", shown(base.type)));
        return;
    }
    if (!require_writable(*s.base, base)) return;
    if (place.type.is(Kind::view)) {
        require_stores(target, place.type, source, value);
        return;
    }
    if (place.type.is(Kind::tensor)) {
        const bool copied = value.type.is(Kind::tensor) && !std::holds_alternative<ast::Call>(source.node);
        if (place.type.policy().round == Rounding::stochastic && !copied && !value.broken()) {
            return (void)refuse(Feature::policies, target.span,
                                "rounding by chance where a slice of a tensor is assigned is");
        }
        if (value.type.is(Kind::tensor)) {
            if (value.type.elem() != place.type.elem()) {
                error("E0302", source.span,
                      fmt::format("the slice is {}, this is {}", shown(place.type), shown(value.type)));
            } else if (value.type.rank() > place.type.rank()) {
                error("E0312", source.span,
                      fmt::format("the slice has rank {}, this has rank {}", place.type.rank(), value.type.rank()));
            } else {  // repeated as NumPy does: the last axes are one another's, 1 fits any extent
                const size_t more = place.type.rank() - value.type.rank();
                for (size_t axis = 0; axis < value.type.rank(); ++axis) {
                    const ir::Dim& wanted = place.type.tensor().shape[more + axis];
                    const ir::Dim& found = value.type.tensor().shape[axis];
                    if (ir::compare(wanted, found) != ir::Equality::different || found.constant_value() == 1) continue;
                    error("E0312", source.span,
                          fmt::format("the slice has {} elements along axis {}, this has {}", wanted.text(),
                                      more + axis, found.text()));
                }
            }
            return;
        }
        require_converts(source, value, Type::scalar(place.type.elem()), "an element of the slice");
        return;
    }
    if (in_kernel() && is_packed(base.type.elem())) {
        error("E0322", target.span,
              fmt::format("elements of `{}` share bytes: a single one is not stored in a kernel",
                          tsr::name(base.type.elem())))
            .note("store a vector of whole bytes with `store_vector`");
        return;
    }
    require_converts(source, value, place.type, fmt::format("an element of `{}`", this->source(*s.base)));
}

void Body::augmented(const ast::Stmt& stmt, const ast::AugmentedAssign& a) {
    Value before = expr(*a.target);
    Value operand = expr(*a.value);
    AugmentedInfo info;
    if (before.type.is(Kind::view) && !before.broken()) {  // read, combined, stored
        name_group(a.target->span, "register tile");
        before.type = viewed_tile(*a.target, before.type).value_or(Type::unknown());
    }
    if (before.type.is(Kind::tensor) && !operand.broken()) {
        refuse(Feature::graphs, a.target->span, "arithmetic on whole tensors is");
        return;
    }
    if (before.type.is(Kind::list) && !in_kernel() && a.op == ast::BinaryOp::add && !operand.broken()) {
        instance.augmented[stmt.id].type = before.type;  // in place, as `extend`
        if (require_changeable(*a.target, a.target->span)) method_argument(*a.target, before.type, 'x', *a.value);
        return;
    }
    Value result = arithmetic(*a.value, a.op, *a.target, before, *a.value, operand, a.op_span);
    info.type = result.type;
    info.compute = result.compute;
    instance.augmented[stmt.id] = info;
    result.value.reset();  // the variable changes: it is not static
    result.dim.reset();
    if (result.broken()) {
        if (const auto* n = std::get_if<ast::Name>(&a.target->node)) {
            if (Slot* slot = find_slot(n->text)) mark_assigned(*slot);
        }
        return;
    }
    warn_of_narrow_sum(stmt, *a.target, a.op, result.type, *a.value);
    assign_to(*a.target, result, *a.value);
}

void Body::annotated(const ast::Stmt& stmt, const ast::AnnotatedAssign& a) {
    Annotation written = annotation(*a.annotation, false);
    std::optional<Value> value;
    if (a.value) value = expr(*a.value);
    const auto* n = std::get_if<ast::Name>(&a.target->node);
    Slot* slot = n ? find_slot(n->text) : nullptr;
    if (!slot) {
        error("E0333", a.target->span, "a declared type stands behind a name");
        return;
    }
    if (written.type.is_unknown()) {
        if (value) mark_assigned(*slot);
        slot->declared = slot->joined = Type::unknown();
        return;
    }
    Type type = written.type;
    if (slot->declared && aloud && !(slot->declared_at == a.annotation->span) && !(*slot->declared == type)) {
        error("E0303", a.annotation->span,
              fmt::format("`{}` is declared as {} already", slot->name, shown(*slot->declared)))
            .label(slot->declared_at, "here");
        return;
    }
    if (slot->keeps_type && aloud && !(type.with_mut(false) == slot->given->with_mut(false))) {
        error("E0303", a.annotation->span,
              fmt::format("`{}` is declared as {} in the header", slot->name, shown(*slot->given)))
            .label(slot->first_at, "the parameter");
        return;
    }
    if (value && value->type.is(Kind::tensor) && type.is(Kind::tensor)) {
        type = type.with_mut(value->type.tensor().mut);
        bool fits = value->type.elem() == type.elem() && value->type.rank() == type.rank();
        std::vector<DimCheck> checks;
        for (size_t axis = 0; fits && axis < type.rank(); ++axis) {
            const ir::Dim &wanted = type.tensor().shape[axis], &found = value->type.tensor().shape[axis];
            ir::Equality equality = ir::compare(wanted, found);
            fits = equality != ir::Equality::different;
            if (equality == ir::Equality::unknown)
                checks.push_back({0, axis, found, wanted, wanted.text(), std::nullopt});
        }
        if (!fits)
            error("E0302", a.value->span,
                  fmt::format("`{}` is declared as {}, this is {}", slot->name, shown(type), shown(value->type)))
                .label(a.annotation->span, "declared here");
        if (!checks.empty()) instance.checks[stmt.id] = std::move(checks);
    } else if (value && !chooses_result(*this, *a.value, value->type, type)) {
        if (!require_converts(*a.value, *value, type, fmt::format("`{}`", slot->name)) && !value->broken())
            type = Type(type);
    }
    slot->declared = type;
    slot->declared_at = a.annotation->span;
    slot->joined = type;
    if (value) mark_assigned(*slot);
    if (!slot->first_at.valid()) slot->first_at = a.target->span;
    instance.variables[slot->id.index].declared = slot->first_at;
    Value place;
    place.type = type;
    place.referent = slot->id;
    record(*a.target, place);
}

}  // namespace tsr::sema
