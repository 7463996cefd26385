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

}  // namespace

Value* no_element_code(Build&, const ElementOp& op) {
    ir::internal_error("no code is emitted for `" + std::string(ir::name(op.kind)) + "` of " +
                       std::string(name(op.type)));
}

Value* emit_element(Build& build, const ElementOp& op) {
    if (op.kind == OpKind::select) return build.ir.CreateSelect(op.operands[0], op.operands[1], op.operands[2]);
    if (op.kind == OpKind::cast) return emit_cast(build, op.type, op.to, op.operands[0]);
    if (op.kind == OpKind::bitcast) return emit_bitcast(build, op.type, op.to, op.operands[0]);
    if (op.type == DType::boolean || is_integer(op.type)) return emit_integer(build, op);
    if (op.kind == OpKind::fma) return emit_fma(build, op.type, op.operands[0], op.operands[1], op.operands[2]);
    const bool in_f32 = !computes(build.machine, op.type) || (op.kind == OpKind::mod && op.type == DType::f16);
    return in_f32 ? through_f32(build, op) : emit_real(build, op);
}

}  // namespace tsr::codegen
