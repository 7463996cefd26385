#include "sema/elaborate/host_tensors.h"

#include "ir/passes/host/entries.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/launch.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"

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
    if (sema::is_complex_tensor(type)) return host_effect(b, "assign", {view.id, tensor_of_number(b, value)});
    if (value.has_elements()) return;
    host_effect(b, "fill", {view.id, stored_element(b, written, view.id, {}, value, type.elem())});
}

Val host_reshape(Body& b, const Val& tensor, const sema::Type& type) {
    if (sema::is_complex_number(type)) return number_of_tensor(b, tensor.id);
    if (type.is_scalar()) return Val::ssa(host(b, "item", {tensor.id}, ir::Type::scalar(type.elem())), type.elem());
    std::vector<ValueId> operands{tensor.id};
    for (const ir::Dim& extent : type.shape()) operands.push_back(b.index(b.dimension(extent)));
    return Val::ssa(host(b, "reshape", std::move(operands), ir_type(type)));
}

Val host_split(Body& b, const ast::Expr& e, const sema::CallInfo& info) {
    const Val tensor = argument_value(b, info, 0);
    if (const auto checks = b.instance().extents.find(e.id); checks != b.instance().extents.end())
        check_declared_shape(b, checks->second);
    const size_t rank = b.info(*argument(b, info, 0)).type.rank();
    const size_t axis = movement_axis(b, info, 2, rank);
    Val parts = Val::tuple({});
    ir::Dim begin;
    for (const sema::Type& part : b.info(e).type.parts()) {
        const ir::Dim end = begin + part.shape()[axis];
        std::vector<int64_t> codes(axis, ir::index_slice);
        codes.push_back(ir::index_slice + 1 + 2);
        const std::vector<ValueId> operands{tensor.id, b.index(b.dimension(begin)), b.index(b.dimension(end))};
        parts.parts.push_back(Val::ssa(host(b, "view", operands, ir_type(part), {{Attr::codes, codes}})));
        begin = end;
    }
    return parts;
}

std::vector<ValueId> shape_values(Body& b, const Val& shape) {
    std::vector<ValueId> extents;
    if (!shape.has_elements()) return {b.index(shape)};
    for (size_t i = 0; i < shape.element_count(); ++i) extents.push_back(b.index(shape.element(i)));
    return extents;
}

}  // namespace tsr::elaborate
