// Fused multiply-add: by the machine, else in f64.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/cast.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

// Emulations that stand in line in one function. Each takes some forty instructions: LLVM needs seconds for hundreds of
// them in one block, so the rest are calls.
constexpr int kInLine = 24;

// factor * other + addend in f64, where the product is exact and the sum is rounded to odd: its error, found by Knuth's
// two-sum, says which neighbour. A rounding to f32 or narrower then gives what one rounding would.
Value* fused_in_f64(Build& build, Value* factor, Value* other, Value* addend) {
    llvm::IRBuilder<>& ir = build.ir;
    Value* product = ir.CreateFMul(factor, other);
    Value* sum = ir.CreateFAdd(product, addend);
    Value* second = ir.CreateFSub(sum, product);
    Value* first = ir.CreateFSub(sum, second);
    Value* error = ir.CreateFAdd(ir.CreateFSub(product, first), ir.CreateFSub(addend, second));
    llvm::Type* word = shaped_like(sum, ir.getInt64Ty());
    Value* bits = ir.CreateBitCast(sum, word);
    Value* zero = llvm::ConstantFP::get(sum->getType(), 0.0);
    Value* inexact = ir.CreateFCmpONE(error, zero);
    Value* one = llvm::ConstantInt::get(word, 1);
    Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, one), llvm::Constant::getNullValue(word));
    Value* outward = ir.CreateICmpEQ(ir.CreateFCmpOGT(error, zero), ir.CreateFCmpOGT(sum, zero));
    Value* step = ir.CreateSelect(outward, one, llvm::Constant::getAllOnesValue(word));
    Value* moved = ir.CreateSelect(ir.CreateAnd(inexact, even), ir.CreateAdd(bits, step), bits);
    return ir.CreateBitCast(moved, sum->getType());
}

Value* emulated(Build& build, DType type, Value* factor, Value* other, Value* addend) {
    Value* sum = fused_in_f64(build, emit_cast(build, type, DType::f64, factor),
                              emit_cast(build, type, DType::f64, other), emit_cast(build, type, DType::f64, addend));
    return emit_cast(build, DType::f64, type, sum);
}

// The emulation as a function of the module, compiled for the same processor as the one that calls it.
llvm::Function* emulation(Build& build, DType type, llvm::Type* values) {
    const llvm::Function& caller = *build.ir.GetInsertBlock()->getParent();
    llvm::Module& module = *build.ir.GetInsertBlock()->getModule();
    std::string name = "tsr.fma." + std::string(tsr::name(type));
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(values))
        name += "." + std::to_string(vector->getNumElements());
    if (llvm::Function* known = module.getFunction(name)) return known;
    auto* signature = llvm::FunctionType::get(values, {values, values, values}, false);
    auto* function = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, name, module);
    for (const char* attribute : {"target-cpu", "target-features", "prefer-vector-width"}) {
        if (caller.hasFnAttribute(attribute)) function->addFnAttr(caller.getFnAttribute(attribute));
    }
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->setDoesNotAccessMemory();
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    Build inside{ir, build.machine};
    ir.CreateRet(emulated(inside, type, function->getArg(0), function->getArg(1), function->getArg(2)));
    return function;
}

}  // namespace

Value* emit_fma(Build& build, DType type, Value* factor, Value* other, Value* addend) {
    const bool native = type == DType::f64 || (type == DType::f32 && build.machine.fma) ||
                        (type == DType::f16 && build.machine.computes_f16);
    if (native) {
        return build.ir.CreateIntrinsic(llvm::Intrinsic::fma, {factor->getType()}, {factor, other, addend});
    }
    if (type == DType::bf16 && build.machine.fuses_bf16) {
        llvm::Type* held = shaped_like(factor, build.ir.getBFloatTy());
        const auto real = [&](Value* code) { return build.ir.CreateBitCast(code, held); };
        Value* sum = build.ir.CreateIntrinsic(llvm::Intrinsic::fma, {held}, {real(factor), real(other), real(addend)});
        return build.ir.CreateBitCast(sum, factor->getType());
    }
    if (++build.emulated_fmas <= kInLine) return emulated(build, type, factor, other, addend);
    return build.ir.CreateCall(emulation(build, type, factor->getType()), {factor, other, addend});
}

}  // namespace tsr::codegen
