#include "sema/values/making.h"

#include <algorithm>

#include "sema/types/containers.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

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

static bool may_make(const Body& b, const ast::Expr& e, const Type& to) {
    const auto parts = made_parts(b, e, to);
    const ExprInfo& info = b.instance.info(e);
    if (parts.empty()) return converts(info.type, info.value, to);
    return std::ranges::all_of(parts, [&](const auto& part) { return may_make(b, *part.first, part.second); });
}

static void make_of_type(Body& b, const ast::Expr& e, const Type& to) {
    const auto parts = made_parts(b, e, to);
    if (parts.empty()) return;
    Type& type = b.instance.exprs[e.id].type;
    type = type.is(Kind::list) ? Type::list(to.parts()[0], type.length()) : to;
    for (const auto& [part, wanted] : parts) make_of_type(b, *part, wanted);
}

bool makes(Body& b, const ast::Expr& e, const Value& value, const Type& to) {
    if (!b.rules().host_objects || !(b.instance.type(e) == value.type) || made_parts(b, e, to).empty() ||
        !may_make(b, e, to))
        return false;
    make_of_type(b, e, to);
    return true;
}

// Empty containers in it are made of the types wanted.
bool makes_or_converts(Body& b, const ast::Expr& e, const Value& value, const Type& to) {
    return (names_no_type(value.type) && makes(b, e, value, to)) || converts(value.type, value.value, to) ||
           makes(b, e, value, to);
}

}  // namespace tsr::sema
