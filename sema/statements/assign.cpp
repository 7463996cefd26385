#include "sema/statements/assign.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/spelling.h"
#include "sema/annotations/annotations.h"
#include "sema/builtin_calls/reduction_types.h"
#include "sema/calls/function_calls.h"
#include "sema/calls/method_calls.h"
#include "sema/expressions/operators.h"
#include "sema/expressions/register_tiles.h"
#include "sema/expressions/row_indexing.h"
#include "sema/program/copied_syntax.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/statements/element_assignments.h"
#include "sema/statements/narrow_sums.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/values/declared_values.h"
#include "sema/values/items.h"
#include "sema/values/making.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

// `x[place] = e` as `x[:] = name(x, place, e)`, a function of the library.
static void assign_call(Body& b, const ast::Stmt& stmt, const ast::Expr& target, const Value& base,
                        std::string_view name, const ast::Expr& source) {
    MadeSyntax& syntax = b.checker.program.made;
    InPlace& made = syntax.in_place[{b.instance.module, stmt.id}];
    if (!made.value.valid()) {
        const auto& place = std::get<ast::Subscript>(target.node);
        const Span at = target.span.to(source.span);
        const ast::Expr& all = syntax.expr(target.span, ast::Slice{});
        ast::Call call{&syntax.expr(at, ast::Name{std::string(name)}), {}};
        for (const ast::Expr* argument :
             std::initializer_list<const ast::Expr*>{place.base, place.indices[0], &source}) {
            call.arguments.push_back({std::nullopt, argument});
        }
        made.target = syntax.expr(target.span, ast::Subscript{place.base, {&all}}).id;
        made.value = syntax.expr(at, std::move(call)).id;
    }
    const ast::Expr& call = *b.expr(made.value);
    const auto* written = std::get_if<ast::Call>(&call.node);
    const auto* callee = written ? std::get_if<ast::Name>(&written->callee->node) : nullptr;
    if (!callee || callee->text != name) {  // another instance of a generic function took it for something else
        b.refuse(Feature::graphs, target.span, "an assignment that is by ids, by a mask and by neither in turn");
        return;
    }
    b.instance.augmented.erase(stmt.id);
    const Value* known = b.found(call);
    const FunctionId id = b.checker.library_function({.name = name, .file = "searching", .signature = {}, .doc = {}});
    const Value result = known ? *known : b.record(call, function_call(b, call, *written, id, {}));
    Value place;
    place.type = base.type;
    b.record_target(target, place);
    if (!result.broken()) assign_to(b, *b.expr(made.target), result, call);
}

// `x[mask] = e` is `x[:] = _replaced(x, mask, e)`, `x[ids] = e` is `x[:] = _with_rows(x, ids, e)`, functions of the
// library. False where it is something else.
static bool assign_where(Body& b, const ast::Stmt& stmt, const std::vector<const ast::Expr*>& targets,
                         const ast::Expr& source, const Value& value) {
    const auto* s = std::get_if<ast::Subscript>(&targets[0]->node);
    if (!s || targets.size() != 1 || value.broken()) return false;
    const Value base = expression(b, *s->base);
    if (!base.type.is(Kind::tensor)) return false;
    const auto places = row_ids(b, *s);
    if (!places) return false;
    const bool mask = places->type.elem() == DType::boolean;
    if (!mask && (!is_integer(places->type.elem()) || is_packed(places->type.elem()))) return false;
    if (is_packed(base.type.elem()) || base.type.elem() == DType::c64) {
        b.refuse(Feature::graphs, targets[0]->span,
                 fmt::format("{} that is assigned by {} is", shown(base.type), mask ? "a mask" : "ids"));
        return true;
    }
    if (value.type.is(Kind::tensor) && value.type.rank() > 0) {
        if (mask && !b.rules().host_objects) {
            b.refuse(Feature::graphs, source.span, "a tensor that is assigned where a mask holds is");
            return true;
        }
        if (!mask && value.type.elem() != base.type.elem()) {
            b.error("E0302", source.span,
                    fmt::format("the rows are {}, this is {}", shown(base.type), shown(value.type)));
            return true;
        }
    } else if (!require_converts(b, source, value, Type::scalar(base.type.elem()), "an element")) {
        return true;
    }
    assign_call(b, stmt, *targets[0], base, mask ? "_replaced" : "_with_rows", source);
    return true;
}

