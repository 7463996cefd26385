// Lists, dictionaries and comprehensions: their types, and the types of what is taken out of them.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/items.h"

namespace tsr::sema {

namespace {

// A type as an item of a container has it: nothing is known of the extents of tensors, so that all of one rank fit.
Type held(const Type& type) {
    if (type.is(Kind::tensor)) {
        std::vector<ir::Dim> shape(type.rank(), ir::Dim::symbol("_"));
        return type.with_shape(std::move(shape));
    }
    if (type == Type::index()) return Type::scalar(DType::i64);
    if (!type.is(Kind::tuple)) return stored(type);
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(held(part));
    return Type::tuple(std::move(parts));
}

bool holds_shaped_tensors(const Type& type) {
    if (type.is(Kind::tensor)) return type.rank() > 0;
    return type.is(Kind::tuple) && std::any_of(type.parts().begin(), type.parts().end(), holds_shaped_tensors);
}

bool is_hashable(const Type& type) {
    if (type.is(Kind::tuple)) return std::all_of(type.parts().begin(), type.parts().end(), is_hashable);
    return type.is_number() || type.is_bool() || type.is(Kind::string) || type.is_unknown();
}

}  // namespace

Type stored(const Type& type) {
    if (type.is(Kind::list)) return Type::list(held(type.parts()[0]), std::nullopt);
    if (type.is(Kind::dict)) return Type::dict(held(type.parts()[0]), held(type.parts()[1]));
    if (!type.is(Kind::tuple)) return type;
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(stored(part));
    return Type::tuple(std::move(parts));
}

Type of_either_extent(const Type& a, const Type& b) {
    if (!a.is(Kind::tensor) || !b.is(Kind::tensor) || a.rank() != b.rank()) return b;
    std::vector<ir::Dim> shape = b.tensor().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!(shape[axis] == a.tensor().shape[axis])) shape[axis] = ir::Dim::symbol("_");
    }
    return b.with_shape(std::move(shape));
}

bool has_unknown_extents(const Type& type) {
    return type.is(Kind::tensor) &&
           std::ranges::any_of(type.tensor().shape, [](const ir::Dim& dim) { return dim.symbol_name() == "_"; });
}

// A part of a tuple that has no type has an error.
bool names_no_type(const Type& type) {
    const bool holds_items = type.is(Kind::list) || type.is(Kind::dict);
    return (holds_items || type.is(Kind::tuple)) &&
           std::any_of(type.parts().begin(), type.parts().end(),
                       [&](const Type& part) { return (holds_items && part.is_unknown()) || names_no_type(part); });
}

bool is_item(const Type& type) {
    if (type.is(Kind::tuple)) return std::all_of(type.parts().begin(), type.parts().end(), is_item);
    for (Kind none : {Kind::none, Kind::name_space, Kind::module, Kind::range, Kind::type, Kind::launcher, Kind::dtype,
                      Kind::function, Kind::builtin}) {
        if (type.is(none)) return false;
    }
    return true;
}

// An item's type as a value: the extents of its tensors are bound where `source` gives it.
Type Body::item_type(const Type& item, const ast::Expr& source, int element) {
    if (item.is(Kind::tensor)) {
        std::vector<ir::Dim> shape = item.tensor().shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis].symbol_name() == "_") shape[axis] = fresh_symbol("extent", source, axis, element);
        }
        return item.with_shape(std::move(shape));
    }
    if (!item.is(Kind::tuple) || !holds_shaped_tensors(item)) return item;
    std::vector<Type> parts;
    for (size_t i = 0; i < item.parts().size(); ++i) {
        if (element >= 0 && holds_shaped_tensors(item.parts()[i])) {
            refuse(Feature::host, source.span, "a tuple of tensors in a tuple in a container is");
            return {};
        }
        parts.push_back(item_type(item.parts()[i], source, static_cast<int>(i)));
    }
    return Type::tuple(std::move(parts));
}

