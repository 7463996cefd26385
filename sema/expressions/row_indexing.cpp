#include "sema/expressions/row_indexing.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"

namespace tsr::sema {

std::optional<Value> row_ids(Body& b, const ast::Subscript& s) {
    if (!b.rules().tensor_values || s.indices.size() != 1) return std::nullopt;
    const ast::Expr& index = *s.indices[0];
    const bool named =
        std::holds_alternative<ast::Name>(index.node) || std::holds_alternative<ast::Call>(index.node) ||
        std::holds_alternative<ast::Binary>(index.node) || std::holds_alternative<ast::Compare>(index.node) ||
        std::holds_alternative<ast::Unary>(index.node) || std::holds_alternative<ast::Subscript>(index.node) ||
        std::holds_alternative<ast::Attribute>(index.node);
    if (!named) return std::nullopt;
    const Value ids = expression(b, index);
    return ids.type.is(Kind::tensor) && ids.type.rank() > 0 ? std::optional(ids) : std::nullopt;
}

Value rows_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x, const Value& ids) {
    if (ids.type.elem() == DType::boolean && b.rules().host_objects && !is_packed(x.type.elem()))
        return library_call(b, e, {.name = "_masked", .file = "searching", .signature = {}, .doc = {}},
                            {s.base, s.indices[0]});
    if (ids.type.elem() == DType::boolean) return b.refuse(Feature::graphs, e.span, "a mask as an index is");
    if (!is_integer(ids.type.elem())) {
        b.error("E0302", s.indices[0]->span, fmt::format("ids are integers, these are {}", shown(ids.type)));
        return {};
    }
    if (is_packed(x.type.elem()) || is_packed(ids.type.elem()) || x.type.elem() == DType::c64)
        return b.refuse(Feature::graphs, e.span, fmt::format("{} by ids is", shown(x.type)));
    std::vector<ir::Dim> shape = x.type.shape();
    shape.erase(shape.begin());
    const std::vector<ir::Dim>& by = ids.type.shape();
    shape.insert(shape.begin(), by.begin(), by.end());
    Value result;
    result.type = new_tensor(Type::scalar(x.type.elem()).carrying(x.type.policy()), std::move(shape));
    return result;
}

}  // namespace tsr::sema
