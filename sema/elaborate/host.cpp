#include "sema/elaborate/host.h"

#include "ir/passes/host/entries.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/expressions.h"
#include "sema/elaborate/statements.h"
#include "sema/elaborate/text.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Kind;

ValueId host(Body& b, const std::string& entry, std::vector<ValueId> operands, const ir::Type& result,
             ir::Attrs attrs) {
    attrs.set(Attr::callee, entry);
    return b.emit.value(OpKind::host, std::move(operands), result, std::move(attrs));
}

void host_effect(Body& b, const std::string& entry, std::vector<ValueId> operands, ir::Attrs attrs) {
    attrs.set(Attr::callee, entry);
    b.emit.op(OpKind::host, std::move(operands), {}, std::move(attrs));
}

// ---- tensors ----

Val host_args(Body& b, const sema::Type& type) {
    const ir::Type held = type.is(Kind::list) ? ir_type(type) : ir::Type::list(ir::Type::string());
    return Val::ssa(host(b, "args", {}, held));
}

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
    return Val::ssa(host(b, "view", std::move(operands), ir_type(type), {{Attr::axes, codes}}));
}

ir::ValueId whole_view(Body& b, ir::ValueId tensor, const ir::Type& type) {
    return host(b, "view", {tensor}, type, {{ir::Attr::axes, std::vector<int64_t>{ir::index_ellipsis}}});
}

Val host_transpose(Body& b, const Val& tensor, const sema::Type& type) {
    return Val::ssa(host(b, "swap_last", {tensor.id}, ir_type(type)));
}

void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type, const Storage& storage) {
    const bool tensor = value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor;
    if (tensor) return host_effect(b, "assign", {view.id, value.id});
    if (value.has_elements()) return;
    host_effect(b, "fill", {view.id, stored_element(b, storage, view.id, {}, value, type.elem())});
}

// ---- progress lines ----

ValueId progress_begin(Body& b, const Val& label, const Val& total) {
    return host(b, "progress_begin", {b.handle(label, sema::Type::string()), b.index(total)},
                ir::Type::scalar(DType::u64));
}
void progress_step(Body& b, ValueId line) { host_effect(b, "progress_step", {line}); }
void progress_end(Body& b, ValueId line) { host_effect(b, "progress_end", {line}); }

}  // namespace tsr::elaborate