// The type that what is put into one container has together; nothing after a message.
std::optional<Type> Body::join_items(const std::optional<Type>& before, const ast::Expr& e, const Value& value,
                                     const char* what) {
    if (!in_kernel() && !is_item(value.type)) {
        error("E0208", e.span, fmt::format("a container does not hold {}", shown(value.type)));
        return std::nullopt;
    }
    Type item = in_kernel() ? value.type : held(value.type);
    // A literal that an i32 does not hold makes it a container of a larger type.
    const bool large = item.is(Kind::int_literal) && value.value && settled(item, value.value) != DType::i32;
    if (large && !in_kernel()) item = Type::scalar(settled(item, value.value));
    if (!before) return item;
    auto joined = join(*before, item, {}, value.value);
    if (joined) return joined;
    error("E0303", e.span,
          fmt::format("{} have one type: this is {}, those before it are {}", what, shown(value.type), shown(*before)));
    return std::nullopt;
}

namespace {

// The parts of an expression that makes a container, and what each is to be; nothing if it makes none of this type.
std::vector<std::pair<const ast::Expr*, Type>> made_parts(const Body& b, const ast::Expr& e, const Type& to) {
    std::vector<std::pair<const ast::Expr*, Type>> parts;
    if (const auto* list = std::get_if<ast::List>(&e.node); list && to.is(Kind::list)) {
        for (const ast::Expr* element : list->elements) parts.emplace_back(element, to.parts()[0]);
    } else if (const auto* tuple = std::get_if<ast::Tuple>(&e.node);
               tuple && to.is(Kind::tuple) && to.parts().size() == tuple->elements.size()) {
        for (size_t i = 0; i < tuple->elements.size(); ++i) parts.emplace_back(tuple->elements[i], to.parts()[i]);
    } else if (const auto* dict = std::get_if<ast::Dict>(&e.node); dict && to.is(Kind::dict)) {
        for (const auto& [key, value] : dict->entries) {
            parts.emplace_back(key, to.parts()[0]);
            parts.emplace_back(value, to.parts()[1]);
        }
    } else if (const auto* c = std::get_if<ast::Comprehension>(&e.node);
               c && (c->value ? to.is(Kind::dict) : to.is(Kind::list))) {
        parts.emplace_back(c->element, to.parts()[0]);
        if (c->value) parts.emplace_back(c->value, to.parts()[1]);
    } else if (const auto* times = std::get_if<ast::Binary>(&e.node);
               times && times->op == ast::BinaryOp::mul && to.is(Kind::list)) {
        parts.emplace_back(b.instance.type(*times->lhs).is(Kind::list) ? times->lhs : times->rhs, to);
    }
    return parts;
}

}  // namespace

bool Body::makes(const ast::Expr& e, const Value& value, const Type& to) {
    if (in_kernel() || !(instance.type(e) == value.type) || made_parts(*this, e, to).empty() || !may_make(e, to))
        return false;
    make(e, to);
    return true;
}

// Empty containers in it are made of the types wanted.
bool Body::makes_or_converts(const ast::Expr& e, const Value& value, const Type& to) {
    return (names_no_type(value.type) && makes(e, value, to)) || converts(value.type, value.value, to) ||
           makes(e, value, to);
}

bool Body::may_make(const ast::Expr& e, const Type& to) const {
    const auto parts = made_parts(*this, e, to);
    const ExprInfo& info = instance.info(e);
    if (parts.empty()) return converts(info.type, info.value, to);
    return std::ranges::all_of(parts, [&](const auto& part) { return may_make(*part.first, part.second); });
}

void Body::make(const ast::Expr& e, const Type& to) {
    const auto parts = made_parts(*this, e, to);
    if (parts.empty()) return;
    Type& type = instance.exprs[e.id].type;
    type = type.is(Kind::list) ? Type::list(to.parts()[0], type.length()) : to;
    for (const auto& [part, wanted] : parts) make(*part, wanted);
}

