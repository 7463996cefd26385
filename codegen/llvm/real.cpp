// Element operations on floats.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/cast.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/gpu_functions.h"
#include "codegen/llvm/libm.h"
#include "codegen/llvm/narrow.h"
#include "codegen/llvm/remainder.h"
#include "codegen/llvm/types.h"
#include "ir/core/total.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;

using llvm::CmpInst;
using llvm::Instruction;
using llvm::Intrinsic::ID;

Value* constant(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

template <Instruction::BinaryOps opcode>
Value* emit_float_both(Build& build, const ElementOp& op) {
    return build.ir.CreateBinOp(opcode, op.lhs(), op.rhs());
}

template <CmpInst::Predicate predicate>
Value* emit_float_compare(Build& build, const ElementOp& op) {
    return build.ir.CreateFCmp(predicate, op.lhs(), op.rhs());
}

template <ID intrinsic>
Value* emit_intrinsic_of_one(Build& build, const ElementOp& op) {
    return build.ir.CreateUnaryIntrinsic(intrinsic, op.operand());
}

template <ID intrinsic>
Value* emit_intrinsic_of_two(Build& build, const ElementOp& op) {
    return build.ir.CreateBinaryIntrinsic(intrinsic, op.lhs(), op.rhs());
}

Value* emit_float_negation(Build& build, const ElementOp& op) { return build.ir.CreateFNeg(op.operand()); }

Value* emit_float_floordiv(Build& build, const ElementOp& op) {
    return build.ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, build.ir.CreateFDiv(op.lhs(), op.rhs()));
}

// Where they have not become formulas.
Value* emit_function(Build& build, const ElementOp& op) {
    return build.machine.has_libm ? emit_libm(build, op) : emit_gpu_function(build, op);
}

Value* emit_rsqrt(Build& build, const ElementOp& op) {
    if (!build.machine.has_libm && op.type == DType::f32) return emit_gpu_function(build, op);
    Value* root = build.ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, op.operand());
    return build.ir.CreateFDiv(constant(op.operand(), 1.0), root);
}

Value* emit_isnan(Build& build, const ElementOp& op) { return build.ir.CreateFCmpUNO(op.operand(), op.operand()); }

template <CmpInst::Predicate to_infinity>
Value* emit_magnitude_test(Build& build, const ElementOp& op) {
    Value* magnitude = build.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, op.operand());
    return build.ir.CreateFCmp(to_infinity, magnitude, llvm::ConstantFP::getInfinity(magnitude->getType()));
}

Value* emit_float_sign(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* x = op.operand();
    Value* zero = constant(x, 0.0);
    Value* sign = ir.CreateSelect(ir.CreateFCmpOLT(x, zero), constant(x, -1.0), zero);
    sign = ir.CreateSelect(ir.CreateFCmpOGT(x, zero), constant(x, 1.0), sign);
    return ir.CreateSelect(ir.CreateFCmpUNO(x, x), x, sign);
}

// The exact remainder, moved by the divisor where signs differ; a zero has the sign of the divisor.
Value* emit_float_mod(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* x = op.lhs();
    Value* y = op.rhs();
    Value* rest = build.machine.has_libm ? ir.CreateFRem(x, y) : emit_remainder(build, x, y);
    Value* zero = constant(x, 0.0);
    Value* signs_differ = ir.CreateXor(ir.CreateFCmpOLT(rest, zero), ir.CreateFCmpOLT(y, zero));
    Value* moved = ir.CreateSelect(signs_differ, ir.CreateFAdd(rest, y), rest);
    Value* signed_zero = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, y);
    return ir.CreateSelect(ir.CreateFCmpOEQ(rest, zero), signed_zero, moved);
}

// What each operation becomes, on floats.
#define TSR_FUNCTION(op) {OpKind::op, emit_function},
constexpr ir::Row<EmitElement> kOfFloats[]{
    {OpKind::add, emit_float_both<Instruction::FAdd>},
    {OpKind::sub, emit_float_both<Instruction::FSub>},
    {OpKind::mul, emit_float_both<Instruction::FMul>},
    {OpKind::div, emit_float_both<Instruction::FDiv>},
    {OpKind::floordiv, emit_float_floordiv},
    {OpKind::mod, emit_float_mod},
    {OpKind::neg, emit_float_negation},
    {OpKind::minimum, emit_intrinsic_of_two<llvm::Intrinsic::minimum>},
    {OpKind::maximum, emit_intrinsic_of_two<llvm::Intrinsic::maximum>},
    {OpKind::bit_and, no_element_code},
    {OpKind::bit_or, no_element_code},
    {OpKind::bit_xor, no_element_code},
    {OpKind::bit_not, no_element_code},
    {OpKind::shl, no_element_code},
    {OpKind::shr, no_element_code},
    {OpKind::eq, emit_float_compare<CmpInst::FCMP_OEQ>},
    {OpKind::ne, emit_float_compare<CmpInst::FCMP_UNE>},
    {OpKind::lt, emit_float_compare<CmpInst::FCMP_OLT>},
    {OpKind::le, emit_float_compare<CmpInst::FCMP_OLE>},
    {OpKind::gt, emit_float_compare<CmpInst::FCMP_OGT>},
    {OpKind::ge, emit_float_compare<CmpInst::FCMP_OGE>},
    // These are emitted for all types alike (element.cpp, fma.cpp, table.cpp).
    {OpKind::fma, no_element_code},
    {OpKind::select, no_element_code},
    {OpKind::cast, no_element_code},
    {OpKind::bitcast, no_element_code},
    {OpKind::table, no_element_code},

    TSR_LIBRARY_OPS(TSR_FUNCTION){OpKind::rsqrt, emit_rsqrt},
    {OpKind::sign, emit_float_sign},
    {OpKind::isnan, emit_isnan},
    {OpKind::isinf, emit_magnitude_test<CmpInst::FCMP_OEQ>},
    {OpKind::isfinite, emit_magnitude_test<CmpInst::FCMP_OLT>},
    {OpKind::abs, emit_intrinsic_of_one<llvm::Intrinsic::fabs>},
    {OpKind::sqrt, emit_intrinsic_of_one<llvm::Intrinsic::sqrt>},
    {OpKind::floor, emit_intrinsic_of_one<llvm::Intrinsic::floor>},
    {OpKind::ceil, emit_intrinsic_of_one<llvm::Intrinsic::ceil>},
    {OpKind::round, emit_intrinsic_of_one<llvm::Intrinsic::roundeven>},
    {OpKind::trunc, emit_intrinsic_of_one<llvm::Intrinsic::trunc>},
    {OpKind::cut, no_element_code},
    {OpKind::dither, no_element_code},
    {OpKind::philox, no_element_code},
};
#undef TSR_FUNCTION
constexpr ir::Total<kOfFloats, ir::kElementFamily> kFloatCode;

}  // namespace

Value* emit_real(Build& build, const ElementOp& op) { return kFloatCode[op.kind].answer(build, op); }

}  // namespace tsr::codegen