// `q, k, v = x` of a tensor: its rows.
static Value unpacked_rows(Body& b, const ast::Assign& a, const Value& value) {
    const bool whole = b.rules().host_objects || b.rules().new_values;
    if (!whole || a.targets.size() != 1 || !value.type.is(Kind::tensor) || value.type.rank() == 0) return value;
    const auto* tuple = std::get_if<ast::Tuple>(&a.targets[0]->node);
    const auto* list = std::get_if<ast::List>(&a.targets[0]->node);
    if (!tuple && !list) return value;
    const auto count = static_cast<int64_t>(tuple ? tuple->elements.size() : list->elements.size());
    const auto rows = value.type.shape()[0].constant_value();
    if (rows && *rows != count) {
        b.error("E0318", a.targets[0]->span, fmt::format("{} names for {} rows", count, *rows))
            .label(a.value->span, value.type.text());
        return {};
    }
    MadeSyntax& syntax = b.checker.program.made;
    std::vector<const ast::Expr*> operands;
    const bool first = syntax.library_call(b.key(*a.value), "_rows_of") == nullptr;
    if (first) {
        SyntaxCopier copier(syntax);  // the call stands for the value itself
        operands = {copier.expr(a.value), &syntax.expr(a.value->span, ast::IntLiteral{static_cast<uint64_t>(count)})};
    }
    const Value made =
        library_call(b, *a.value, {.name = "_rows_of", .file = "items", .signature = {}, .doc = {}}, operands);
    std::vector<ast::ExprId>& calls = syntax.library_calls[b.key(*a.value)];
    if (first) std::ranges::rotate(calls, calls.end() - 1);  // `x @ y` is a call of the library, too
    b.instance.exprs[a.value->id].type = made.type;
    return made;
}