Value Body::list(const ast::Expr& e, const std::vector<const ast::Expr*>& elements) {
    Value result;
    std::optional<Type> joined;
    bool broken = false;
    std::vector<Static> values;
    for (const ast::Expr* element : elements) {
        Value value = expr(*element);
        if (value.value) values.push_back(*value.value);
        auto next = value.broken() ? std::nullopt : join_items(joined, *element, value, "the elements of a list");
        broken |= !next;
        if (next) joined = next;
        result.elements.push_back(std::move(value));
    }
    if (broken) return {};
    if (!joined && in_kernel()) {
        error("E0327", e.span, "the type of an empty list is not known");
        return {};
    }
    result.type = Type::list(joined.value_or(Type::unknown()), static_cast<int64_t>(elements.size()));
    if (!elements.empty() && values.size() == elements.size()) result.value = Static::list(std::move(values));
    return result;
}

Value Body::dict(const ast::Expr& e, const ast::Dict& d) {
    if (in_kernel()) {
        error("E0402", e.span, "dictionaries are for host programs, this runs in a kernel");
        return {};
    }
    std::optional<Type> key, value;
    bool ok = true;
    for (const auto& [key_expr, value_expr] : d.entries) {
        Value k = expr(*key_expr), v = expr(*value_expr);
        auto next_key = k.broken() ? std::nullopt : join_items(key, *key_expr, k, "the keys of a dictionary");
        auto next_value = v.broken() ? std::nullopt : join_items(value, *value_expr, v, "the values of a dictionary");
        ok &= next_key && next_value && require_hashable(*key_expr, k);
        if (next_key) key = next_key;
        if (next_value) value = next_value;
    }
    if (!ok) return {};
    Value result;
    result.type = Type::dict(key.value_or(Type::unknown()), value.value_or(Type::unknown()));
    return result;
}

// An argument that is an empty container says nothing of the type it is to have.
bool Body::require_known(const ast::Expr& e, const Value& value) {
    if (in_kernel() || !aloud || !names_no_type(value.type)) return true;
    error("E0327", e.span, "the type of an empty container is not known").note("name it first: `xs: list[f32] = []`");
    return false;
}

bool Body::require_hashable(const ast::Expr& e, const Value& key) {
    if (key.broken() || is_hashable(key.type)) return true;
    error("E0302", e.span, fmt::format("a key is a number, a string or a tuple of them, this is {}", shown(key.type)));
    return false;
}

// `d[k]`; the value of an assignment is checked where it is assigned.
Value Body::index_dict(const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    std::vector<Value> parts;
    for (const ast::Expr* index : s.indices) {
        if (!std::holds_alternative<ast::Slice>(index->node)) parts.push_back(expr(*index));
    }
    if (s.indices.size() != 1 || parts.empty()) {
        error("E0310", e.span, "a dictionary takes one key; a tuple as a key needs parentheses");
        return {};
    }
    if (!require_known(*s.base, base)) return {};
    if (parts[0].broken() || !require_hashable(*s.indices[0], parts[0])) return {};
    if (aloud && !require_converts(*s.indices[0], parts[0], base.type.parts()[0], "a key")) return {};
    Value result;
    result.type = item_type(base.type.parts()[1], e);
    return result;
}

// `xs[1:-1]`, `"text"[::2]`.
Value Body::slice_sequence(const ast::Slice& slice, const Value& base) {
    for (const ast::Expr* bound : {slice.lower, slice.upper, slice.step}) {
        if (!bound) continue;
        Value v = expr(*bound);
        require_integer(*bound, v, "a bound of a slice");
        if (v.broken() || !v.type.is_integer()) return {};
        if (bound == slice.step && v.value && v.value->integer() == 0) {
            error("E0334", bound->span, "the step is zero");
            return {};
        }
    }
    Value result;
    result.type = stored(base.type);
    return result;
}

}  // namespace tsr::sema
