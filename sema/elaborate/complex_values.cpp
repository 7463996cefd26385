#include "sema/elaborate/complex_values.h"

#include <utility>

#include "sema/elaborate/host.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;

const sema::Type& parts_of_complex() {
    static const sema::Type parts = sema::Type::tuple({sema::Type::scalar(DType::f32), sema::Type::scalar(DType::f32)});
    return parts;
}

ir::Type paired(ir::Type type) {
    if (type.kind != ir::TypeKind::tensor || type.elem != DType::c64) return type;
    type.elem = DType::f32;
    type.shape.push_back(Dim::constant(2));
    return type;
}

ir::Type held_type(Body& b, const sema::Type& type) {
    return b.function().level == ir::Level::host ? ir_type(type) : paired(ir_type(type));
}

Val complex_number(Body& b, const Val& value) {
    if (value.has_elements()) {
        return Val::tuple({b.coerce(value.element(0), DType::f32), b.coerce(value.element(1), DType::f32)});
    }
    return Val::tuple({b.coerce(b.rounded(value), DType::f32), Val::of(sema::Static::of(0.0), DType::f32)});
}

ValueId pairs_of(Body& b, ValueId tensor) {
    const ir::Type type = b.type_of(tensor);
    if (type.kind != ir::TypeKind::tensor || type.elem != DType::c64) return tensor;
    return host(b, "view_as_real", {tensor}, paired(type));
}

ValueId of_pairs(Body& b, ValueId pairs, const sema::Type& type) {
    return host(b, "view_as_complex", {pairs}, ir_type(type));
}

ValueId conjugated(Body& b, ValueId leaf, ComplexLeaf is) {
    if (is == ComplexLeaf::none) return leaf;
    const ValueId negated = b.emit.inferred(OpKind::neg, {leaf});
    if (is == ComplexLeaf::imaginary) return negated;
    const std::vector<Dim> shape = b.type_of(leaf).shape;
    const std::vector<Dim> two{Dim::constant(2)};
    const ValueId part = b.emit.inferred(OpKind::positions, {}, {{Attr::shape, two}, {Attr::type, DType::i64}});
    const ValueId zero = b.emit.inferred(OpKind::full, {b.emit.constant(int64_t{0}, DType::i64)}, {{Attr::shape, two}});
    const ValueId real = b.emit.inferred(
        OpKind::expand, {b.emit.inferred(OpKind::eq, {part, zero})},
        {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(shape.size()) - 1}}, {Attr::shape, shape}});
    return b.emit.inferred(OpKind::select, {real, leaf, negated});
}

ValueId transposed_pairs(Body& b, ValueId pairs) {
    std::vector<int64_t> axes;
    for (size_t axis = 0; axis < b.type_of(pairs).rank(); ++axis) axes.push_back(static_cast<int64_t>(axis));
    std::swap(axes[axes.size() - 2], axes[axes.size() - 3]);
    return b.emit.inferred(OpKind::transpose, {pairs}, {{Attr::axes, axes}});
}

ValueId pair_of_parts(Body& b, const Val& value) {
    if (value.is_ssa() && b.type_of(value.id).rank() > 0) return value.id;
    const Val parts = complex_number(b, value);
    std::vector<ValueId> items;
    for (const Val& part : parts.parts) {
        items.push_back(b.emit.inferred(OpKind::full, {b.scalar(part, DType::f32)},
                                        {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}}));
    }
    return b.emit.inferred(OpKind::concat, std::move(items),
                           {{Attr::axis, int64_t{0}}, {Attr::shape, std::vector<Dim>{Dim::constant(2)}}});
}

Val parts_of_pair(Body& b, ValueId pair) {
    Val parts = Val::tuple({});
    for (int64_t part = 0; part < 2; ++part) {
        const ValueId at = b.emit.constant(part, DType::index);
        const ValueId item =
            b.emit.inferred(OpKind::slice, {pair, at}, {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}});
        const ValueId number = b.emit.inferred(OpKind::reshape, {item}, {{Attr::shape, std::vector<Dim>{}}});
        parts.parts.push_back(Val::ssa(number, DType::f32));
    }
    return parts;
}

ValueId tensor_of_number(Body& b, const Val& value) {
    const Val parts = complex_number(b, value);
    const ir::Type pair = ir::Type::tensor(DType::f32, {Dim::constant(2)}, true);
    const ValueId values =
        host(b, "from_values", {b.scalar(parts.element(0), DType::f32), b.scalar(parts.element(1), DType::f32)}, pair,
             {{Attr::type, DType::f32}, {Attr::extents, std::vector<int64_t>{2}}});
    return host(b, "view_as_complex", {values}, ir::Type::tensor(DType::c64, {}, true));
}

Val number_of_tensor(Body& b, ValueId tensor) {
    const ir::Type flat = ir::Type::tensor(DType::c64, {Dim::constant(1)}, false);
    const ValueId one = host(b, "reshape", {tensor, b.emit.constant(int64_t{1}, DType::index)}, flat);
    return read_complex(b, Val::ssa(one), {Val::index(0)});
}

namespace {

// Where the two parts of an element stand: one index more than the tensor of complex numbers has.
template <class Do>
void for_parts(std::vector<Val> indices, const Do& act) {
    indices.emplace_back();
    for (int64_t part = 0; part < 2; ++part) {
        indices.back() = Val::index(part);
        act(static_cast<size_t>(part), indices);
    }
}

}  // namespace

Val read_complex(Body& b, const Val& memory, std::vector<Val> indices) {
    const ValueId pairs = pairs_of(b, b.memory(memory));
    Val parts = Val::tuple({});
    for_parts(std::move(indices), [&](size_t, const std::vector<Val>& at) {
        std::vector<ValueId> operands{pairs};
        for (const Val& index : at) operands.push_back(b.index(index));
        parts.parts.push_back(Val::ssa(b.emit.inferred(OpKind::read, std::move(operands)), DType::f32));
    });
    return parts;
}

void write_complex(Body& b, const Val& memory, std::vector<Val> indices, const Val& value) {
    const ValueId pairs = pairs_of(b, b.memory(memory));
    const Val parts = complex_number(b, value);
    for_parts(std::move(indices), [&](size_t part, const std::vector<Val>& at) {
        std::vector<ValueId> operands{pairs, b.scalar(parts.element(part), DType::f32)};
        for (const Val& index : at) operands.push_back(b.index(index));
        b.emit.op(OpKind::write, std::move(operands));
    });
}

}  // namespace tsr::elaborate