void assignment(Body& b, const ast::Stmt& stmt, const ast::Assign& a) {
    const Value value = unpacked_rows(b, a, expression(b, *a.value));
    if (assign_where(b, stmt, a.targets, *a.value, value)) return;
    if (const ast::Expr* added = added_to(*a.targets[0], *a.value)) {
        warn_of_narrow_sum(b, stmt, *a.targets[0], std::get<ast::Binary>(a.value->node).op, value.type, *added);
    }
    const auto* call = std::get_if<ast::Call>(&a.value->node);
    bool declares = false;
    if (call) {
        auto found = b.instance.calls.find(a.value->id);
        declares = found != b.instance.calls.end() && found->second.kind == CallKind::builtin &&
                   found->second.builtin == Builtin::alloc_register;
    }
    for (const ast::Expr* target : a.targets) {
        Slot* slot = nullptr;
        if (const auto* n = std::get_if<ast::Name>(&target->node)) slot = b.find_slot(n->text);
        if (declares && slot && !value.broken()) {
            b.note(target->span, variable_entity(b, *slot), true);
            slot->declared = value.type;
            slot->declared_at = a.value->span;
            slot->joined = value.type;
            Value written;
            written.type = value.type;
            written.referent = slot->id;
            b.record_target(*target, written);
            continue;
        }
        assign_to(b, *target, value, *a.value);
    }
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

// Says so where a variable of this type is not assigned this; its uses then say no more.
static void require_assigns(Body& b, Slot& slot, const Type& held, const ast::Expr& target, const Value& value,
                            const ast::Expr& source) {
    const Type& type = value.type;
    if (held.is_unknown() || value.broken()) return;
    if (names_no_type(held)) {
        b.error("E0327", source.span,
                fmt::format("the type of an empty {} is not known", held.is(Kind::dict) ? "dictionary" : "list"));
        return;
    }
    if (makes_or_converts(b, source, value, held)) return;
    if (b.rules().new_values && type.is(Kind::list) && has_form(type, held)) return;
    const bool narrow = held.is_scalar() && type.is(Kind::int_literal) && value.value && !held.is_bool();
    if (narrow) {
        b.error("E0306", source.span,
                fmt::format("`{}` is {} and does not hold {}", slot.name, shown(held), value.value->text()));
        return;
    }
    if (type.is(Kind::tensor) && held.is(Kind::tensor) && type.elem() == held.elem() && type.rank() != held.rank()) {
        auto& d = b.error("E0303", source.span,
                          fmt::format("`{}` has {} ax{} elsewhere, this has {}", slot.name, held.rank(),
                                      held.rank() == 1 ? "is" : "es", type.rank()));
        if (slot.first_at.valid() && !(slot.first_at == target.span)) d.label(slot.first_at, held.text());
        d.note("a variable has one type: a tensor of another number of axes needs a name of its own");
        slot.settled = Type::unknown();
        return;
    }
    // Extents that only the running program knows are all shown as `?`.
    const bool differs = shown(type) != shown(held);
    auto& d = b.error("E0303", source.span,
                      fmt::format("`{}` is {} {}, this is {}{}", slot.name, shown(held),
                                  slot.keeps_type ? "in the header" : "elsewhere", shown(type),
                                  differs                   ? ""
                                  : type.is(Kind::function) ? ", another one"
                                                            : " of other extents, as far as is known"));
    if (slot.first_at.valid() && !(slot.first_at == target.span))
        d.label(slot.first_at, slot.given ? "the parameter" : "first assigned here");
    if (held.is_scalar() && !held.is_bool() && !type.is(Kind::tensor)) offer_cast(b, d, source, type, held.elem());
    bool extents =
        type.is(Kind::tensor) && held.is(Kind::tensor) && type.elem() == held.elem() && type.rank() == held.rank();
    if (extents) d.note("a variable keeps its extents: a tensor of other extents needs a name of its own");
    slot.settled = Type::unknown();  // which of the two types was meant is not known: its uses say no more
}

static void assign_name(Body& b, const ast::Expr& target, const Value& given, const ast::Expr& source) {
    Value value = b.rules().host_objects && b.function ? variable_value(given) : given;
    if (value.type.is(Kind::list)) set_rounds(value, 0);  // its items may be assigned
    Slot* slot = b.find_slot(std::get<ast::Name>(target.node).text);
    if (!slot) return;
    if (!b.checker.program.made.find(target.id)) b.note(target.span, variable_entity(b, *slot), true);
    if (!slot->first_at.valid() || !slot->joined) {
        if (b.instance.variables[slot->id.index].parameter < 0) {
            slot->first_at = target.span;
            b.instance.variables[slot->id.index].declared = target.span;
        }
    }
    if (slot->given && b.fixed.contains(slot->name))
        b.error("E0333", target.span, fmt::format("`{}` is a static parameter and does not change", slot->name));
    b.mark_assigned(*slot);
    slot->assigned_at.push_back(target.span);
    slot->broken |= value.broken();
    const Type& type = value.type;
    b.mark_own(*slot, type.writable() && type == type.with_mut(true));
    if (type.is(Kind::list)) b.mark_length(*slot, type.length().value_or(Flow::kAnyLength));
    bool holdable = !type.is(Kind::none) && !type.is(Kind::name_space) && !type.is(Kind::module) &&
                    !type.is(Kind::range) && !type.is(Kind::type) && !type.is(Kind::launcher);
    if (!holdable) {
        b.error("E0208", source.span,
                type.is(Kind::none) ? "this gives no value"
                                    : fmt::format("{} is not a value that a variable holds", shown(type)));
        if (!slot->joined) slot->joined = Type::unknown();
        if (b.aloud) slot->settled = Type::unknown();
        return;
    }
    Value written;
    written.referent = slot->id;
    if (slot->declared) {
        require_converts(b, source, value, *slot->declared, fmt::format("`{}`", slot->name));
        written.type = *slot->declared;
        b.record_target(target, written);
        return;
    }
    b.add_to_type(*slot, type, value.value);
    bool parameter = b.instance.variables[slot->id.index].parameter >= 0;
    if (slot->bindings == 1 && !parameter) slot->once = value;
    if (slot->bindings == 1) {
        slot->once_from = &source;
        slot->once_part = b.unpacked_at;
        slot->outlived = false;
    }
    if (slot->bindings == 1 && slot->once) slot->once->referent = {};
    const Type held = b.type_to_read(*slot);
    // Both names are of one object, which may get other keys.
    if (held.is(Kind::dict) && type.is_keyed_dict()) widen_container(b, source, held);
    written.type = held;
    b.record_target(target, written);
    if (b.aloud) require_assigns(b, *slot, held, target, value, source);
}

static void assign_unpacked(Body& b, const ast::Expr& target, const std::vector<const ast::Expr*>& targets,
                            const Value& value, const ast::Expr& source) {
    Value whole;
    whole.type = value.type;
    b.record_target(target, whole);
    std::vector<Value> parts;
    if (value.type.is(Kind::tuple)) {
        for (size_t i = 0; i < value.type.parts().size(); ++i) {
            Value part;
            part.rounds = value.rounds;
            if (i < value.elements.size()) part = value.elements[i];
            part.type = value.type.parts()[i];
            parts.push_back(std::move(part));
        }
    } else if (value.type.is(Kind::list) && (value.type.length() || b.rules().host_objects)) {
        const bool counted = !b.rules().host_objects || std::holds_alternative<ast::List>(source.node);
        const auto length = counted ? value.type.length() : std::nullopt;
        const auto count = length ? static_cast<size_t>(*length) : targets.size();
        for (size_t i = 0; i < count; ++i) {
            Value part;
            part.type = value.type.parts()[0];
            if (b.rules().host_objects && i < targets.size()) part = item_for(b, part.type, *targets[i]);
            parts.push_back(std::move(part));
        }
    } else if (!value.broken()) {
        auto& d = b.error("E0318", source.span,
                          fmt::format("{} values are wanted here, this is {}", targets.size(), shown(value.type)));
        const Type& whole_type = b.instance.type(source);
        if (value.type.is(Kind::string) && (whole_type.is(Kind::dict) || whole_type.is_keyed_dict()) &&
            targets.size() == 2)
            d.suggest(source.span, fmt::format("{}.items()", b.source(source)), "keys and values");
    }
    if (!parts.empty() && parts.size() != targets.size()) {
        b.error("E0318", target.span, fmt::format("{} names for {} values", targets.size(), parts.size()))
            .label(source.span, value.type.text());
        parts.clear();
    }
    const auto* tuple = std::get_if<ast::Tuple>(&source.node);
    for (size_t i = 0; i < targets.size(); ++i) {
        Value part = i < parts.size() ? parts[i] : Value{};
        const bool apart = tuple && tuple->elements.size() == targets.size();
        std::vector<size_t> part_of = apart ? std::vector<size_t>{} : b.unpacked_at;
        if (!apart) part_of.push_back(i);
        if (!apart && value.rounds == 0) set_rounds(part, 0);
        std::swap(b.unpacked_at, part_of);
        assign_to(b, *targets[i], part, apart ? *tuple->elements[i] : source);
        std::swap(b.unpacked_at, part_of);
    }
}

void assign_to(Body& b, const ast::Expr& target, const Value& value, const ast::Expr& source) {
    if (std::holds_alternative<ast::Name>(target.node)) return assign_name(b, target, value, source);
    if (const auto* s = std::get_if<ast::Subscript>(&target.node)) return assign_element(b, target, *s, value, source);
    if (const auto* t = std::get_if<ast::Tuple>(&target.node))
        return assign_unpacked(b, target, t->elements, value, source);
    if (const auto* l = std::get_if<ast::List>(&target.node))
        return assign_unpacked(b, target, l->elements, value, source);
    // Other targets were refused when they were read.
    if (const auto* a = std::get_if<ast::Attribute>(&target.node)) assign_field(b, target, *a, value, source);
}

// Whether it may be evaluated twice: it calls nothing.
static bool is_plain(const ast::Expr& e) {
    if (const auto* attribute = std::get_if<ast::Attribute>(&e.node)) return is_plain(*attribute->base);
    if (const auto* part = std::get_if<ast::Subscript>(&e.node)) {
        return is_plain(*part->base) &&
               std::ranges::all_of(part->indices, [](const ast::Expr* index) { return is_plain(*index); });
    }
    if (const auto* slice = std::get_if<ast::Slice>(&e.node)) {
        const auto plain = [](const ast::Expr* bound) { return !bound || is_plain(*bound); };
        return plain(slice->lower) && plain(slice->upper) && plain(slice->step);
    }
    if (const auto* sum = std::get_if<ast::Binary>(&e.node)) return is_plain(*sum->lhs) && is_plain(*sum->rhs);
    if (const auto* one = std::get_if<ast::Unary>(&e.node)) return is_plain(*one->operand);
    if (const auto* order = std::get_if<ast::Compare>(&e.node)) {
        return is_plain(*order->first) &&
               std::ranges::all_of(order->links, [](const ast::Compare::Link& link) { return is_plain(*link.rhs); });
    }
    return std::holds_alternative<ast::Name>(e.node) || std::holds_alternative<ast::IntLiteral>(e.node) ||
           std::holds_alternative<ast::FloatLiteral>(e.node) || std::holds_alternative<ast::BoolLiteral>(e.node) ||
           std::holds_alternative<ast::StringLiteral>(e.node);
}

// `z += w` of complex numbers is `z = z + w`.
static void assign_complex(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a) {
    if (!is_plain(*a.target)) {
        b.refuse(Feature::host, a.target->span, "arithmetic in place on a complex number whose place is computed is");
        return;
    }
    MadeSyntax& syntax = b.checker.program.made;
    InPlace& made = syntax.in_place[{b.instance.module, stmt.id}];
    if (!made.value.valid()) {
        const Span at = a.target->span.to(a.value->span);
        made = {a.target->id, syntax.expr(at, ast::Binary{a.op, a.target, a.value, a.op_span}).id};
    }
    if (!(made.target == a.target->id)) {  // another instance of a generic function has tensors there
        b.refuse(Feature::host, a.target->span,
                 "arithmetic in place on complex numbers and on tensors in one generic function is");
        return;
    }
    b.instance.augmented.erase(stmt.id);
    const ast::Expr& value = *b.expr(made.value);
    assign_to(b, *a.target, expression(b, value), value);
}

// `x + e` or `x[place] + e` of `x[place] += e`; made once. The target's own node has the type of the whole tensor.
static const ast::Expr& combined(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a, bool whole) {
    MadeSyntax& syntax = b.checker.program.made;
    const InPlace& made = syntax.in_place[{b.instance.module, stmt.id}];
    const ast::Call* call = made.value.valid() ? std::get_if<ast::Call>(&b.expr(made.value)->node) : nullptr;
    if (call && call->arguments.size() == 3) return *call->arguments[2].value;
    const auto& place = std::get<ast::Subscript>(a.target->node);
    const ast::Expr& lhs = whole ? *place.base : syntax.expr(a.target->span, place);
    return syntax.expr(a.target->span.to(a.value->span), ast::Binary{a.op, &lhs, a.value, a.op_span});
}

// `x[ids] += e` is `x[ids] = x[ids] + e`: of equal ids the last one stays, as in NumPy. `x[mask] += e` of a tensor e is
// the same; of a number e it is `x[:] = _changed(x, mask, x + e)`, which needs no places. False where it is something
// else.
static bool assign_rows_in_place(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a) {
    const auto* s = std::get_if<ast::Subscript>(&a.target->node);
    if (!s) return false;
    const Value base = expression(b, *s->base);
    if (!base.type.is(Kind::tensor) || !is_plain(*s->base)) return false;
    const auto ids = row_ids(b, *s);
    if (!ids || ids->type.is_unknown()) return false;
    const bool mask = ids->type.elem() == DType::boolean;
    if (!mask && !is_integer(ids->type.elem())) return false;
    const Value operand = expression(b, *a.value);
    if (operand.broken()) return true;
    const bool number = !operand.type.is(Kind::tensor) || operand.type.rank() == 0;
    if (!mask || !number) {
        if (!is_plain(*a.target)) {
            b.refuse(Feature::graphs, s->indices[0]->span,
                     "arithmetic in place where a call computes the places (give them a name first) is");
            return true;
        }
        const ast::Expr& value = combined(b, stmt, a, false);
        return assign_where(b, stmt, {a.target}, value, expression(b, value));
    }
    if (is_packed(base.type.elem()) || base.type.elem() == DType::c64) {
        b.refuse(Feature::graphs, a.target->span, fmt::format("{} that is assigned by a mask is", shown(base.type)));
        return true;
    }
    const ast::Expr& value = combined(b, stmt, a, true);
    const Value result = expression(b, value);
    if (result.broken()) return true;
    if (result.type.elem() != base.type.elem()) {
        b.error("E0302", value.span,
                fmt::format("the elements are {}, this is {}", shown(base.type), shown(result.type)));
        return true;
    }
    assign_call(b, stmt, *a.target, base, "_changed", value);
    return true;
}

// `x += y` of a tensor of the host is `x[:] = x + y`.
static void assign_in_place(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a, const Value& before) {
    if (b.rules().in_group || before.type.rank() == 0 || !is_plain(*a.target)) {
        b.refuse(Feature::graphs, a.target->span, "arithmetic on a whole tensor in place is");
        return;
    }
    b.instance.augmented.erase(stmt.id);
    MadeSyntax& syntax = b.checker.program.made;
    InPlace& made = syntax.in_place[{b.instance.module, stmt.id}];
    if (!made.value.valid()) {
        const Span at = a.target->span.to(a.value->span);
        const ast::Expr* target = a.target;
        const auto* part = std::get_if<ast::Subscript>(&target->node);
        if (!part || b.instance.type(*part->base).is_keyed_dict()) {
            const ast::Expr& all = syntax.expr(target->span, ast::Slice{});
            target = &syntax.expr(target->span, ast::Subscript{a.target, {&all}});
        }
        made = {target->id, syntax.expr(at, ast::Binary{a.op, a.target, a.value, a.op_span}).id};
    }
    if (!std::holds_alternative<ast::Subscript>(b.expr(made.target)->node)) {
        b.refuse(Feature::graphs, a.target->span,
                 "arithmetic in place on numbers and on tensors in one generic function is");
        return;
    }
    const ast::Expr& value = *b.expr(made.value);
    assign_to(b, *b.expr(made.target), expression(b, value), value);
}

void augmented_assignment(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& a) {
    if (assign_rows_in_place(b, stmt, a)) return;
    Value before = expression(b, *a.target);
    Value operand = expression(b, *a.value);
    AugmentedInfo info;
    if (before.type.is(Kind::view) && !before.broken()) {  // read, combined, stored
        b.name_group(a.target->span, "register tile");
        before.type = viewed_tile(b, *a.target, before.type).value_or(Type::unknown());
    }
    if (before.type.is(Kind::tensor) && b.rules().has_elements && !operand.broken())
        return assign_in_place(b, stmt, a, before);
    if (!before.broken() && !operand.broken() && (is_complex(before.type) || is_complex(operand.type)))
        return assign_complex(b, stmt, a);
    if (before.type.is(Kind::list) && b.rules().host_objects && a.op == ast::BinaryOp::add && !operand.broken()) {
        b.instance.augmented[stmt.id].type = before.type;  // in place, as `extend`
        if (require_changeable(b, *a.target, a.target->span)) method_argument(b, *a.target, before.type, 'x', *a.value);
        return;
    }
    Value result = arithmetic(b, *a.target, a.op, *a.target, before, *a.value, operand, a.op_span);
    info.type = result.type;
    info.compute = result.compute;
    b.instance.augmented[stmt.id] = info;
    result.value.reset();  // the variable changes: it is not static
    result.dim.reset();
    if (result.broken()) {
        if (const auto* n = std::get_if<ast::Name>(&a.target->node)) {
            if (Slot* slot = b.find_slot(n->text)) b.mark_assigned(*slot);
        }
        return;
    }
    warn_of_narrow_sum(b, stmt, *a.target, a.op, result.type, *a.value);
    assign_to(b, *a.target, result, *a.value);
}

void annotated_assignment(Body& b, const ast::Stmt& stmt, const ast::AnnotatedAssign& a) {
    b.declared_value = {a.value, a.annotation, std::nullopt, std::nullopt};
    std::optional<Value> value;
    // What a file is loaded as may name dimensions that are new.
    const auto* call = a.value ? std::get_if<ast::Call>(&a.value->node) : nullptr;
    const std::string callee = call ? last_name(*call->callee) : "";
    if (callee == "load" || callee == "load_csv") value = expression(b, *a.value);
    const auto& read = b.declared_value.read;
    const Annotation written = read ? *read : annotation(b, *a.annotation, false);
    b.declared_value.elem = element_declared(written.type);
    if (a.value && !value) value = expression(b, *a.value);
    const auto* n = std::get_if<ast::Name>(&a.target->node);
    Slot* slot = n ? b.find_slot(n->text) : nullptr;
    if (!slot) {
        b.error("E0333", a.target->span, "a declared type stands behind a name");
        return;
    }
    b.note(a.target->span, variable_entity(b, *slot), true);
    if (written.type.is_unknown()) {
        if (value) b.mark_assigned(*slot);
        slot->declared = slot->joined = Type::unknown();
        return;
    }
    Type type = written.type;
    if (slot->declared && b.aloud && !(slot->declared_at == a.annotation->span) && !(*slot->declared == type)) {
        b.error("E0303", a.annotation->span,
                fmt::format("`{}` is declared as {} already", slot->name, shown(*slot->declared)))
            .label(slot->declared_at, "here");
        return;
    }
    if (slot->keeps_type && b.aloud && !(type.with_mut(false) == slot->given->with_mut(false))) {
        b.error("E0303", a.annotation->span,
                fmt::format("`{}` is declared as {} in the header", slot->name, shown(*slot->given)))
            .label(slot->first_at, "the parameter");
        return;
    }
    // In a graph function a list has the length of what it is made with; the declaration says what its items are.
    if (b.rules().new_values && type.is(Kind::list) && value && value->type.is(Kind::list)) {
        if (!has_form(value->type, type) && !names_no_type(value->type) && !value->broken()) {
            b.error("E0302", a.value->span,
                    fmt::format("`{}` is declared as {}, this is {}", slot->name, shown(type), shown(value->type)))
                .label(a.annotation->span, "declared here");
        }
        Value list = *value;
        list.type = Type::list(without_extents(type.parts()[0]), value->type.length());
        list.elements.clear();
        list.value.reset();
        return assign_to(b, *a.target, list, *a.value);
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
            b.error("E0302", a.value->span,
                    fmt::format("`{}` is declared as {}, this is {}", slot->name, shown(type), shown(value->type)))
                .label(a.annotation->span, "declared here");
        if (!checks.empty()) b.instance.checks[stmt.id] = std::move(checks);
    } else if (value && !chooses_result(b, *a.value, value->type, type)) {
        if (!require_converts(b, *a.value, *value, type, fmt::format("`{}`", slot->name)) && !value->broken())
            type = Type(type);
    }
    if (value && !written.values_shape.empty()) b.instance.values_shapes[stmt.id] = written.values_shape;
    slot->declared = type;
    slot->declared_at = a.annotation->span;
    slot->joined = type;
    if (value) b.mark_assigned(*slot);
    if (!slot->first_at.valid()) slot->first_at = a.target->span;
    b.instance.variables[slot->id.index].declared = slot->first_at;
    Value place;
    place.type = type;
    place.referent = slot->id;
    b.record_target(*a.target, place);
}

}  // namespace tsr::sema
