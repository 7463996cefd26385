#include "sema/expressions/sequence_operators.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/operators.h"
#include "sema/types/containers.h"
#include "sema/types/counted_lists.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/items.h"
#include "sema/values/making.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

bool is_container(const Type& type) { return type.is(Kind::list) || type.is(Kind::tuple) || type.is(Kind::dict); }

// `[0.0] * 4` in a kernel: registers, as many as is known when it is compiled. In graphs items are values of any type.
std::optional<Value> repeated_registers(const Body& b, const Value& l, const Value& r) {
    const Value& list = l.type.is(Kind::list) ? l : r;
    const Value& times = l.type.is(Kind::list) ? r : l;
    const int64_t count = times.value ? times.value->integer().value_or(0) : 0;
    constexpr int64_t kMost = 1024;
    if (!list.type.is(Kind::list) || !list.type.length() || count < 1 || count > kMost) return std::nullopt;
    const Type& item = list.type.parts()[0];
    if (!item.is_number() && !item.is_bool() && !b.rules().new_values) return std::nullopt;
    return typed(Type::list(item, *list.type.length() * count));
}

// `[x] + ys` in a graph function.
std::optional<Value> joined_lists(const Type& l, const Type& r) {
    if (!l.is(Kind::list) || !r.is(Kind::list)) return std::nullopt;
    const Type a = any_length(l), b = any_length(r);
    auto joined = join(a, b);
    if (!joined) joined = join(without_extents(a), without_extents(b));
    if (!joined) return std::nullopt;
    const bool known = l.length() && r.length();
    return typed(Type::list(joined->parts()[0], known ? std::optional(*l.length() + *r.length()) : std::nullopt));
}

bool has_every_element(const Value& tuple) { return tuple.elements.size() == tuple.type.parts().size(); }

// `x.shape[:-1] + (heads, d)`
Value joined_tuples(const Value& l, const Value& r) {
    std::vector<Type> parts = l.type.parts();
    parts.insert(parts.end(), r.type.parts().begin(), r.type.parts().end());
    Value both = typed(Type::tuple(std::move(parts)));
    if (has_every_element(l) && has_every_element(r)) {
        both.elements = l.elements;
        both.elements.insert(both.elements.end(), r.elements.begin(), r.elements.end());
    }
    const auto *before = l.value ? l.value->tuple() : nullptr, *behind = r.value ? r.value->tuple() : nullptr;
    if (before && behind) {
        std::vector<Static> all = *before;
        all.insert(all.end(), behind->begin(), behind->end());
        both.value = Static::of(std::move(all));
    }
    return both;
}

// `(1,) * 3`, where the number is known; nothing where it is not, or is large.
std::optional<Value> repeated_tuple(const Value& l, const Value& r) {
    const Value &tuple = l.type.is(Kind::tuple) ? l : r, &times = l.type.is(Kind::tuple) ? r : l;
    constexpr int64_t kMost = 64;
    const auto count = times.value ? times.value->integer() : std::nullopt;
    if (!count || *count > kMost) return std::nullopt;
    Value all = typed(Type::tuple({}));
    all.value = Static::of(std::vector<Static>{});
    for (int64_t i = 0; i < *count; ++i) all = joined_tuples(all, tuple);
    return all;
}

bool has_tensors(const Type& type) {
    if (type.is(Kind::tensor)) return true;
    return is_container(type) && std::any_of(type.parts().begin(), type.parts().end(), has_tensors);
}

}  // namespace

std::optional<Value> sequence_arithmetic(Body& b, ast::BinaryOp op, const Value& l, const Value& r) {
    const bool both = l.type.is(Kind::tuple) && r.type.is(Kind::tuple),
               one = l.type.is(Kind::tuple) || r.type.is(Kind::tuple);
    if (both && op == ast::BinaryOp::add) return joined_tuples(l, r);
    if (one && op == ast::BinaryOp::mul) return repeated_tuple(l, r);
    if (!b.rules().host_objects && op == ast::BinaryOp::mul) return repeated_registers(b, l, r);
    if (b.rules().new_values && op == ast::BinaryOp::add) return joined_lists(l.type, r.type);
    if (!b.rules().host_objects) return std::nullopt;
    const auto sequence = [](const Value& v) { return v.type.is(Kind::string) || v.type.is(Kind::list); };
    if (op == ast::BinaryOp::mul) {
        const Value& repeated = sequence(l) ? l : r;
        const Value& times = sequence(l) ? r : l;
        if (!sequence(repeated) || !times.type.is_integer()) return std::nullopt;
        const Type type = settled_type(stored(repeated.type), {});
        if (!type.is(Kind::list)) return typed(type);
        const std::optional<int64_t> count = times.value ? times.value->integer() : std::nullopt;
        constexpr int64_t kMost = 1 << 16;
        const bool counted = count && *count >= 0 && *count <= kMost && type.length() && *type.length() <= kMost;
        return typed(list_of(type.parts()[0], counted ? std::optional(*type.length() * *count) : std::nullopt));
    }
    if (op != ast::BinaryOp::add) return std::nullopt;
    if (l.type.is(Kind::string) && r.type.is(Kind::string)) return typed(Type::string());
    if (!l.type.is(Kind::list) || !r.type.is(Kind::list)) return std::nullopt;
    auto type = common_container(l.type, r.type);
    if (!type) return std::nullopt;
    const bool counted = l.type.length() && r.type.length();
    return typed(
        list_of(type->parts()[0], counted ? std::optional(*l.type.length() + *r.type.length()) : std::nullopt));
}

