// Element operations on integers and bool.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/element.h"
#include "ir/core/total.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;
using llvm::Intrinsic::ID;

// By the width or more (also what a negative amount is, read unsigned): 0, and all sign bits for `shr` of a signed one.
Value* emit_shift(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* value = op.lhs();
    Value* amount = op.rhs();
    const unsigned width = value->getType()->getScalarSizeInBits();
    Value* inside = ir.CreateICmpULT(amount, llvm::ConstantInt::get(amount->getType(), width));
    if (op.kind == OpKind::shr && is_signed(op.type)) {
        Value* last = llvm::ConstantInt::get(amount->getType(), width - 1);
        return ir.CreateAShr(value, ir.CreateSelect(inside, amount, last));
    }
    // The shift is not poison where it is not chosen: its amount is made legal first.
    Value* zero = llvm::Constant::getNullValue(value->getType());
    Value* legal = ir.CreateSelect(inside, amount, zero);
    if (width == 64 && build.machine.cuts_shifts) {
        Value* last = llvm::ConstantInt::get(amount->getType(), width - 1);
        legal = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last);
    }
    Value* shifted = op.kind == OpKind::shl ? ir.CreateShl(value, legal) : ir.CreateLShr(value, legal);
    return ir.CreateSelect(inside, shifted, zero);
}

Value* emit_sign(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* type = op.operand()->getType();
    Value* zero = llvm::Constant::getNullValue(type);
    if (!is_signed(op.type)) return ir.CreateZExt(ir.CreateICmpNE(op.operand(), zero), type);
    Value* positive = ir.CreateZExt(ir.CreateICmpSGT(op.operand(), zero), type);
    return ir.CreateSelect(ir.CreateICmpSLT(op.operand(), zero), llvm::ConstantInt::getSigned(type, -1), positive);
}

// Square and multiply, one step per bit of the exponent; a known exponent leaves only its own products. A negative
// power is the reciprocal rounded toward zero: 1 of 1, 1 or -1 of -1, else 0.
Value* emit_power(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* base = op.lhs();
    Value* exponent = op.rhs();
    llvm::Type* type = base->getType();
    Value* zero = llvm::Constant::getNullValue(type);
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* result = one;
    Value* power = base;
    const unsigned steps = type->getScalarSizeInBits() - (is_signed(op.type) ? 1 : 0);
    for (unsigned bit = 0; bit < steps; ++bit) {
        Value* set = ir.CreateICmpNE(ir.CreateAnd(exponent, llvm::ConstantInt::get(type, 1ULL << bit)), zero);
        result = ir.CreateSelect(set, ir.CreateMul(result, power), result);
        power = ir.CreateMul(power, power);
    }
    if (!is_signed(op.type)) return result;
    Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
    Value* odd = ir.CreateICmpNE(ir.CreateAnd(exponent, one), zero);
    Value* reciprocal = ir.CreateZExt(ir.CreateICmpEQ(base, one), type);
    reciprocal = ir.CreateSelect(ir.CreateICmpEQ(base, minus_one), ir.CreateSelect(odd, minus_one, one), reciprocal);
    return ir.CreateSelect(ir.CreateICmpSLT(exponent, zero), reciprocal, result);
}

using llvm::CmpInst;
using llvm::Instruction;

template <Instruction::BinaryOps opcode>
Value* emit_both(Build& build, const ElementOp& op) {
    return build.ir.CreateBinOp(opcode, op.lhs(), op.rhs());
}

// The first of integers with a sign, the second of those without and of bool.
template <CmpInst::Predicate with_sign, CmpInst::Predicate without>
Value* emit_compare(Build& build, const ElementOp& op) {
    return build.ir.CreateICmp(is_signed(op.type) ? with_sign : without, op.lhs(), op.rhs());
}

template <ID with_sign, ID without>
Value* emit_smaller_or_greater(Build& build, const ElementOp& op) {
    return build.ir.CreateBinaryIntrinsic(is_signed(op.type) ? with_sign : without, op.lhs(), op.rhs());
}

Value* emit_negation(Build& build, const ElementOp& op) { return build.ir.CreateNeg(op.operand()); }

Value* emit_complement(Build& build, const ElementOp& op) { return build.ir.CreateNot(op.operand()); }

