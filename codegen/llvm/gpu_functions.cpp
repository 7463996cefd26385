#include "codegen/llvm/gpu_functions.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "ir/core/internal.h"

namespace tsr::codegen {

namespace {

using ir::OpKind;
using llvm::Value;

Value* real(Build& build, double value) { return llvm::ConstantFP::get(build.ir.getFloatTy(), value); }

Value* call(Build& build, llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> operands, llvm::ArrayRef<llvm::Type*> types) {
    return build.ir.CreateIntrinsic(id, types, operands);
}

// 2^x by ex2.approx.f32: PTX ISA, "ex2": subnormal arguments and results are kept. CUDA's exp2f is this instruction,
// with a stated error of at most 2 ulp over all x (CUDA C++ Programming Guide, table of standard functions).
Value* two_to(Build& build, Value* x) {
    return call(build, llvm::Intrinsic::nvvm_ex2_approx, {x}, {build.ir.getFloatTy()});
}

// e^x = 2^n 2^r with a whole n and r = x log2(e) - n.
//
// n is taken from x limited to a sum of -126 to 127, so that 2^n is a normal number; r is not limited: an infinite x,
// or one whose power is too large or too small, makes 2^r infinite or 0, and a subnormal result gets what the limit
// took away. NaN stays in r. The limit is a saturation to [0, 1], which costs nothing.
//
// Error: |r| <= 1/2 rounds twice, by 2^-26 each (2^-25 above a result of 2^127.5), which changes the result by 0.35 ulp
// at most; with a correctly rounded 2^r all f32 are within 1.05 ulp. CUDA's expf leaves the same range to the same
// instruction and is stated to be within 2 ulp; the PTX ISA alone, with 2^-22.5 for any argument, promises less. The
// product with 2^n is exact but for subnormal results.
Value* e_to(Build& build, Value* x) {
    constexpr double kLog2E = 1.4426950408889634;
    constexpr double kHigh = 0x1.715476p+0;  // log2(e) as f32, and what is missing
    constexpr double kSpan = 253;
    constexpr double kMagic = 0x1.8p23;
    constexpr int kFractionBits = 23;
    llvm::IRBuilder<>& ir = build.ir;
    // n + 126 as a part of 253; the half is the rounding of n to the nearest.
    Value* part = call(build, llvm::Intrinsic::nvvm_fma_rn_sat_f,
                       {x, real(build, kLog2E / kSpan), real(build, 126.5 / kSpan)}, {});
    // The low bits of this sum, rounded down, are n + 127: 2^n when they become the exponent.
    Value* shifted =
        call(build, llvm::Intrinsic::nvvm_fma_rm_f, {part, real(build, kSpan), real(build, kMagic + 1)}, {});
    Value* minus_n = ir.CreateFSub(real(build, kMagic + 127), shifted);
    Value* r = call(build, llvm::Intrinsic::fma, {x, real(build, kHigh), minus_n}, {ir.getFloatTy()});
    r = call(build, llvm::Intrinsic::fma, {x, real(build, kLog2E - kHigh), r}, {ir.getFloatTy()});
    Value* power = call(build, llvm::Intrinsic::nvvm_ex2_approx_ftz, {r}, {ir.getFloatTy()});
    Value* scale = ir.CreateShl(ir.CreateBitCast(shifted, ir.getInt32Ty()), kFractionBits);
    return ir.CreateFMul(power, ir.CreateBitCast(scale, ir.getFloatTy()));
}

// PTX ISA, "rsqrt": a relative error of 2^-22.9 at most, IEEE 754's results of zeros, infinities, NaN and numbers below
// zero. CUDA's rsqrtf is this instruction, with a stated error of at most 2 ulp over all x.
Value* inverse_root(Build& build, Value* x) { return call(build, llvm::Intrinsic::nvvm_rsqrt_approx_f, {x}, {}); }

Value* of_one(Build& build, OpKind kind, Value* x) {
    if (kind == OpKind::exp) return e_to(build, x);
    if (kind == OpKind::exp2) return two_to(build, x);
    if (kind == OpKind::rsqrt) return inverse_root(build, x);
    ir::internal_error("a function that has become no formula and that GPUs have no instruction for");
}

}  // namespace

Value* emit_gpu_function(Build& build, const ElementOp& op) {
    if (op.type != DType::f32) ir::internal_error("a function of floats other than f32 that has become no formula");
    Value* operand = op.operand();
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(operand->getType());
    if (vector == nullptr) return of_one(build, op.kind, operand);
    Value* result = llvm::PoisonValue::get(vector);
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
        Value* element = of_one(build, op.kind, build.ir.CreateExtractElement(operand, lane));
        result = build.ir.CreateInsertElement(result, element, lane);
    }
    return result;
}

}  // namespace tsr::codegen
