#include "sema/builtin_calls/sequence_calls.h"

#include <fmt/format.h>

#include "sema/builtin_calls/tensor_reductions.h"
#include "sema/expressions/comprehensions.h"
#include "sema/expressions/differing_items.h"
#include "sema/expressions/records.h"
#include "sema/program/copied_syntax.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/counted_lists.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

// In a graph function each item is a part of the graph: of what has a known number of them.
static Value unrolled_sequence(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m,
                               const std::vector<const ast::Expr*>& given, std::vector<Type> items) {
    std::optional<int64_t> length;
    for (const ast::Expr* iterable : given) {
        const Type& type = b.instance.type(*iterable);
        const std::optional<int64_t> count = known_count(type);
        if (!count) {
            b.refuse(Feature::graphs, iterable->span, fmt::format("`{}` of {} is", spelling(row.id), shown(type)));
            return {};
        }
        length = length ? std::min(*length, *count) : count;
    }
    if (row.id == Builtin::zip && items.empty()) {
        b.error("E0315", e.span, "`zip` takes one iterable or more");
        return {};
    }
    if (row.id == Builtin::reversed) return typed(Type::list(items[0], length));
    if (row.id == Builtin::enumerate) {
        if (m.arguments[1]) {
            b.refuse(Feature::graphs, m.arguments[1]->span, "`start` of `enumerate` in a graph function is");
            return {};
        }
        items.insert(items.begin(), Type::index());
    }
    return typed(Type::list(Type::tuple(std::move(items)), length));
}

// How many items the shortest of these has, where that is known of each.
static std::optional<int64_t> least_length(const Body& b, const std::vector<const ast::Expr*>& given) {
    std::optional<int64_t> least;
    for (const ast::Expr* iterable : given) {
        const std::optional<int64_t> count = known_count(b.instance.type(*iterable));
        if (!count) return std::nullopt;
        least = least ? std::min(*least, *count) : *count;
    }
    return least;
}

// enumerate, zip, reversed, sorted, list: lists of what they go through; a loop goes through it without making one.
Value sequence_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    std::vector<const ast::Expr*> given = m.rest;
    if (row.id != Builtin::zip) given = {m.arguments[0]};
    std::vector<Type> items;
    for (const ast::Expr* iterable : given) {
        const Value value = expression(b, *iterable);
        auto item = items_of(b, *iterable, value);
        if (!item || !require_known(b, *iterable, value)) continue;
        const Type held = Type::list(settled_type(*item, {}), std::nullopt);
        items.push_back(b.rules().host_objects ? stored(held).parts()[0] : held.parts()[0]);
    }
    if (items.size() != given.size()) return {};
    if (!b.rules().host_objects) return unrolled_sequence(b, e, row, m, given, std::move(items));
    const std::optional<int64_t> length = least_length(b, given);
    switch (row.id) {
        case Builtin::enumerate:
            if (m.arguments[1]) require_integer(b, *m.arguments[1], expression(b, *m.arguments[1]), "the first number");
            items.insert(items.begin(), Type::index());
            return typed(list_of(Type::tuple(std::move(items)), length));
        case Builtin::zip:
            if (items.empty()) {
                b.error("E0315", e.span, "`zip` takes one iterable or more");
                return {};
            }
            return typed(list_of(Type::tuple(std::move(items)), length));
        case Builtin::sorted: {
            const Value sorted = sorted_list(b, *m.arguments[0], items[0], m.arguments[1], m.arguments[2]);
            return sorted.broken() ? sorted : typed(list_of(items[0], length));
        }
        default:
            return typed(list_of(items[0], length));
    }
}

// Unknown after a message
static Type sort_key_type(Body& b, const ast::Expr& key, const Type& item) {
    const SortKey& made = b.checker.sort_key(b.instance.module, key);
    const ast::Expr& one = *b.expr(made.item);
    const size_t outer_names = b.inner_names.size();
    bind_inner_names(b, one);
    assign_to(b, one, item_for(b, item, one), key);
    const Value value = expression(b, *b.expr(made.call));
    b.inner_names.resize(outer_names);
    check_method_value(b, key);
    if (value.broken()) return {};
    if (value.type.is(Kind::none)) {
        b.error("E0208", key.span, "the key of a sort gives no value");
        return {};
    }
    return settled_type(stored(value.type), value.value);
}

Value sorted_list(Body& b, const ast::Expr& e, const Type& item, const ast::Expr* key, const ast::Expr* descending) {
    if (descending) require_bool(b, *descending, expression(b, *descending));
    const Type order = key ? sort_key_type(b, *key, item) : item;
    if (key && order.is_unknown()) return {};
    if (!is_ordered(order)) {
        b.error("E0308", key ? key->span : e.span, fmt::format("{} have no order", order.text()));
        return {};
    }
    return typed(Type::list(item, std::nullopt));
}