Value* emit_quotient(Build& build, const ElementOp& op) { return emit_floordiv(build, op.type, op.lhs(), op.rhs()); }

Value* emit_rest(Build& build, const ElementOp& op) { return emit_mod(build, op.type, op.lhs(), op.rhs()); }

Value* emit_magnitude(Build& build, const ElementOp& op) {
    if (!is_signed(op.type)) return op.operand();
    return build.ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, op.operand(), build.ir.getFalse());
}

// What each operation becomes, on integers and bool.
constexpr ir::Row<EmitElement> kOfIntegers[]{
    {OpKind::add, emit_both<Instruction::Add>},
    {OpKind::sub, emit_both<Instruction::Sub>},
    {OpKind::mul, emit_both<Instruction::Mul>},
    {OpKind::div, no_element_code},
    {OpKind::floordiv, emit_quotient},
    {OpKind::mod, emit_rest},
    {OpKind::neg, emit_negation},
    {OpKind::fma, no_element_code},
    {OpKind::minimum, emit_smaller_or_greater<llvm::Intrinsic::smin, llvm::Intrinsic::umin>},
    {OpKind::maximum, emit_smaller_or_greater<llvm::Intrinsic::smax, llvm::Intrinsic::umax>},
    {OpKind::bit_and, emit_both<Instruction::And>},
    {OpKind::bit_or, emit_both<Instruction::Or>},
    {OpKind::bit_xor, emit_both<Instruction::Xor>},
    {OpKind::bit_not, emit_complement},
    {OpKind::shl, emit_shift},
    {OpKind::shr, emit_shift},
    {OpKind::eq, emit_compare<CmpInst::ICMP_EQ, CmpInst::ICMP_EQ>},
    {OpKind::ne, emit_compare<CmpInst::ICMP_NE, CmpInst::ICMP_NE>},
    {OpKind::lt, emit_compare<CmpInst::ICMP_SLT, CmpInst::ICMP_ULT>},
    {OpKind::le, emit_compare<CmpInst::ICMP_SLE, CmpInst::ICMP_ULE>},
    {OpKind::gt, emit_compare<CmpInst::ICMP_SGT, CmpInst::ICMP_UGT>},
    {OpKind::ge, emit_compare<CmpInst::ICMP_SGE, CmpInst::ICMP_UGE>},
    // These are emitted for all types alike (element.cpp, table.cpp).
    {OpKind::select, no_element_code},
    {OpKind::cast, no_element_code},
    {OpKind::bitcast, no_element_code},
    {OpKind::table, no_element_code},

    {OpKind::pow, emit_power},
    {OpKind::atan2, no_element_code},
    {OpKind::exp, no_element_code},
    {OpKind::exp2, no_element_code},
    {OpKind::expm1, no_element_code},
    {OpKind::log, no_element_code},
    {OpKind::log2, no_element_code},
    {OpKind::log10, no_element_code},
    {OpKind::log1p, no_element_code},
    {OpKind::sin, no_element_code},
    {OpKind::cos, no_element_code},
    {OpKind::tan, no_element_code},
    {OpKind::asin, no_element_code},
    {OpKind::acos, no_element_code},
    {OpKind::atan, no_element_code},
    {OpKind::sinh, no_element_code},
    {OpKind::cosh, no_element_code},
    {OpKind::tanh, no_element_code},
    {OpKind::erf, no_element_code},
    {OpKind::cbrt, no_element_code},
    {OpKind::rsqrt, no_element_code},
    {OpKind::sign, emit_sign},
    {OpKind::isnan, no_element_code},
    {OpKind::isinf, no_element_code},
    {OpKind::isfinite, no_element_code},
    {OpKind::abs, emit_magnitude},
    {OpKind::sqrt, no_element_code},
    {OpKind::floor, no_element_code},
    {OpKind::ceil, no_element_code},
    {OpKind::round, no_element_code},
    {OpKind::trunc, no_element_code},
    {OpKind::cut, no_element_code},
    {OpKind::dither, no_element_code},
    {OpKind::philox, no_element_code},
};
constexpr ir::Total<kOfIntegers, ir::kElementFamily> kIntegerCode;

}  // namespace

Value* emit_integer(Build& build, const ElementOp& op) { return kIntegerCode[op.kind].answer(build, op); }

}  // namespace tsr::codegen
