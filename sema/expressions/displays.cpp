#include "sema/expressions/displays.h"

#include "sema/state/recursion.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

Value list_display(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& elements) {
    Value result;
    std::optional<Type> joined;
    bool broken = false;
    std::vector<Static> values;
    for (const ast::Expr* element : elements) {
        Value value = expression(b, *element);
        if (value.value) values.push_back(*value.value);
        auto next = value.broken() ? std::nullopt : join_items(b, joined, *element, value, "the elements of a list");
        broken |= !next;
        if (next) joined = next;
        result.elements.push_back(std::move(value));
    }
    if (broken) return {};
    if (!joined && !b.rules().host_objects) {
        b.error("E0327", e.span, "the type of an empty list is not known");
        return {};
    }
    result.type = Type::list(joined.value_or(Type::unknown()), static_cast<int64_t>(elements.size()));
    if (!elements.empty() && values.size() == elements.size()) result.value = Static::list(std::move(values));
    return result;
}

Value dict_display(Body& b, const ast::Expr& e, const ast::Dict& d) {
    if (!b.rules().host_objects) {
        say_elsewhere(b, e.span, "dictionaries are");
        return {};
    }
    std::optional<Type> key, value;
    bool ok = true;
    for (const auto& [key_expr, value_expr] : d.entries) {
        Value k = expression(b, *key_expr), v = expression(b, *value_expr);
        auto next_key = k.broken() ? std::nullopt : join_items(b, key, *key_expr, k, "the keys of a dictionary");
        auto next_value =
            v.broken() ? std::nullopt : join_items(b, value, *value_expr, v, "the values of a dictionary");
        ok &= next_key && next_value && require_hashable(b, *key_expr, k);
        if (next_key) key = next_key;
        if (next_value) value = next_value;
    }
    if (!ok) return {};
    Value result;
    result.type = Type::dict(key.value_or(Type::unknown()), value.value_or(Type::unknown()));
    return result;
}

Value tuple_display(Body& b, const ast::Expr&, const std::vector<const ast::Expr*>& elements) {
    Value result;
    std::vector<Type> types;
    std::vector<Static> values;
    for (const ast::Expr* element : elements) {
        Value value = expression(b, *element);
        types.push_back(value.type);
        if (value.value) values.push_back(*value.value);
        result.elements.push_back(std::move(value));
    }
    result.type = Type::tuple(std::move(types));
    if (values.size() == elements.size()) result.value = Static::of(std::move(values));
    return result;
}

}  // namespace tsr::sema
