// Element operations on floats.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/cast.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/libm.h"
#include "codegen/llvm/narrow.h"
#include "codegen/llvm/remainder.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;

Value* constant(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

Value* emit_sign(Build& build, Value* x) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* zero = constant(x, 0.0);
    Value* sign = ir.CreateSelect(ir.CreateFCmpOLT(x, zero), constant(x, -1.0), zero);
    sign = ir.CreateSelect(ir.CreateFCmpOGT(x, zero), constant(x, 1.0), sign);
    return ir.CreateSelect(ir.CreateFCmpUNO(x, x), x, sign);
}

// The exact remainder, moved by the divisor where signs differ; a zero has the sign of the divisor.
Value* emit_float_mod(Build& build, Value* x, Value* y) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* rest = build.machine.has_libm ? ir.CreateFRem(x, y) : emit_remainder(build, x, y);
    Value* zero = constant(x, 0.0);
    Value* signs_differ = ir.CreateXor(ir.CreateFCmpOLT(rest, zero), ir.CreateFCmpOLT(y, zero));
    Value* moved = ir.CreateSelect(signs_differ, ir.CreateFAdd(rest, y), rest);
    Value* signed_zero = ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, y);
    return ir.CreateSelect(ir.CreateFCmpOEQ(rest, zero), signed_zero, moved);
}

// A comparison or test, or null.
Value* emit_test(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    const auto& v = op.operands;
    const auto magnitude = [&] { return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]); };
    const auto infinity = [&] { return llvm::ConstantFP::getInfinity(v[0]->getType()); };
    switch (op.kind) {
        case OpKind::eq:
            return ir.CreateFCmpOEQ(v[0], v[1]);
        case OpKind::ne:
            return ir.CreateFCmpUNE(v[0], v[1]);
        case OpKind::lt:
            return ir.CreateFCmpOLT(v[0], v[1]);
        case OpKind::le:
            return ir.CreateFCmpOLE(v[0], v[1]);
        case OpKind::gt:
            return ir.CreateFCmpOGT(v[0], v[1]);
        case OpKind::ge:
            return ir.CreateFCmpOGE(v[0], v[1]);
        case OpKind::isnan:
            return ir.CreateFCmpUNO(v[0], v[0]);
        case OpKind::isinf:
            return ir.CreateFCmpOEQ(magnitude(), infinity());
        case OpKind::isfinite:
            return ir.CreateFCmpOLT(magnitude(), infinity());
        default:
            return nullptr;
    }
}

// What one instruction of LLVM does, or null.
Value* emit_real_arithmetic(Build& build, const ElementOp& op) {
    llvm::IRBuilder<>& ir = build.ir;
    const auto& v = op.operands;
    switch (op.kind) {
        case OpKind::add:
            return ir.CreateFAdd(v[0], v[1]);
        case OpKind::sub:
            return ir.CreateFSub(v[0], v[1]);
        case OpKind::mul:
            return ir.CreateFMul(v[0], v[1]);
        case OpKind::div:
            return ir.CreateFDiv(v[0], v[1]);
        case OpKind::neg:
            return ir.CreateFNeg(v[0]);
        case OpKind::minimum:
            return ir.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, v[0], v[1]);
        case OpKind::maximum:
            return ir.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, v[0], v[1]);
        case OpKind::abs:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
        case OpKind::sqrt:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
        case OpKind::floor:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, v[0]);
        case OpKind::ceil:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, v[0]);
        case OpKind::round:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, v[0]);
        case OpKind::trunc:
            return ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, v[0]);
        default:
            return nullptr;
    }
}

}  // namespace

Value* emit_real(Build& build, const ElementOp& op) {
    if (Value* result = emit_test(build, op)) return result;
    if (Value* result = emit_real_arithmetic(build, op)) return result;
    llvm::IRBuilder<>& ir = build.ir;
    const auto& v = op.operands;
    if (op.kind == OpKind::sign) return emit_sign(build, v[0]);
    if (op.kind == OpKind::mod) return emit_float_mod(build, v[0], v[1]);
    if (op.kind == OpKind::floordiv) {
        return ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, ir.CreateFDiv(v[0], v[1]));
    }
    if (op.kind == OpKind::rsqrt) {
        return ir.CreateFDiv(constant(v[0], 1.0), ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]));
    }
    return emit_libm(build, op);
}

}  // namespace tsr::codegen
