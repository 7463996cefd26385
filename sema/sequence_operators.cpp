// `+`, `*`, comparison and `in` of strings, lists, tuples and dictionaries; equality of records.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/passing.h"

namespace tsr::sema {

namespace {

bool is_container(const Type& type) { return type.is(Kind::list) || type.is(Kind::tuple) || type.is(Kind::dict); }

// `[0.0] * 4` in a kernel: registers, as many as is known when it is compiled.
std::optional<Value> repeated_registers(const Value& l, const Value& r) {
    const Value& list = l.type.is(Kind::list) ? l : r;
    const Value& times = l.type.is(Kind::list) ? r : l;
    const int64_t count = times.value ? times.value->integer().value_or(0) : 0;
    constexpr int64_t kMost = 1024;
    if (!list.type.is(Kind::list) || !list.type.length() || count < 1 || count > kMost) return std::nullopt;
    const Type& item = list.type.parts()[0];
    if (!item.is_number() && !item.is_bool()) return std::nullopt;
    return typed(Type::list(item, *list.type.length() * count));
}

bool has_tensors(const Type& type) {
    if (type.is(Kind::tensor)) return true;
    return is_container(type) && std::any_of(type.parts().begin(), type.parts().end(), has_tensors);
}

}  // namespace

bool is_ordered(const Type& type) {
    if (type.is(Kind::tuple) || type.is(Kind::list)) {
        return std::all_of(type.parts().begin(), type.parts().end(), is_ordered);
    }
    return type.is_number() || type.is(Kind::string) || type.is_bool() || type.is_unknown();
}

std::optional<Type> common_container(const Type& a, const Type& b) {
    auto joined = join(stored(a), stored(b));
    if (!joined) return std::nullopt;
    Type type = settled_type(*joined, {});
    return converts(stored(a), {}, type) && converts(stored(b), {}, type) ? std::optional(type) : std::nullopt;
}

// Nothing where the operands are no sequences: numbers have their own rules.
std::optional<Value> Body::sequence_arithmetic(ast::BinaryOp op, const Value& l, const Value& r) {
    if (in_kernel()) return op == ast::BinaryOp::mul ? repeated_registers(l, r) : std::nullopt;
    const auto sequence = [](const Value& v) { return v.type.is(Kind::string) || v.type.is(Kind::list); };
    if (op == ast::BinaryOp::mul) {
        const Value& repeated = sequence(l) ? l : r;
        const Value& times = sequence(l) ? r : l;
        if (!sequence(repeated) || !times.type.is_integer()) return std::nullopt;
        return typed(settled_type(stored(repeated.type), {}));
    }
    if (op != ast::BinaryOp::add) return std::nullopt;
    if (l.type.is(Kind::string) && r.type.is(Kind::string)) return typed(Type::string());
    if (l.type.is(Kind::tuple) && r.type.is(Kind::tuple)) {
        std::vector<Type> parts = l.type.parts();
        parts.insert(parts.end(), r.type.parts().begin(), r.type.parts().end());
        return typed(Type::tuple(std::move(parts)));
    }
    if (!l.type.is(Kind::list) || !r.type.is(Kind::list)) return std::nullopt;
    auto type = common_container(l.type, r.type);
    return type ? std::optional(typed(*type)) : std::nullopt;
}

// Whether a link of a comparison is of sequences or an `in`; messages are given here.
bool Body::compare_sequences(ast::CompareOp op, const ast::Expr& le, const Value& l, const ast::Expr& re,
                             const Value& r) {
    const Span at = le.span.to(re.span);
    if (op == ast::CompareOp::in || op == ast::CompareOp::not_in) {
        contains(le, l, re, r);
        return true;
    }
    if (in_kernel()) return false;
    if (l.type.is(Kind::record) && r.type.is(Kind::record)) {
        const bool equality = op == ast::CompareOp::eq || op == ast::CompareOp::ne;
        if (!equality || l.type.with_mut(false) != r.type.with_mut(false)) {
            error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)));
        } else if (std::ranges::any_of(l.type.parts(), holds_tensors)) {
            refuse(Feature::graphs, at, "comparison of whole tensors is");
        }
        return true;
    }
    if (l.type.is(Kind::string) && r.type.is(Kind::string)) return true;
    if (!is_container(l.type) || l.type.kind() != r.type.kind()) return false;
    const bool equality = op == ast::CompareOp::eq || op == ast::CompareOp::ne;
    if (has_tensors(l.type) || has_tensors(r.type)) {
        refuse(Feature::graphs, at, "comparison of whole tensors is");
    } else if (!common_container(l.type, r.type) || (!equality && !is_ordered(l.type))) {
        error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)));
    }
    return true;
}

// Such a container with items of this type.
static Type container_of(const Type& container, const Type& item) {
    if (container.is(Kind::tuple)) return Type::tuple(std::vector<Type>(container.parts().size(), item));
    return container.is(Kind::dict) ? Type::dict(item, container.parts()[1]) : Type::list(item, std::nullopt);
}

void Body::contains(const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r) {
    if (in_kernel()) {
        error("E0402", le.span.to(re.span), "`in` is for host programs, this runs in a kernel");
    } else if (r.type.is(Kind::string)) {
        if (!l.type.is(Kind::string))
            error("E0302", le.span, fmt::format("a string is looked for in a string, this is {}", shown(l.type)));
    } else if (r.type.is(Kind::tensor) || has_tensors(r.type)) {
        refuse(Feature::graphs, le.span.to(re.span), "comparison of whole tensors is");
    } else if (!is_container(r.type)) {
        error("E0308", re.span,
              fmt::format("`in` looks into lists, tuples, dictionaries and strings, this is {}", shown(r.type)));
    } else if (l.type.is_scalar() &&
               makes(re, r, container_of(r.type, stored(Type::list(l.type, std::nullopt)).parts()[0]))) {
        return;  // numbers that are written there are of the type of what is looked for, as beside `==`
    } else if (auto item = items_of(re, r)) {
        const Type type = settled_type(stored(Type::list(*item, std::nullopt)).parts()[0], {});
        if (aloud) require_converts(le, l, type, "what is looked for");
    }
}

}  // namespace tsr::sema
