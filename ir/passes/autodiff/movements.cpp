#include "ir/passes/autodiff/movements.h"

#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

namespace {

// Roles of operands, as the records have them: value, then what the operation takes beside it, then where it begins.
constexpr size_t kValue = 0;
constexpr size_t kSliceStarts = 1;
constexpr size_t kOtherStarts = 2;  // behind the fill of `pad`, the block of `update`

const Type& operand_type(const Builder& at, OpId op, size_t operand) {
    return at.function().type(at.function().op(op).operands[operand]);
}

Values starts_of(const Builder& at, OpId op, size_t from) {
    const Values& operands = at.function().op(op).operands;
    return {operands.begin() + static_cast<std::ptrdiff_t>(from), operands.end()};
}

Values with_starts(Values first, const Values& starts) {
    first.insert(first.end(), starts.begin(), starts.end());
    return first;
}

// Of the operation, without its shape.
Attrs steps_of(const Builder& at, OpId op) {
    const Attrs& attrs = at.function().op(op).attrs;
    return attrs.has(Attr::steps) ? Attrs{{Attr::steps, attrs.integers(Attr::steps)}} : Attrs{};
}

// The operand's tangent; where it does not move, zeros.
ValueId tangent_of(Builder& at, OpId op, const Tangents& tangents, size_t operand, DType type) {
    return tangents[operand] ? *tangents[operand] : zeros_of(at, operand_type(at, op, operand).with(type));
}

DType elem_of(const Builder& at, const Tangents& tangents) {
    for (const auto& tangent : tangents) {
        if (tangent) return at.function().type(*tangent).elem;
    }
    return DType::f32;
}

}  // namespace

ValueId reshape_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    return at.value(OpKind::reshape, {g}, {{Attr::shape, operand_type(at, op, kValue).shape}});
}

// Zeros with the cotangent in place of the block.
ValueId slice_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    const ValueId zeros = zeros_of(at, operand_type(at, op, kValue).with(at.function().type(g).elem));
    return at.value(OpKind::update, with_starts({zeros, g}, starts_of(at, op, kSliceStarts)), steps_of(at, op));
}

ValueId slice_tangent(Builder& at, OpId op, const Tangents& tangents) {
    return at.value(OpKind::slice, with_starts({*tangents[kValue]}, starts_of(at, op, kSliceStarts)),
                    at.function().op(op).attrs);
}

// Of the value: the cotangent moved back, also where a part of the value was cut off. Of the fill: the sum outside.
ValueId pad_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const Type value = operand_type(at, op, kValue).with(at.function().type(g).elem);
    const Values starts = starts_of(at, op, kOtherStarts);
    if (operand == kValue) {
        Values back;
        for (const ValueId start : starts) back.push_back(at.neg(start));
        return at.value(OpKind::pad, with_starts({g, at.constant(0.0, value.elem)}, back),
                        {{Attr::shape, value.shape}});
    }
    const Values marked{zeros_of(at, value), at.constant(1.0, value.elem)};
    ValueId sum = at.mul(g, at.value(OpKind::pad, with_starts(marked, starts), at.function().op(op).attrs));
    for (size_t axis = at.function().type(sum).rank(); axis-- > 0;) {
        sum = at.value(OpKind::reduce, {sum},
                       {{Attr::op, static_cast<int64_t>(ReduceOp::add)}, {Attr::axis, static_cast<int64_t>(axis)}});
    }
    return sum;
}

ValueId pad_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const DType type = elem_of(at, tangents);
    const Values moved{tangent_of(at, op, tangents, 0, type), tangent_of(at, op, tangents, 1, type)};
    return at.value(OpKind::pad, with_starts(moved, starts_of(at, op, kOtherStarts)), at.function().op(op).attrs);
}

ValueId concat_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const auto axis = static_cast<size_t>(at.function().op(op).attrs.integer(Attr::axis));
    const std::vector<Dim> shape = operand_type(at, op, operand).shape;
    Dim before = Dim::constant(0);
    for (size_t i = 0; i < operand; ++i) before = before + operand_type(at, op, i).shape[axis];
    Values taken{g};
    for (size_t i = 0; i < shape.size(); ++i) taken.push_back(i == axis ? at.dim(before) : at.index(0));
    return at.value(OpKind::slice, std::move(taken), {{Attr::shape, shape}});
}

ValueId concat_tangent(Builder& at, OpId op, const Tangents& tangents) {
    Values moved;
    for (size_t i = 0; i < tangents.size(); ++i)
        moved.push_back(tangent_of(at, op, tangents, i, elem_of(at, tangents)));
    return at.value(OpKind::concat, std::move(moved), at.function().op(op).attrs);
}

// Of the value: the cotangent without the block. Of the block: what stands there.
ValueId update_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const Type block = operand_type(at, op, 1).with(at.function().type(g).elem);
    const Values starts = starts_of(at, op, kOtherStarts);
    if (operand == kValue)
        return at.value(OpKind::update, with_starts({g, zeros_of(at, block)}, starts), steps_of(at, op));
    Attrs attrs = steps_of(at, op);
    attrs.set(Attr::shape, block.shape);
    return at.value(OpKind::slice, with_starts({g}, starts), std::move(attrs));
}

ValueId update_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const DType type = elem_of(at, tangents);
    const Values moved{tangent_of(at, op, tangents, 0, type), tangent_of(at, op, tangents, 1, type)};
    return at.value(OpKind::update, with_starts(moved, starts_of(at, op, kOtherStarts)), steps_of(at, op));
}

}  // namespace tsr::ir::autodiff