// Such a container with items of this type.
static Type container_of(const Type& container, const Type& item) {
    if (container.is(Kind::tuple)) return Type::tuple(std::vector<Type>(container.parts().size(), item));
    return container.is(Kind::dict) ? Type::dict(item, container.parts()[1]) : Type::list(item, std::nullopt);
}

static void require_membership(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r) {
    if (!b.rules().host_objects) {
        say_elsewhere(b, le.span.to(re.span), "`in` is");
    } else if (r.type.is(Kind::string) || r.type.is_keyed_dict()) {
        if (!l.type.is(Kind::string))
            b.error("E0302", le.span,
                    fmt::format("a string is looked for in {}, this is {}", shown(r.type), shown(l.type)));
    } else if (r.type.is(Kind::tensor) || has_tensors(r.type)) {
        b.refuse(Feature::graphs, le.span.to(re.span), "comparison of tensors in containers is");
    } else if (!is_container(r.type)) {
        b.error("E0308", re.span,
                fmt::format("`in` looks into lists, tuples, dictionaries and strings, this is {}", shown(r.type)));
    } else if (l.type.is_scalar() &&
               makes(b, re, r, container_of(r.type, stored(Type::list(l.type, std::nullopt)).parts()[0]))) {
        return;  // numbers that are written there are of the type of what is looked for, as beside `==`
    } else if (auto item = items_of(b, re, r)) {
        const Type type = settled_type(stored(Type::list(*item, std::nullopt)).parts()[0], {});
        if (b.aloud) require_converts(b, le, l, type, "what is looked for");
    }
}

bool has_written_elements(const Value& whole) {
    return whole.type.is(Kind::tuple) || (whole.type.is(Kind::list) && !whole.elements.empty());
}

std::optional<DType> in_elements(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r) {
    const Span at = le.span.to(re.span);
    const bool number = l.type.is_scalar() || l.type.is_literal() || l.type.is_bool();
    if (!number && !l.type.is(Kind::string)) {
        say_elsewhere(b, at, fmt::format("`in` of {} is", shown(l.type)));
        return std::nullopt;
    }
    Value joined = l;
    const size_t count = r.type.is(Kind::tuple) ? r.type.parts().size() : r.elements.size();
    for (size_t i = 0; i < count; ++i) {
        const Value part = i < r.elements.size() ? r.elements[i] : typed(r.type.parts()[i]);
        if (number != (part.type.is_scalar() || part.type.is_literal() || part.type.is_bool())) {
            b.error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(part.type)));
            return std::nullopt;
        }
        if (!number || (has_bools(joined.type) && has_bools(part.type))) continue;
        const auto both = operands_join(b, le, joined, re, part, at, "comparison");
        if (!both) return std::nullopt;
        joined = typed(*both);
    }
    return joined.type.is_number() ? number_compute(joined.type) : DType::boolean;
}

bool compare_sequences(Body& b, ast::CompareOp op, const ast::Expr& le, const Value& l, const ast::Expr& re,
                       const Value& r) {
    const Span at = le.span.to(re.span);
    if (op == ast::CompareOp::in || op == ast::CompareOp::not_in) {
        require_membership(b, le, l, re, r);
        return true;
    }
    if (!b.rules().host_objects) return false;
    if (l.type.is(Kind::record) && r.type.is(Kind::record)) {
        const bool equality = op == ast::CompareOp::eq || op == ast::CompareOp::ne;
        if (!equality || l.type.with_mut(false) != r.type.with_mut(false)) {
            b.error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)));
        } else if (std::ranges::any_of(l.type.parts(), holds_tensors)) {
            b.refuse(Feature::graphs, at, "comparison of tensors in containers is");
        }
        return true;
    }
    if (l.type.is(Kind::string) && r.type.is(Kind::string)) return true;
    if (!is_container(l.type) || l.type.kind() != r.type.kind()) return false;
    const bool equality = op == ast::CompareOp::eq || op == ast::CompareOp::ne;
    if (has_tensors(l.type) || has_tensors(r.type)) {
        b.refuse(Feature::graphs, at, "comparison of tensors in containers is");
    } else if (!common_container(l.type, r.type) || (!equality && !is_ordered(l.type))) {
        b.error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)));
    }
    return true;
}

}  // namespace tsr::sema