namespace {

// One item of a list that a name stands for, or of what a comprehension makes of such a list; null for others.
const ast::Expr* item_at(Body& b, const ast::Expr& iterable, uint64_t i) {
    MadeSyntax& syntax = b.checker.program.made;
    const auto item_of = [&](const ast::Expr& list) {
        return ast::Subscript{&list, {&syntax.expr(list.span, ast::IntLiteral{i})}};
    };
    if (std::holds_alternative<ast::Name>(iterable.node)) return &syntax.expr(iterable.span, item_of(iterable));
    const auto* c = std::get_if<ast::Comprehension>(&iterable.node);
    if (!c || c->value || c->clauses.size() != 1 || !c->clauses[0].conditions.empty()) return nullptr;
    const auto* target = std::get_if<ast::Name>(&c->clauses[0].target->node);
    const ast::Expr& list = *c->clauses[0].iterable;
    if (!target || !std::holds_alternative<ast::Name>(list.node) || !b.instance.type(list).is(Kind::list))
        return nullptr;
    SyntaxCopier copier(syntax);
    copier.values[target->text] = item_of(list);
    return copier.expr(c->element);
}

// `sum([a, b])` of tensors and numbers in a graph function, of numbers in a kernel: `a + b`; null where the items are
// not known one by one.
const ast::Expr* sum_of_items(Body& b, const ast::Expr& e, const ast::Expr& iterable, const Value& value) {
    MadeSyntax& syntax = b.checker.program.made;
    const auto* c = std::get_if<ast::Comprehension>(&iterable.node);
    const ast::Expr* display = c ? display_of_items(b, iterable, *c) : nullptr;
    const ast::Expr& written = display ? *display : iterable;
    const auto* list = std::get_if<ast::List>(&written.node);
    const auto* tuple = std::get_if<ast::Tuple>(&written.node);
    std::optional<size_t> count;
    if (list || tuple) count = list ? list->elements.size() : tuple->elements.size();
    if (!count && value.type.is(Kind::tuple)) count = value.type.parts().size();
    if (!count && value.type.is(Kind::list) && value.type.length()) count = static_cast<size_t>(*value.type.length());
    if (!count || *count == 0) return nullptr;
    ast::ExprId& made = syntax.sums_of_items[{b.key(e), fmt::format("{} of {}", *count, written.id.index)}];
    if (made.valid()) return b.expr(made);
    const ast::Expr* sum = nullptr;
    for (size_t i = 0; i < *count; ++i) {
        const ast::Expr* item = list ? list->elements[i] : tuple ? tuple->elements[i] : item_at(b, written, i);
        if (item == nullptr) return nullptr;
        sum = sum ? &syntax.expr(e.span, ast::Binary{ast::BinaryOp::add, sum, item, e.span}) : item;
    }
    made = sum->id;
    syntax.library_calls[b.key(e)].push_back(made);
    return sum;
}

// `sum(losses)`, `all([…])` in a graph function or kernel: of a list whose length is known, which has items.
std::optional<Value> reduced_items(Body& b, const ast::Expr& e, const ast::Expr& iterable, const BuiltinEntry& row,
                                   const Value& value) {
    if (!value.type.is(Kind::list) || value.type.length().value_or(0) == 0) return std::nullopt;
    const Type item = item_type(b, settled_type(value.type.parts()[0], {}), e);
    if (item.is_unknown()) return Value{};
    const bool truth = row.id == Builtin::any || row.id == Builtin::all, sums = row.id == Builtin::sum;
    const bool fits = truth ? item.is_bool() : item.is_number() || (sums && item.is(Kind::tensor) && !has_bools(item));
    if (!fits) {
        b.error("E0302", iterable.span,
                fmt::format("`{}` goes through {}, these are {}", row.paths.front(),
                            truth  ? "truth values"
                            : sums ? "numbers and tensors of them"
                                   : "numbers",
                            shown(item)));
        return Value{};
    }
    Value result = item.is(Kind::tensor) ? typed(new_tensor(element_type(item), item.shape())) : typed(item);
    result.compute = truth ? DType::boolean : number_compute(item);
    return result;
}

}  // namespace

Value reduction_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const ast::Expr& iterable,
                     const Value& value) {
    if (value.broken()) return {};
    if (value.type.is(Kind::tensor)) return tensor_reduction(b, e, row, value);
    if (!require_no_axis(b, e, row)) return {};
    if (!b.rules().host_objects) {
        const ast::Expr* added = row.id == Builtin::sum ? sum_of_items(b, e, iterable, value) : nullptr;
        if (added) return expression(b, *added);
        if (const auto reduced = reduced_items(b, e, iterable, row, value)) return *reduced;
        return b.refuse(
            Feature::graphs, e.span,
            fmt::format("a reduction of items in a {} is", b.rules().in_group ? "kernel" : "graph function"));
    }
    auto item = items_of(b, iterable, value);
    if (!item || !require_known(b, iterable, value)) return {};
    const Type type = settled_type(*item, {});
    const bool truth = row.id == Builtin::any || row.id == Builtin::all;
    const bool fits =
        truth ? type.is_bool() || type.is_number() : type.is_number() || (row.id == Builtin::sum && type.is_bool());
    if (!fits && !type.is_unknown()) {
        b.error("E0302", iterable.span,
                fmt::format("`{}` goes through {}, these are {}", row.paths.front(), truth ? "truth values" : "numbers",
                            shown(type)));
        return {};
    }
    const bool sums = row.id == Builtin::sum;
    const bool whole = sums && (type.is_bool() || (type.is_integer() && type.elem() != DType::u64));
    Value result = typed(truth ? Type::boolean() : whole ? Type::scalar(DType::i64) : type);
    if (sums && type.is_float()) {
        result.compute = accumulation_type(type.elem(), type.policy());
    } else {
        result.compute = number_choice(result.type);
    }
    return result;
}

}  // namespace tsr::sema
