#include "codegen/llvm/element.h"

#include <array>

#include "codegen/llvm/cast.h"
#include "codegen/llvm/types.h"
#include "ir/core/internal.h"
#include "ir/ops/record.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;

// f16 and bf16 where the machine has no arithmetic of theirs: in f32 and back. One rounding to 24 bits before one to 11
// or 8 changes nothing for + - * / sqrt (Figueroa, "When is double rounding innocuous?", 1995).
Value* through_f32(Build& build, const ElementOp& op) {
    if (op.kind == OpKind::floordiv) {
        // The floor is that of the quotient as the type holds it.
        Value* const quotient[] = {through_f32(build, {OpKind::div, op.type, op.to, op.operands})};
        return through_f32(build, {OpKind::floor, op.type, op.to, quotient});
    }
    std::array<Value*, 3> wide{};
    for (size_t i = 0; i < op.operands.size(); ++i) wide[i] = emit_cast(build, op.type, DType::f32, op.operands[i]);
    Value* result = emit_real(build, {op.kind, DType::f32, op.to, std::span(wide.data(), op.operands.size())});
    const bool is_truth = result->getType()->isIntOrIntVectorTy(1);  // of a comparison
    return is_truth ? result : emit_cast(build, DType::f32, op.type, result);
}

bool computes(const Machine& machine, DType type) {
    return type == DType::f32 || type == DType::f64 || (type == DType::f16 && machine.computes_f16);
}

// The operands of an operation that has three, in the order of its record.
std::array<Value*, 3> three(const ElementOp& op) {
    std::array<Value*, 3> all{};
    std::ranges::copy(op.operands, all.begin());
    return all;
}

}  // namespace

Value* no_element_code(Build&, const ElementOp& op) {
    ir::internal_error("no code is emitted for `" + std::string(ir::name(op.kind)) + "` of " +
                       std::string(name(op.type)));
}

Value* emit_element(Build& build, const ElementOp& op) {
    if (op.kind == OpKind::select) {
        const auto [condition, then, otherwise] = three(op);
        return build.ir.CreateSelect(condition, then, otherwise);
    }
    if (op.kind == OpKind::cast) return emit_cast(build, op.type, op.to, op.operand());
    if (op.kind == OpKind::bitcast) return emit_bitcast(build, op.type, op.to, op.operand());
    if (op.type == DType::boolean || is_integer(op.type)) return emit_integer(build, op);
    if (op.kind == OpKind::fma) {
        const auto [factor, other, addend] = three(op);
        return emit_fma(build, op.type, factor, other, addend);
    }
    const bool in_f32 = !computes(build.machine, op.type) || (op.kind == OpKind::mod && op.type == DType::f16);
    return in_f32 ? through_f32(build, op) : emit_real(build, op);
}

}  // namespace tsr::codegen
