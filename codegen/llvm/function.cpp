#include "codegen/llvm/function.h"

#include <llvm/IR/Module.h>

#include "codegen/llvm/types.h"

namespace tsr::codegen {

using llvm::Value;

Value* call_runtime(Build& build, const std::string& name, llvm::Type* result, llvm::ArrayRef<Value*> arguments) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* i32 = ir.getInt32Ty();
    const bool gives_bool = result != nullptr && result->isIntegerTy(1);
    std::vector<llvm::Type*> types;
    std::vector<Value*> passed;
    for (Value* argument : arguments) {
        if (argument->getType()->isIntegerTy(1)) argument = ir.CreateZExt(argument, i32);
        types.push_back(argument->getType());
        passed.push_back(argument);
    }
    llvm::Type* returned = result == nullptr ? ir.getVoidTy() : gives_bool ? i32 : result;
    auto* signature = llvm::FunctionType::get(returned, types, false);
    llvm::Module& module = *ir.GetInsertBlock()->getModule();
    llvm::CallInst* call = ir.CreateCall(module.getOrInsertFunction(name, signature), passed);
    return gives_bool ? ir.CreateICmpNE(call, ir.getInt32(0)) : call;
}

Value* scalar_bits(Build& build, DType type, Value* scalar) {
    llvm::IRBuilder<>& ir = build.ir;
    if (is_packed(type)) scalar = ir.CreateAnd(scalar, ir.getInt8(static_cast<uint8_t>((1U << bits(type)) - 1)));
    const unsigned width = scalar->getType()->getScalarSizeInBits();
    Value* word = ir.CreateBitCast(scalar, ir.getIntNTy(width));
    return ir.CreateZExt(word, ir.getInt64Ty());
}

Value* scalar_from_bits(Build& build, DType type, Value* bits) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* held = element_type(build.context(), type);
    if (type == DType::boolean) {
        return ir.CreateICmpNE(ir.CreateTrunc(bits, ir.getInt8Ty()), ir.getInt8(0));
    }
    Value* word = ir.CreateTrunc(bits, ir.getIntNTy(held->getScalarSizeInBits()));
    if (type == DType::i4) word = ir.CreateAShr(ir.CreateShl(word, 4), 4);
    return ir.CreateBitCast(word, held);
}

}  // namespace tsr::codegen
