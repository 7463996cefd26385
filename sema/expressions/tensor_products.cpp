#include "sema/expressions/tensor_products.h"

#include <fmt/format.h>

#include "sema/expressions/operators.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/types/elements.h"

namespace tsr::sema {

namespace {

using Shape = std::vector<ir::Dim>;

// Extents of two axes that meet. False after a message; what only the run knows is noted.
bool meet(Body& b, const ast::Expr& le, const Value& l, size_t l_axis, const ast::Expr& re, const Value& r,
          size_t r_axis, Span op_span, std::vector<DimCheck>& checks) {
    const ir::Dim wanted = l.type.shape()[l_axis], found = r.type.shape()[r_axis];
    const ir::Equality equal = ir::compare(wanted, found);
    if (equal == ir::Equality::unknown) checks.push_back({0, r_axis, found, wanted, wanted.text(), std::nullopt, {}});
    if (equal != ir::Equality::different) return true;
    b.error("E0312", op_span,
            fmt::format("`@` of {} and {}: {} columns meet {} rows", shown(l.type), shown(r.type),
                        readable(wanted.text()), readable(found.text())))
        .label(le.span, shown(l.type))
        .label(re.span, shown(r.type));
    return false;
}

Shape batches(const Value& value) {
    Shape shape = value.type.shape();
    shape.resize(shape.size() < 2 ? 0 : shape.size() - 2);
    return shape;
}

}  // namespace

Value tensor_product(Body& b, const ast::Expr& at, const ast::Expr& le, const Value& l, const ast::Expr& re,
                     const Value& r, Span op_span) {
    if (!require_no_kernel(b, op_span, "`@`", {l, r})) return {};
    const auto has_axes = [](const Value& v) { return v.type.is(Kind::tensor) && v.type.rank() > 0; };
    if (!has_axes(l) || !has_axes(r)) {
        b.error("E0308", op_span, fmt::format("`@` is not defined for {} and {}", shown(l.type), shown(r.type)))
            .label(le.span, shown(l.type))
            .label(re.span, shown(r.type));
        return {};
    }
    Value left = l, right = r;  // one element of each
    left.type = element_type(l.type);
    right.type = element_type(r.type);
    const auto joined = operands_join(b, le, left, re, right, op_span, "`@`");
    if (!joined) return {};
    const DType elem = joined->elem();
    const bool narrow = is_integer(elem) && bits(elem) == 8;
    if (!narrow && (!is_float(elem) || is_storage_only(elem)))
        return b.refuse(Feature::graphs, op_span, fmt::format("`@` of {} is", name(elem)));
    std::vector<DimCheck> checks;
    const size_t l_inner = l.type.rank() - 1, r_inner = r.type.rank() < 2 ? 0 : r.type.rank() - 2;
    if (!meet(b, le, l, l_inner, re, r, r_inner, op_span, checks)) return {};
    const Shape l_batches = batches(l), r_batches = batches(r);
    Shape shape = l_batches.empty() ? r_batches : l_batches;
    if (!l_batches.empty() && !r_batches.empty()) {
        const bool alike = l_batches.size() == r_batches.size();
        for (size_t i = 0; alike && i < l_batches.size(); ++i) {
            const bool repeats = ir::compare(l_batches[i], r_batches[i]) == ir::Equality::different &&
                                 (l_batches[i] == ir::Dim::constant(1) || r_batches[i] == ir::Dim::constant(1));
            if (repeats) return b.refuse(Feature::graphs, op_span, "`@` that repeats a batch axis of one is");
            if (!meet(b, le, l, i, re, r, i, op_span, checks)) return {};
        }
        if (!alike) return b.refuse(Feature::graphs, op_span, "`@` of tensors with different numbers of batch axes is");
    }
    if (l.type.rank() > 1) shape.push_back(l.type.shape()[l.type.rank() - 2]);
    if (r.type.rank() > 1) shape.push_back(r.type.shape().back());
    if (!checks.empty()) b.instance.extents[at.id] = std::move(checks);
    Value result;
    result.compute = accumulation_type(elem, joined->policy());
    result.type = new_tensor(Type::scalar(accumulated_type(elem, joined->policy())).carrying(joined->policy()), shape);
    return result;
}

}  // namespace tsr::sema
