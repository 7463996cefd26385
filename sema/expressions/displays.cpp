#include "sema/expressions/displays.h"

#include <algorithm>

#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
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
    if (!joined && b.rules().in_group) {
        b.error("E0327", e.span, "the type of an empty list is not known");
        return {};
    }
    result.type = Type::list(joined.value_or(Type::unknown()), static_cast<int64_t>(elements.size()));
    if (!elements.empty() && values.size() == elements.size()) result.value = Static::list(std::move(values));
    return result;
}

namespace {

struct Entry {
    Value key, value;
};

// The type of a dictionary whose keys are in it; nothing where some key is no static string, or stands twice.
std::optional<Type> keyed_type(Body& b, const std::vector<Entry>& entries) {
    std::vector<std::string> keys;
    std::vector<Type> values;
    for (const auto& [key, value] : entries) {
        const std::string* name = key.value ? key.value->string() : nullptr;
        const bool held = !b.rules().host_objects || is_item(value.type);
        if (!name || value.broken() || !held || std::ranges::find(keys, *name) != keys.end()) return std::nullopt;
        keys.push_back(*name);
        const Type settled = settled_type(value.type, value.value);
        values.push_back(b.rules().host_objects ? as_item(settled) : without_extents(settled));
    }
    if (keys.empty()) return std::nullopt;
    return Type::keyed_dict(std::move(keys), std::move(values), b.rules().host_objects);
}

// On the host a dictionary of integers or strings takes other keys, too.
bool is_tree_of_keys(const Body& b, const Type& keyed) {
    const auto is_tree_part = [](const Type& part) {
        return holds_tensors(part) || part.is(Kind::record) || part.is_float();
    };
    return !b.rules().host_objects || !with_any_keys(keyed) || std::ranges::any_of(keyed.parts(), is_tree_part);
}

}  // namespace

Value dict_display(Body& b, const ast::Expr& e, const ast::Dict& d) {
    if (b.rules().in_group) {
        say_elsewhere(b, e.span, "dictionaries are");
        return {};
    }
    std::vector<Entry> entries;
    for (const auto& [key, value] : d.entries) {
        Value k = expression(b, *key);
        entries.push_back({std::move(k), expression(b, *value)});
    }
    if (const auto keyed = keyed_type(b, entries); keyed && is_tree_of_keys(b, *keyed)) return typed(*keyed);
    if (!b.rules().host_objects) {
        const auto broken = [](const Entry& entry) { return entry.key.broken() || entry.value.broken(); };
        if (std::ranges::any_of(entries, broken)) return {};
        b.error("E0601", e.span, "a dictionary of a graph function has keys that are known strings, each once");
        return {};
    }
    std::optional<Type> key, value;
    bool ok = true;
    for (size_t i = 0; i < d.entries.size(); ++i) {
        const auto& [key_expr, value_expr] = d.entries[i];
        const Value &k = entries[i].key, &v = entries[i].value;
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
