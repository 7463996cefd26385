// What is gone through item by item: the types of the items, and the functions that make one sequence of others.
#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

// The type of the items, as a container holds them; nothing after a message.
std::optional<Type> Body::items_of(const ast::Expr& e, const Value& value) {
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::list) || value.type.is(Kind::dict)) return value.type.parts()[0];
    if (value.type.is(Kind::string) && !in_kernel()) return Type::string();
    if (value.type.is(Kind::range)) return Type::index();
    if (value.type.is(Kind::tuple) && !value.type.parts().empty()) {
        std::optional<Type> joined;
        for (const Type& part : value.type.parts()) {
            joined = joined ? join(*joined, part) : part;
            if (!joined) break;
        }
        if (joined) return joined;
        error("E0330", e.span, fmt::format("the elements of {} have no common type", shown(value.type)));
        return std::nullopt;
    }
    if (value.type.is(Kind::tensor) && value.type.rank() > 0 && !in_kernel()) {  // elements, or rows
        std::vector<ir::Dim> shape = value.type.tensor().shape;
        shape.erase(shape.begin());
        if (shape.empty()) return Type::scalar(value.type.elem()).carrying(value.type.policy());
        return value.type.with_shape(std::move(shape));
    }
    auto& d = error("E0330", e.span, fmt::format("{} is not iterated", shown(value.type)));
    if (value.type.is_integer()) d.suggest(e.span, fmt::format("range({})", source(e)), "iterate a range");
    if (value.type.is(Kind::tensor) && in_kernel()) d.note("iterate its indices: `for i in range(n)`");
    return std::nullopt;
}

// enumerate, zip, reversed, sorted, list: lists of what they go through; a loop goes through it without making one.
Value Body::sequence_call(const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    std::vector<const ast::Expr*> given = m.rest;
    if (row.id != Builtin::zip) given = {m.arguments[0]};
    std::vector<Type> items;
    for (const ast::Expr* iterable : given) {
        const Value value = expr(*iterable);
        auto item = items_of(*iterable, value);
        if (item && require_known(*iterable, value))
            items.push_back(stored(Type::list(settled_type(*item, {}), std::nullopt)).parts()[0]);
    }
    if (items.size() != given.size()) return {};
    switch (row.id) {
        case Builtin::enumerate:
            if (m.arguments[1]) require_integer(*m.arguments[1], expr(*m.arguments[1]), "the first number");
            items.insert(items.begin(), Type::index());
            return typed(Type::list(Type::tuple(std::move(items)), std::nullopt));
        case Builtin::zip:
            if (items.empty()) {
                error("E0315", e.span, "`zip` takes one iterable or more");
                return {};
            }
            return typed(Type::list(Type::tuple(std::move(items)), std::nullopt));
        case Builtin::sorted:
            return sorted(*m.arguments[0], items[0], m.arguments[1], m.arguments[2]);
        default:
            return typed(Type::list(items[0], std::nullopt));
    }
}

Value Body::sorted(const ast::Expr& e, const Type& item, const ast::Expr* key, const ast::Expr* descending) {
    if (descending) require_bool(*descending, expr(*descending));
    const Type order = key ? key_type(*key, item) : item;
    if (key && order.is_unknown()) return {};
    if (!is_ordered(order)) {
        error("E0308", key ? key->span : e.span, fmt::format("{} have no order", order.text()));
        return {};
    }
    return typed(Type::list(item, std::nullopt));
}

const SortKey& Checker::sort_key(const ast::Expr& key) {
    auto [found, fresh] = program.sort_keys.try_emplace(&key);
    SortKey& made = found->second;
    if (fresh) {
        made.item.span = made.call.span = key.span;
        made.item.node = ast::Name{"key's item"};  // no name of the program
        made.item.id = program.make_id();
        made.call.id = program.make_id();
        made.call.node = ast::Call{&key, {{std::nullopt, &made.item}}};
    }
    return made;
}

Type Body::key_type(const ast::Expr& key, const Type& item) {
    const SortKey& made = checker.sort_key(key);
    const size_t outer_names = inner_names.size();
    bind_inner(made.item);
    assign_to(made.item, item_for(item, made.item), key);
    const Value value = expr(made.call);
    inner_names.resize(outer_names);
    if (value.broken()) return {};
    if (value.type.is(Kind::none)) {
        error("E0208", key.span, "the key of a sort gives no value");
        return {};
    }
    return settled_type(stored(value.type), value.value);
}

Value Body::reduction_call(const ast::Expr& e, const BuiltinEntry& row, const ast::Expr* iterable) {
    Value value = expr(*iterable);
    if (value.type.is(Kind::tensor)) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return refuse(Feature::graphs, call ? call->callee->span : e.span, fmt::format("`{}` is", row.paths.front()));
    }
    auto item = items_of(*iterable, value);
    if (!item || !require_known(*iterable, value)) return {};
    const Type type = settled_type(*item, {});
    const bool truth = row.id == Builtin::any || row.id == Builtin::all;
    const bool fits =
        truth ? type.is_bool() || type.is_number() : type.is_number() || (row.id == Builtin::sum && type.is_bool());
    if (!fits && !type.is_unknown()) {
        error("E0302", iterable->span,
              fmt::format("`{}` goes through {}, these are {}", row.paths.front(), truth ? "truth values" : "numbers",
                          shown(type)));
        return {};
    }
    if (truth) return typed(Type::boolean());
    const bool whole = row.id == Builtin::sum && (type.is_bool() || (type.is_integer() && type.elem() != DType::u64));
    return typed(whole ? Type::scalar(DType::i64) : type);
}

// The targets of a loop over items: extents of tensors are bound at each name.
Value Body::item_for(const Type& item, const ast::Expr& target) {
    const std::vector<const ast::Expr*>* targets = nullptr;
    if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) targets = &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&target.node)) targets = &list->elements;
    if (!targets || !item.is(Kind::tuple) || targets->size() != item.parts().size())
        return typed(item_type(item, target));
    Value whole;
    std::vector<Type> types;
    for (size_t i = 0; i < targets->size(); ++i) {
        whole.elements.push_back(item_for(item.parts()[i], *(*targets)[i]));
        types.push_back(whole.elements.back().type);
    }
    whole.type = Type::tuple(std::move(types));
    return whole;
}

}  // namespace tsr::sema
