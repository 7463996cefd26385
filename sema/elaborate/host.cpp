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

// ---- lists ----

namespace {

enum ListItems : int64_t { kTensors = 0, kScalars = 1, kStrings = 2 };  // TsrKind

int64_t items_of(const ir::Type& list) { return list.width == 0 ? kScalars : list.width == 1 ? kTensors : kStrings; }

}  // namespace

ValueId empty_list(Body& b, const ir::Type& type, int64_t capacity) {
    return host(b, "list", {b.emit.constant(capacity, DType::index)}, type,
                {{Attr::count, items_of(type)}, {Attr::type, type.elem}});
}

ValueId make_list(Body& b, const Val& elements, const sema::Type& type) {
    if (elements.is_ssa()) return elements.id;
    const size_t count = elements.has_elements() ? elements.element_count() : 0;
    const ValueId list = empty_list(b, ir_type(type), static_cast<int64_t>(count));
    // A list of lists is only ever read by static positions, from its elements: the runtime has none.
    if (type.parts()[0].is(Kind::list)) return list;
    for (size_t i = 0; i < count; ++i) append_to_list(b, Val::ssa(list), elements.element(i), type.parts()[0]);
    return list;
}

ValueId list_length(Body& b, ValueId list) { return host(b, "list_length", {list}, ir::Type::scalar(DType::index)); }

Val list_element(Body& b, ValueId list, const Val& index, const sema::Type& element) {
    const ir::Type type = ir_type(element);
    return Val::ssa(host(b, "list_get", {list, b.index(index)}, type),
                    type.is_scalar() ? std::optional(type.elem) : std::nullopt);
}

void set_list_element(Body& b, ValueId list, const Val& index, const Val& value, const sema::Type& element) {
    host_effect(b, "list_set", {list, b.index(index), b.handle(b.coerce(b.rounded(value), element), element)});
}

void append_to_list(Body& b, const Val& list, const Val& value, const sema::Type& element) {
    host_effect(b, "list_append", {list.id, b.handle(b.coerce(b.rounded(value), element), element)});
}

Val host_args(Body& b, const sema::Type& type) {
    const ir::Type held = type.is(Kind::list) ? ir_type(type) : ir::Type::list(ir::Type::string());
    return Val::ssa(host(b, "args", {}, held));
}

namespace {

// A list that grows in a loop.
Val runtime_comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& node, const sema::ForInfo& info) {
    const sema::Type& type = b.info(e).type;
    const Val list = Val::ssa(empty_list(b, ir_type(type), 0));
    const std::function<void(size_t)> element = [&](size_t condition) {
        if (condition == node.conditions.size()) {
            return append_to_list(b, list, expression(b, *node.element), type.parts()[0]);
        }
        const Val holds = expression(b, *node.conditions[condition]);
        if (holds.is_fixed_bool(false)) return;
        if (holds.is_fixed_bool(true)) return element(condition + 1);
        Body::OpenIf open = b.open_if(b.truth(holds));
        b.in_side(open, 0, [&] { element(condition + 1); });
        b.close_if(open);
    };
    for_each_round(b, e, info, [&] { element(0); });
    return list;
}

}  // namespace

// In kernels and of static iterables the elements by name; each round's allocations are its own.
Val list_comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& node) {
    Val list = Val::list({});
    const auto found = b.instance().comprehensions.find(e.id);
    if (found == b.instance().comprehensions.end()) return list;
    if (!b.in_kernel()) return runtime_comprehension(b, e, node, found->second);
    const std::string path = b.site_path;
    int64_t round = 0;
    for_each_round(b, e, found->second, [&] {
        b.site_path = path + "#" + std::to_string(round++);
        for (const ast::Expr* condition : node.conditions) {
            if (expression(b, *condition).is_fixed_bool(false)) return;
        }
        list.parts.push_back(expression(b, *node.element));
    });
    b.site_path = path;
    return list;
}

// ---- tensors ----

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

Val host_transpose(Body& b, const Val& tensor, const sema::Type& type) {
    return Val::ssa(host(b, "swap_last", {tensor.id}, ir_type(type)));
}

void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type) {
    const bool tensor = value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor;
    if (tensor) return host_effect(b, "assign", {view.id, value.id});
    if (value.has_elements()) return;
    host_effect(b, "fill", {view.id, b.scalar(b.rounded(value), type.elem())});
}

// ---- progress lines ----

ValueId progress_begin(Body& b, const Val& label, const Val& total) {
    return host(b, "progress_begin", {b.handle(label, sema::Type::string()), b.index(total)},
                ir::Type::scalar(DType::u64));
}
void progress_step(Body& b, ValueId line) { host_effect(b, "progress_step", {line}); }
void progress_end(Body& b, ValueId line) { host_effect(b, "progress_end", {line}); }

}  // namespace tsr::elaborate
