#include "sema/elaborate/host_tensors.h"

#include "ir/passes/host/entries.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::ValueId;

Val host_view(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items, const sema::Type& type) {
    std::vector<ValueId> operands{tensor.id};
    std::vector<int64_t> codes;
    const auto add_number = [&](const Val& value) {
        codes.push_back(ir::index_integer);
        operands.push_back(b.index(value));
    };
    for (const ast::Expr* item : items) {
        if (std::holds_alternative<ast::NoneLiteral>(item->node)) {
            codes.push_back(ir::index_newaxis);
        } else if (std::holds_alternative<ast::EllipsisLiteral>(item->node)) {
            codes.push_back(ir::index_ellipsis);
        } else if (const auto* slice = std::get_if<ast::Slice>(&item->node)) {
            int64_t code = ir::index_slice;
            int64_t bit = 1;
            for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
                if (bound) {
                    code += bit;
                    operands.push_back(b.index(expression(b, *bound)));
                }
                bit *= 2;
            }
            codes.push_back(code);
        } else if (const Val value = expression(b, *item); value.has_elements()) {
            for (size_t i = 0; i < value.element_count(); ++i) add_number(value.element(i));
        } else {
            add_number(value);
        }
    }
    return Val::ssa(host(b, "view", std::move(operands), ir_type(type), {{Attr::codes, codes}}));
}

Val host_transpose(Body& b, const Val& tensor, const sema::Type& type) {
    return Val::ssa(host(b, "swap_last", {tensor.id}, ir_type(type)));
}

void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type, const ast::Expr* written) {
    const bool tensor = value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor;
    if (tensor) return host_effect(b, "assign", {view.id, value.id});
    if (value.has_elements()) return;
    host_effect(b, "fill", {view.id, stored_element(b, written, view.id, {}, value, type.elem())});
}

std::vector<ValueId> shape_values(Body& b, const Val& shape) {
    std::vector<ValueId> extents;
    if (!shape.has_elements()) return {b.index(shape)};
    for (size_t i = 0; i < shape.element_count(); ++i) extents.push_back(b.index(shape.element(i)));
    return extents;
}

}  // namespace tsr::elaborate
