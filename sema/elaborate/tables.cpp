#include "sema/elaborate/tables.h"

#include "sema/elaborate/expressions.h"
#include "sema/elaborate/local_arrays.h"
#include "sema/elaborate/types.h"
#include "sema/static_tables.h"

namespace tsr::elaborate {

using sema::Static;

namespace {

void collect(Body& b, const Static& list, DType type, std::vector<ir::ValueId>& elements) {
    const auto* parts = list.tuple();
    if (!parts) return elements.push_back(b.scalar(Val::of(list), type));
    for (const Static& part : *parts) collect(b, part, type, elements);
}

// The element at the indices, or the list of those below it.
Val item(Body& b, const Static& list, const std::vector<Val>& indices, const std::vector<ir::ValueId>& elements) {
    std::vector<int64_t> shape;
    const Static* below = &list;
    for (size_t i = 0; i < indices.size(); ++i) {
        shape.push_back(static_cast<int64_t>(below->tuple()->size()));
        below = &below->tuple()->front();
    }
    const auto* parts = below->tuple();
    const DType type = sema::table_element(list);
    if (!parts) return Val::ssa(chosen_element(b, elements, row_major(b, shape, indices)), type);
    Val row = Val::list({});
    for (size_t i = 0; i < parts->size(); ++i) {
        std::vector<Val> inner = indices;
        inner.push_back(Val::index(static_cast<int64_t>(i)));
        row.parts.push_back(item(b, list, inner, elements));
    }
    return row;
}

}  // namespace

Val table_item(Body& b, const ast::Expr& e, const Static& list) {
    std::vector<const ast::Expr*> written;
    for (const auto* node = std::get_if<ast::Subscript>(&e.node); node;
         node = std::get_if<ast::Subscript>(&node->base->node)) {
        written.insert(written.begin(), node->indices[0]);
    }
    // Static indices at the front say which part of the list is meant.
    const Static* part = &list;
    std::vector<Val> indices;
    for (const ast::Expr* index : written) {
        const Val at = expression(b, *index);
        const auto number = at.is_fixed() ? at.fixed.integer() : std::nullopt;
        const bool inside =
            number && part->tuple() && *number >= 0 && *number < static_cast<int64_t>(part->tuple()->size());
        if (indices.empty() && inside) {
            part = &(*part->tuple())[static_cast<size_t>(*number)];
        } else {
            indices.push_back(at);
        }
    }
    if (indices.empty()) return Val::of(*part);
    const At at(b.emit, e.span);
    std::vector<ir::ValueId> elements;
    collect(b, *part, sema::table_element(*part), elements);
    return item(b, *part, indices, elements);
}

}  // namespace tsr::elaborate
