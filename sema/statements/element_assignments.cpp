#include "sema/statements/element_assignments.h"

#include <fmt/format.h>

#include "sema/expressions/records.h"
#include "sema/expressions/register_tiles.h"
#include "sema/expressions/row_indexing.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

// In kernels and graph functions `r.t = e` gives the variable a record with another field. False after a message.
static bool names_record(Body& b, const ast::Expr& target, const ast::Expr& record) {
    const auto* outer = std::get_if<ast::Attribute>(&record.node);
    if (outer && b.instance.type(*outer->base).is(Kind::record)) return names_record(b, target, *outer->base);
    Slot* slot =
        changed_value(b, target.span, record,
                      {"fields are assigned of a record that has a name: `r.t = e`", "its fields do not change",
                       "records in kernels and graph functions are values: return the one that has changed"});
    if (slot) slot->once.reset();
    return slot != nullptr;
}

void assign_field(Body& b, const ast::Expr& target, const ast::Attribute& a, const Value& value,
                  const ast::Expr& source) {
    const Value base = expression(b, *a.base);
    if (base.broken()) return;
    if (!base.type.is(Kind::record)) {
        b.error("E0333", target.span, "this is not assigned to: a name, an element, a view or a field is");
        return;
    }
    if (!b.rules().host_objects && !names_record(b, target, *a.base)) return;
    const auto at = field_of(base.type, a.name.text);
    Value place;
    if (at) {
        place.type = base.type.parts()[*at];
    } else if (!field_value(b, target, base, a).broken()) {
        b.error("E0328", a.name.span,
                fmt::format("`{}` of {} is a method: it is not assigned to", a.name.text, shown(base.type)));
    }
    b.record_target(target, place);
    if (!at || (b.rules().host_objects && !require_writable(b, *a.base, base))) return;
    if (!b.rules().host_objects) place.type = place.type.with_mut(false);
    require_converts(b, source, value, without_lengths(place.type), fmt::format("the field `{}`", a.name.text));
}

// In a graph function an element of a tensor, list or dictionary is not written: the name gets a new value. False after
// a message.
static bool names_value(Body& b, const ast::Expr& target, const ast::Expr& whole) {
    const auto* name = std::get_if<ast::Name>(&whole.node);
    Slot* slot = name ? b.find_slot(name->text) : nullptr;
    if (!slot) {
        b.error("E0333", target.span, "elements are assigned to a tensor that has a name: `y[i] = e`");
        return false;
    }
    b.mark_assigned(*slot);
    return true;
}

// What a tree stands in: of `p["a"]["u"]` and `layers[1]["w"]` the name. Nothing where another value stands between.
static const ast::Expr* whole_tree(const Body& b, const ast::Expr& part) {
    const auto* s = std::get_if<ast::Subscript>(&part.node);
    if (!s) return std::holds_alternative<ast::Name>(part.node) ? &part : nullptr;
    const Type& of = b.instance.type(*s->base);
    return of.is_keyed_dict() || of.is(Kind::list) ? whole_tree(b, *s->base) : nullptr;
}

// In a graph function a dictionary is a value, too: `params["w"] = v` gives the name one with another part. False after
// a message.
static bool names_dictionary(Body& b, const ast::Expr& target, const ast::Expr& dictionary) {
    const ValueWords words{"items are assigned to a dictionary that has a name: `params[\"w\"] = e`",
                           "its items do not change",
                           "dictionaries in graph functions are values: return the one that has changed"};
    const ast::Expr* whole = whole_tree(b, dictionary);
    if (!whole) {
        b.error("E0333", target.span, words.unnamed);
        return false;
    }
    if (!changed_value(b, target.span, *whole, words)) return false;
    return names_value(b, target, *whole);
}

