#include "sema/elaborate/graph_products.h"

#include "ir/core/attribute.h"
#include "sema/elaborate/elements.h"
#include "sema/elaborate/types.h"
#include "sema/types/numeric.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using Shape = std::vector<ir::Dim>;

namespace {

// Along which axis of the joint shape each of a vector's two operands is repeated, and what is summed.
ValueId vector_product(Body& b, ValueId a, ValueId c) {
    const Shape left = b.type_of(a).shape, right = b.type_of(c).shape;
    const bool right_vector = right.size() == 1;
    const Shape& shape = right_vector ? left : right;
    const auto inner = static_cast<int64_t>(right_vector ? shape.size() - 1 : shape.size() - 2);
    ValueId& vector = right_vector ? c : a;
    if (shape.size() > 1) {
        vector = b.emit.inferred(OpKind::expand, {vector},
                                 {{Attr::axes, std::vector<int64_t>{inner}}, {Attr::shape, shape}});
    }
    const ValueId products = b.emit.inferred(OpKind::mul, {a, c});
    return b.emit.inferred(OpKind::reduce, {products},
                           {{Attr::op, static_cast<int64_t>(ir::ReduceOp::add)}, {Attr::axis, inner}});
}

std::string letters_of(size_t a_rank, size_t b_rank) {
    std::string batch;
    for (size_t i = 2; i < std::max(a_rank, b_rank); ++i) batch += static_cast<char>('a' + i - 2);
    const auto of = [&](size_t rank, const char* matrix) { return (rank > 2 ? batch : std::string()) + matrix; };
    return of(a_rank, "XZ") + "," + of(b_rank, "ZY") + "->" + batch + "XY";
}

}  // namespace

Val tensor_product(Body& b, const Val& lhs, const Val& rhs, DType compute, const sema::Type& type) {
    // Operands are rounded to the type that both have.
    const Val left = b.rounded(lhs), right = b.rounded(rhs);
    const DType joined = join(b.type_of(left.id).elem, b.type_of(right.id).elem).value_or(b.type_of(left.id).elem);
    const auto held = [&](const Val& value, DType in) { return b.emit.cast(value.id, in); };
    const size_t l_rank = b.type_of(left.id).rank(), r_rank = b.type_of(right.id).rank();
    if (l_rank == 1 || r_rank == 1)
        return Val::ssa(vector_product(b, held(left, compute), held(right, compute)), type.elem());
    ir::Attrs attrs{{Attr::type, compute}, {Attr::letters, letters_of(l_rank, r_rank)}};
    // Values of narrower floats are all of tf32.
    if (type.policy().compute_tf32 && joined == DType::f32) attrs.set_flag(Attr::tf32);
    return Val::ssa(b.emit.inferred(OpKind::contract, {held(left, joined), held(right, joined)}, std::move(attrs)),
                    type.elem());
}

}  // namespace tsr::elaborate
