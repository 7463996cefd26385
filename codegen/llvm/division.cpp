// Integer division rounded down. x86-64 traps on a zero divisor and on the smallest number by -1, and has no division
// of vectors at all; to LLVM both are undefined on every machine.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/llvm/element.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

// The same known divisor in all lanes; not 0 and not -1, which need a guard.
const llvm::APInt* known_divisor(Value* divisor) {
    const llvm::APInt* known = nullptr;
    if (!llvm::PatternMatch::match(divisor, llvm::PatternMatch::m_APInt(known))) return nullptr;
    return known->isZero() || known->isAllOnes() ? nullptr : known;
}

// The divisor where dividing by it is defined, else 1: that gives 0 as the remainder, and the smallest number for the
// smallest by -1.
Value* defined_divisor(Build& build, DType type, Value* dividend, Value* divisor) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* held = divisor->getType();
    Value* undefined = ir.CreateICmpEQ(divisor, llvm::Constant::getNullValue(held));
    if (is_signed(type)) {
        const llvm::APInt least = llvm::APInt::getSignedMinValue(held->getScalarSizeInBits());
        Value* at_least = ir.CreateICmpEQ(dividend, llvm::ConstantInt::get(held, least));
        Value* minus_one = ir.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(held));
        undefined = ir.CreateOr(undefined, ir.CreateAnd(at_least, minus_one));
    }
    return ir.CreateSelect(undefined, llvm::ConstantInt::get(held, 1), divisor);
}

// Vectors of up to 32 bits divide as f64 (up to 16 bits as f32): a quotient of n-bit integers is at least 2^-n from
// the next integer in relation to itself, so a float of more than n bits never rounds across one.
Value* divide_as_floats(Build& build, DType type, Value* dividend, Value* divisor) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* held = dividend->getType();
    llvm::Type* real = held->getScalarSizeInBits() == 32 ? ir.getDoubleTy() : ir.getFloatTy();
    llvm::Type* reals = shaped_like(held, real);
    const bool negative = is_signed(type);
    Value* a = negative ? ir.CreateSIToFP(dividend, reals) : ir.CreateUIToFP(dividend, reals);
    Value* b = negative ? ir.CreateSIToFP(divisor, reals) : ir.CreateUIToFP(divisor, reals);
    Value* quotient = ir.CreateFDiv(a, b);
    if (!negative) return ir.CreateFPToUI(quotient, held);
    return ir.CreateFPToSI(ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient), held);
}

Value* floor_divide(Build& build, DType type, Value* dividend, Value* divisor) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* held = dividend->getType();
    const bool lanes = held->isVectorTy() && build.machine.divides_lanes;
    if (lanes && held->getScalarSizeInBits() <= 32 && known_divisor(divisor) == nullptr) {
        return divide_as_floats(build, type, dividend, divisor);
    }
    if (!is_signed(type)) return ir.CreateUDiv(dividend, divisor);
    const auto has_no_sign = [&](Value* value) {
        return llvm::isKnownNonNegative(value, ir.GetInsertBlock()->getModule()->getDataLayout());
    };
    if (!lanes && has_no_sign(dividend) && has_no_sign(divisor)) return ir.CreateUDiv(dividend, divisor);
    Value* quotient = ir.CreateSDiv(dividend, divisor);
    Value* rest = ir.CreateSub(dividend, ir.CreateMul(quotient, divisor));
    Value* zero = llvm::Constant::getNullValue(held);
    Value* signs_differ = ir.CreateICmpSLT(ir.CreateXor(rest, divisor), zero);
    Value* too_large = ir.CreateAnd(ir.CreateICmpNE(rest, zero), signs_differ);
    return ir.CreateAdd(quotient, ir.CreateSExt(too_large, held));
}

}  // namespace

Value* emit_floordiv(Build& build, DType type, Value* dividend, Value* divisor) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* held = dividend->getType();
    if (const llvm::APInt* known = known_divisor(divisor)) {
        if (!known->isPowerOf2() || known->isNegative()) return floor_divide(build, type, dividend, divisor);
        llvm::Constant* shift = llvm::ConstantInt::get(held, known->logBase2());
        return is_signed(type) ? ir.CreateAShr(dividend, shift) : ir.CreateLShr(dividend, shift);
    }
    Value* defined = defined_divisor(build, type, dividend, divisor);
    Value* quotient = floor_divide(build, type, dividend, defined);
    Value* by_zero = ir.CreateICmpEQ(divisor, llvm::Constant::getNullValue(held));
    return ir.CreateSelect(by_zero, llvm::Constant::getNullValue(held), quotient);
}

Value* emit_mod(Build& build, DType type, Value* dividend, Value* divisor) {
    llvm::IRBuilder<>& ir = build.ir;
    if (const llvm::APInt* known = known_divisor(divisor)) {
        if (known->isPowerOf2() && !known->isNegative()) {
            return ir.CreateAnd(dividend, llvm::ConstantInt::get(dividend->getType(), *known - 1));
        }
        return ir.CreateSub(dividend, ir.CreateMul(floor_divide(build, type, dividend, divisor), divisor));
    }
    Value* defined = defined_divisor(build, type, dividend, divisor);
    return ir.CreateSub(dividend, ir.CreateMul(floor_divide(build, type, dividend, defined), defined));
}

}  // namespace tsr::codegen