// `params["w"] = v`. A dictionary that gets another key is one that takes any keys.
static void assign_keyed_item(Body& b, const ast::Expr& target, const ast::Subscript& s, const Value& value,
                              const ast::Expr& source) {
    const Value base = expression(b, *s.base);
    if (b.rules().new_values && !names_dictionary(b, target, *s.base)) return;
    const ExprInfo& key = b.instance.info(*s.indices[0]);
    const std::string* name = key.value ? key.value->string() : nullptr;
    const bool by_round = !name && key.rounds != 0 && key.type.is(Kind::string);
    if (by_round && !require_static(b, *s.indices[0], expression(b, *s.indices[0]), "a key")) return;
    if (const auto item = by_round ? common_item(base.type.parts()) : std::nullopt) {
        Value place;
        place.type = *item;
        b.record_target(target, place);
        if (b.rules().new_values || require_writable(b, *s.base, base))
            require_converts(b, source, value, without_lengths(*item), "what the key stands for");
        return;
    }
    const auto at = name ? field_of(base.type, *name) : std::nullopt;
    Value place;
    if (at) place.type = base.type.parts()[*at];
    b.record_target(target, place);
    if (!at) {
        const auto any = with_any_keys(base.type);
        const Type item = settled_type(as_item(value.type), value.value);
        const auto joined = any && b.rules().host_objects ? join(any->parts()[1], item) : std::nullopt;
        if (joined) widen_container(b, *s.base, Type::dict(Type::string(), *joined));
        if (!b.aloud) return;
        b.error("E0328", s.indices[0]->span,
                fmt::format("{} gets no other keys: they are in its type", shown(base.type)))
            .note(b.rules().new_values ? "in a graph function a dictionary keeps its keys"
                  : any                ? "declare it with `dict[str, T]` where it is made"
                                       : "its values have no common type");
        return;
    }
    if (b.rules().new_values || require_writable(b, *s.base, base))
        require_converts(b, source, value, without_lengths(place.type), fmt::format("what `{}` stands for", *name));
}

// `xs[i] = v`, `d[k] = v`
static void assign_item(Body& b, const ast::Subscript& s, const Value& base, const Value& value,
                        const ast::Expr& source) {
    const bool list = base.type.is(Kind::list);
    if (std::holds_alternative<ast::Slice>(s.indices[0]->node)) {
        const Type items = settled_type(stored(value.type), value.value);
        if (items.is(Kind::list)) widen_container(b, *s.base, any_length(items));
        if (b.aloud)
            require_converts(b, source, value, any_length(stored(base.type)), "what replaces a slice of the list");
        return;
    }
    if (b.rules().host_objects) {
        const Type part = settled_type(stored(value.type), value.value);
        const ExprInfo& key = b.instance.info(*s.indices[0]);
        widen_container(
            b, *s.base,
            list ? Type::list(part, base.type.length()) : Type::dict(settled_type(stored(key.type), key.value), part));
    }
    if (!b.aloud) return;
    const Type& item = base.type.parts()[list ? 0 : 1];
    require_converts(b, source, value, b.rules().host_objects ? without_lengths(item) : item,
                     list ? "an element of the list" : "a value of the dictionary");
}

