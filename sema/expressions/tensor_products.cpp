#include "sema/expressions/tensor_products.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/operators.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/types/elements.h"
#include "sema/values/declared_values.h"

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
    const bool inner = l_axis + 1 == l.type.rank();
    const std::string clash = inner ? "{} columns meet {} rows" : "batch axes of {} and {} elements";
    const std::string numbers = fmt::format(fmt::runtime(clash), readable(wanted.text()), readable(found.text()));
    b.error("E0312", op_span, fmt::format("`@` of {} and {}: {}", shown(l.type), shown(r.type), numbers))
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

std::optional<Type> factors_join(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r,
                                 Span op_span, const std::string& what) {
    const bool numbers = l.type.is_number() && r.type.is_number();
    if (numbers && !join(l.type.elem(), r.type.elem()) && !policy_conflict(l.type.policy(), r.type.policy())) {
        const auto product = product_type(l.type.elem(), r.type.elem());
        if (product && keeps_factors(*product))
            return Type::scalar(*product).carrying(join_policies(l.type.policy(), r.type.policy()));
    }
    return operands_join(b, le, l, re, r, op_span, what);
}

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
    const auto joined = factors_join(b, le, left, re, right, op_span, "`@`");
    if (!joined) return {};
    const DType elem = joined->elem();
    if (!is_integer(elem) && !is_float(elem))
        return b.refuse(Feature::graphs, op_span, fmt::format("`@` of {} is", name(elem)));
    std::vector<DimCheck> checks;
    const size_t l_inner = l.type.rank() - 1, r_inner = r.type.rank() < 2 ? 0 : r.type.rank() - 2;
    if (!meet(b, le, l, l_inner, re, r, r_inner, op_span, checks)) return {};
    const Shape l_batches = batches(l), r_batches = batches(r);
    Shape shape = l_batches.size() < r_batches.size() ? r_batches : l_batches;
    // From the last axis; an axis of one element is repeated.
    for (size_t i = 1; i <= std::min(l_batches.size(), r_batches.size()); ++i) {
        const size_t l_axis = l_batches.size() - i, r_axis = r_batches.size() - i;
        const ir::Dim one = ir::Dim::constant(1);
        if (l_batches[l_axis] == one || r_batches[r_axis] == one) {
            shape[shape.size() - i] = l_batches[l_axis] == one ? r_batches[r_axis] : l_batches[l_axis];
        } else if (!meet(b, le, l, l_axis, re, r, r_axis, op_span, checks)) {
            return {};
        }
    }
    if (l.type.rank() > 1) shape.push_back(l.type.shape()[l.type.rank() - 2]);
    if (r.type.rank() > 1) shape.push_back(r.type.shape().back());
    if (!checks.empty()) b.instance.extents[at.id] = std::move(checks);
    Value result;
    result.compute = accumulation_type(elem, joined->policy());
    result.type = new_tensor(Type::scalar(accumulated_type(elem, joined->policy())).carrying(joined->policy()), shape);
    choose_declared(b, at, result);
    return result;
}

}  // namespace tsr::sema
