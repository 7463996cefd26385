#include "sema/state/value.h"

#include "sema/types/elements.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

namespace {

// Of a list of static values; its elements joined when it was written. A literal that an i32 does not hold makes it a
// list of a larger type.
Type list_type(const std::vector<Value>& elements) {
    std::optional<Type> joined;
    for (const Value& element : elements) {
        const bool large = element.type.is(Kind::int_literal) && settled(element.type, element.value) != DType::i32;
        const Type type = large ? settled_type(element.type, element.value) : element.type;
        joined = joined ? join(*joined, type) : type;
    }
    return Type::list(joined.value_or(Type::unknown()), static_cast<int64_t>(elements.size()));
}

}  // namespace

void set_rounds(Value& value, uint64_t rounds) {
    value.rounds = rounds;
    for (Value& element : value.elements) set_rounds(element, rounds);
}

Value typed(Type type) {
    Value value;
    value.type = std::move(type);
    return value;
}

Value typed(Type type, Static constant) {
    Value value = typed(std::move(type));
    value.value = std::move(constant);
    return value;
}

Value static_value(const Static& value, Referent referent) {
    Value result;
    result.value = value;
    result.referent = std::move(referent);
    if (value.is_integer()) {
        result.type = Type::int_literal();
        if (auto n = value.integer()) result.dim = ir::Dim::constant(*n);
    } else if (value.real()) {
        result.type = Type::float_literal();
    } else if (value.boolean()) {
        result.type = Type::boolean();
    } else if (value.string()) {
        result.type = Type::string();
    } else if (auto elem = value.dtype()) {
        result.type = Type::dtype_value(*elem);
    } else if (const auto* parts = value.tuple()) {
        std::vector<Type> types;
        for (const Static& part : *parts) {
            result.elements.push_back(static_value(part, {}));
            types.push_back(result.elements.back().type);
        }
        result.type = value.is_list ? list_type(result.elements) : Type::tuple(std::move(types));
        if (value.is_list) result.elements.clear();
    } else {
        result.type = Type::none();
    }
    return result;
}

// What holds where two paths meet; a path that ends says nothing.
Flow meet(const Flow& a, const Flow& b) {
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
    for (size_t i = 0; i < result.lengths.size(); ++i) {
        const bool same = i < b.lengths.size() && b.lengths[i] == result.lengths[i];
        if (!same) result.lengths[i] = Flow::kAnyLength;
    }
    return result;
}

std::optional<Type> join_elements(const Value& a, const Value& b) {
    if (!holds_elements(a.type) && !holds_elements(b.type)) return join(a.type, b.type, a.value, b.value);
    if (a.type.is(Kind::tile) ? b.type.is(Kind::vector) : a.type.is(Kind::vector) && b.type.is(Kind::tile))
        return std::nullopt;
    const auto elem = join(element_type(a.type), element_type(b.type), a.value, b.value);
    if (!elem || !elem->is_scalar()) return std::nullopt;
    if (a.type.is(Kind::tensor) || b.type.is(Kind::tensor)) {
        const auto shape = broadcast(a.type.shape(), b.type.shape());
        return shape ? std::optional(new_tensor(*elem, *shape)) : std::nullopt;
    }
    if (a.type.is(Kind::vector) || b.type.is(Kind::vector)) {
        const Type& vector = a.type.is(Kind::vector) ? a.type : b.type;
        if (a.type.is(Kind::vector) && b.type.is(Kind::vector) && a.type.length() != b.type.length())
            return std::nullopt;
        return Type::vector(elem->elem(), *vector.length()).carrying(elem->policy());
    }
    const auto shape = broadcast(a.type.is(Kind::tile) ? a.type.tile_shape() : std::vector<int64_t>{},
                                 b.type.is(Kind::tile) ? b.type.tile_shape() : std::vector<int64_t>{});
    if (!shape) return std::nullopt;
    return Type::tile(elem->elem(), *shape).carrying(elem->policy());
}

std::vector<ast::ExprId> ids_of(const std::vector<const ast::Expr*>& exprs) {
    std::vector<ast::ExprId> ids;
    for (const ast::Expr* e : exprs) ids.push_back(id_of(e));
    return ids;
}

bool converts(const Value& value, const Type& to) {
    const bool apart = value.type.is(Kind::tuple) && to.is(Kind::tuple) && !value.elements.empty();
    if (!apart || value.elements.size() != to.parts().size()) return converts(value.type, value.value, to);
    for (size_t i = 0; i < value.elements.size(); ++i) {
        Value part = value.elements[i];
        part.type = value.type.parts()[i];
        if (!converts(part, to.parts()[i])) return false;
    }
    return true;
}

}  // namespace tsr::sema
