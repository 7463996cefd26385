// Element operations on integers and bool.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/element.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;
using llvm::Intrinsic::ID;

// By the width or more (also what a negative amount is, read unsigned): 0, and all sign bits for `shr` of a signed one.
Value* emit_shift(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* value = op.operands[0];
    Value* amount = op.operands[1];
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
    llvm::Type* type = op.operands[0]->getType();
    Value* zero = llvm::Constant::getNullValue(type);
    if (!is_signed(op.type)) return ir.CreateZExt(ir.CreateICmpNE(op.operands[0], zero), type);
    Value* positive = ir.CreateZExt(ir.CreateICmpSGT(op.operands[0], zero), type);
    return ir.CreateSelect(ir.CreateICmpSLT(op.operands[0], zero), llvm::ConstantInt::getSigned(type, -1), positive);
}

// Square and multiply, one step per bit of the exponent; a known exponent leaves only its own products. A negative
// power is the reciprocal rounded toward zero: 1 of 1, 1 or -1 of -1, else 0.
Value* emit_power(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* base = op.operands[0];
    Value* exponent = op.operands[1];
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

// The comparison of integers, or null.
Value* emit_compare(Build& build, OpKind kind, bool is_signed, Value* a, Value* b) {
    using enum llvm::CmpInst::Predicate;
    llvm::IRBuilder<>& ir = build.ir;
    if (kind == OpKind::eq) return ir.CreateICmp(ICMP_EQ, a, b);
    if (kind == OpKind::ne) return ir.CreateICmp(ICMP_NE, a, b);
    if (kind == OpKind::lt) return ir.CreateICmp(is_signed ? ICMP_SLT : ICMP_ULT, a, b);
    if (kind == OpKind::le) return ir.CreateICmp(is_signed ? ICMP_SLE : ICMP_ULE, a, b);
    if (kind == OpKind::gt) return ir.CreateICmp(is_signed ? ICMP_SGT : ICMP_UGT, a, b);
    if (kind == OpKind::ge) return ir.CreateICmp(is_signed ? ICMP_SGE : ICMP_UGE, a, b);
    return nullptr;
}

// The bitwise operations, on bool too, or null.
Value* emit_bits(Build& build, const ElementOp& op) {
    const auto& v = op.operands;
    if (op.kind == OpKind::bit_and) return build.ir.CreateAnd(v[0], v[1]);
    if (op.kind == OpKind::bit_or) return build.ir.CreateOr(v[0], v[1]);
    if (op.kind == OpKind::bit_xor) return build.ir.CreateXor(v[0], v[1]);
    if (op.kind == OpKind::bit_not) return build.ir.CreateNot(v[0]);
    return nullptr;
}

Value* emit_integer_arithmetic(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    const auto& v = op.operands;
    const bool is_negative_known = is_signed(op.type);
    const ID least = is_negative_known ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
    const ID greatest = is_negative_known ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
    switch (op.kind) {
        case OpKind::add:
            return ir.CreateAdd(v[0], v[1]);
        case OpKind::sub:
            return ir.CreateSub(v[0], v[1]);
        case OpKind::mul:
            return ir.CreateMul(v[0], v[1]);
        case OpKind::neg:
            return ir.CreateNeg(v[0]);
        case OpKind::floordiv:
            return emit_floordiv(build, op.type, v[0], v[1]);
        case OpKind::mod:
            return emit_mod(build, op.type, v[0], v[1]);
        case OpKind::minimum:
            return ir.CreateBinaryIntrinsic(least, v[0], v[1]);
        case OpKind::maximum:
            return ir.CreateBinaryIntrinsic(greatest, v[0], v[1]);
        case OpKind::pow:
            return emit_power(build, op);
        case OpKind::shl:
        case OpKind::shr:
            return emit_shift(build, op);
        case OpKind::sign:
            return emit_sign(build, op);
        case OpKind::abs:
            return is_negative_known ? ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], ir.getFalse()) : v[0];
        default:
            return nullptr;
    }
}

}  // namespace

Value* emit_bool(Build& build, const ElementOp& op) {
    if (Value* result = emit_bits(build, op)) return result;
    return emit_compare(build, op.kind, false, op.operands[0], op.operands.back());
}

Value* emit_integer(Build& build, const ElementOp& op) {
    if (Value* result = emit_bits(build, op)) return result;
    if (op.operands.size() == 2) {
        Value* test = emit_compare(build, op.kind, is_signed(op.type), op.operands[0], op.operands[1]);
        if (test != nullptr) return test;
    }
    return emit_integer_arithmetic(build, op);
}

}  // namespace tsr::codegen