// `y[i] = v`, `C[m:m+64, :] = v`, `acc[2] = v`.
void assign_element(Body& b, const ast::Expr& target, const ast::Subscript& s, const Value& value,
                    const ast::Expr& source) {
    if (expression(b, *s.base).type.is(Kind::tensor) && (has_listed_ids(b, s) || row_ids(b, s))) {
        if (value.broken()) return;
        b.refuse(Feature::graphs, target.span, "an assignment to elements by ids, or by a mask in this form, is");
        return;
    }
    if (expression(b, *s.base).type.is_keyed_dict()) {
        if (s.indices.size() != 1 || std::holds_alternative<ast::Slice>(s.indices[0]->node)) {
            b.error("E0310", target.span, "a dictionary takes one key");
        } else if (!expression(b, *s.indices[0]).broken()) {
            assign_keyed_item(b, target, s, value, source);
        }
        return;
    }
    Value place = expression(b, target);
    const Type& of = b.instance.type(*s.base);
    if (place.broken() && !of.is(Kind::list) && !of.is(Kind::dict)) return;
    Value base;
    base.type = b.instance.type(*s.base);
    base.referent = b.instance.info(*s.base).referent;
    if (!require_changeable(b, target, target.span)) return;
    if (base.type.is(Kind::list) && !b.rules().host_objects) {
        if (const auto* variable = std::get_if<VariableId>(&base.referent)) {
            Slot& slot = b.slots[variable->index];
            const bool graph = b.rules().new_values && rules_of(b.function->kind).of_values;
            const bool given = b.instance.variables[variable->index].parameter >= 0;
            if (given && !graph) {
                b.error("E0333", target.span,
                        fmt::format("`{}` is given by value: its elements do not change where the "
                                    "function is called",
                                    slot.name))
                    .note(
                        "lists in kernels are values: make a name of its own (`[x for x in a]`), and return the list");
                return;
            }
            if (slot.joined && !value.broken() && !given)
                b.add_to_type(slot, Type::list(value.type, base.type.length()), {});
            if (slot.once) slot.once->value.reset();
            slot.only_value.reset();
        } else if (b.rules().new_values && !names_dictionary(b, target, *s.base)) {
            return;
        }
    }
    if (base.type.is(Kind::list) || base.type.is(Kind::dict)) return assign_item(b, s, base, value, source);
    if (base.type.is(Kind::local)) {
        require_converts(b, source, value, place.type, fmt::format("an element of `{}`", b.source(*s.base)));
        return;
    }
    if (!base.type.is_memory()) {
        b.error("E0333", target.span, fmt::format("elements of {} are not assigned", shown(base.type)));
        return;
    }
    if (b.rules().has_elements ? !require_writable(b, *s.base, base) : !names_value(b, target, *s.base)) return;
    if (place.type.is(Kind::view)) {
        require_stores(b, target, place.type, source, value);
        return;
    }
    const bool by_chance = base.type.is(Kind::tensor) && base.type.policy().round == Rounding::stochastic;
    if (by_chance && place.type.is_scalar() && b.rules().new_values) {
        return (void)b.refuse(Feature::policies, target.span,
                              "rounding by chance where an element of a graph function's tensor is assigned is");
    }
    if (place.type.is(Kind::tensor)) {
        const bool copied = value.type.is(Kind::tensor) && !std::holds_alternative<ast::Call>(source.node);
        if (place.type.policy().round == Rounding::stochastic && !copied && !value.broken()) {
            return (void)b.refuse(Feature::policies, target.span,
                                  "rounding by chance where a slice of a tensor is assigned is");
        }
        if (value.type.is(Kind::tensor)) {
            if (value.type.elem() != place.type.elem()) {
                b.error("E0302", source.span,
                        fmt::format("the slice is {}, this is {}", shown(place.type), shown(value.type)));
            } else if (value.type.rank() > place.type.rank()) {
                b.error("E0312", source.span,
                        fmt::format("the slice has rank {}, this has rank {}", place.type.rank(), value.type.rank()));
            } else {  // repeated as NumPy does: the last axes are one another's, 1 fits any extent
                const size_t more = place.type.rank() - value.type.rank();
                for (size_t axis = 0; axis < value.type.rank(); ++axis) {
                    const ir::Dim& wanted = place.type.tensor().shape[more + axis];
                    const ir::Dim& found = value.type.tensor().shape[axis];
                    if (ir::compare(wanted, found) != ir::Equality::different || found.constant_value() == 1) continue;
                    b.error("E0312", source.span,
                            fmt::format("the slice has {} elements along axis {}, this has {}", readable(wanted.text()),
                                        more + axis, readable(found.text())));
                }
            }
            return;
        }
        require_converts(b, source, value, Type::scalar(place.type.elem()), "an element of the slice");
        return;
    }
    if (b.rules().in_group && is_packed(base.type.elem())) {
        b.error("E0322", target.span,
                fmt::format("elements of `{}` share bytes: a single one is not stored in a kernel",
                            tsr::name(base.type.elem())))
            .note("store a vector of whole bytes with `store_vector`");
        return;
    }
    require_converts(b, source, value, place.type, fmt::format("an element of `{}`", b.source(*s.base)));
}

}  // namespace tsr::sema
