// Products: for each element of the result the summed letters in row-major order, each product and each partial sum
// rounded to the type of the accumulation.
#include <array>

#include "ir/eval/graph/operations.h"
#include "ir/law/reduction.h"
#include "ir/ops/graph.h"

namespace tsr::ir::eval::graph {

namespace {

// Of an operand: its extent and stride along each of some letters, 0 where it lacks the letter.
struct OperandAxes {
    PerAxis extents, strides;
};
OperandAxes axes_along(const TensorView& tensor, std::string_view letters, const std::string& wanted) {
    OperandAxes all;
    for (char letter : wanted) {
        const size_t axis = letters.find(letter);
        const bool has = axis != std::string_view::npos;
        all.extents.push_back(has ? tensor.shape()[axis] : 0);
        all.strides.push_back(has ? tensor.strides()[axis] : 0);
    }
    return all;
}

// Each letter's extent in the operand that has it.
PerAxis joint(const OperandAxes& a, const OperandAxes& b, std::string_view a_letters, const std::string& wanted) {
    PerAxis extents;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const bool in_a = a_letters.find(wanted[i]) != std::string_view::npos;
        extents.push_back(in_a ? a.extents[i] : b.extents[i]);
    }
    return extents;
}

}  // namespace

TsrSlot contract(const TensorOp& tensor_op) {
    const ContractOp op(tensor_op.function, tensor_op.id);
    const ContractOp::Letters letters = op.letters();
    const TensorView a = tensor_op.tensor(0), b = tensor_op.tensor(1);
    const DType type = op.accumulates();
    std::string kept(letters.result), summed;
    for (char letter : std::string(letters.a) + std::string(letters.b)) {
        if (kept.find(letter) == std::string::npos && summed.find(letter) == std::string::npos) summed += letter;
    }
    const OperandAxes a_kept = axes_along(a, letters.a, kept), b_kept = axes_along(b, letters.b, kept);
    const OperandAxes a_summed = axes_along(a, letters.a, summed), b_summed = axes_along(b, letters.b, summed);
    const PerAxis summed_extents = joint(a_summed, b_summed, letters.a, summed);
    const auto factor = [&](DType from, Bits bits) {
        if (!op.in_tf32()) return cast_scalar(from, type, bits);
        Bits rounded = 0;
        lane_ops().nearest_tf32(&rounded, &bits, nullptr, nullptr, 1);
        return cast_scalar(from, type, rounded);
    };
    const auto element = [&](int64_t a_offset, int64_t b_offset) {
        Bits sum = canonical(type, 0);
        for (IndexMaps at(summed_extents, {a_summed.strides, b_summed.strides}); !at.done(); at.next()) {
            const Bits left = factor(a.elem(), a.get(a_offset + at.offset(0)));
            const Bits right = factor(b.elem(), b.get(b_offset + at.offset(1)));
            const std::array operands{left, right, sum};
            sum = is_float(type) ? *fold(OpKind::fma, type, type, operands)
                                 : exactly(OpKind::add, type, sum, exactly(OpKind::mul, type, left, right));
        }
        return sum;
    };
    if (kept.empty()) {
        TsrSlot scalar{};
        scalar.bits = element(0, 0);
        return scalar;
    }
    const PerAxis shape = joint(a_kept, b_kept, letters.a, kept);
    NewTensor result(tensor_op.api, type, shape);
    for (IndexMaps at(shape, {a_kept.strides, b_kept.strides, result.strides()}); !at.done(); at.next()) {
        result.set(at.offset(2), element(at.offset(0), at.offset(1)));
    }
    return result.release();
}

}  // namespace tsr::ir::eval::graph
