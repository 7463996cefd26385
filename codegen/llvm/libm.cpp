#include "codegen/llvm/libm.h"

#include <array>
#include <string>

#include <llvm/IR/Module.h>

#include "codegen/llvm/cast.h"
#include "ir/ops/record.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

// libm's name of the f64 function is the operation's.
std::string function_name(const ElementOp& op) {
    const std::string name(ir::name(op.kind));
    return op.type == DType::f64 ? name : name + "f";
}

Value* call_scalar(Build& build, const std::string& name, llvm::ArrayRef<Value*> operands) {
    llvm::Module& module = *build.ir.GetInsertBlock()->getModule();
    std::array<llvm::Type*, 2> types{operands.front()->getType(), operands.front()->getType()};
    auto* signature = llvm::FunctionType::get(types[0], llvm::ArrayRef(types).take_front(operands.size()), false);
    llvm::CallInst* call = build.ir.CreateCall(module.getOrInsertFunction(name, signature), operands);
    // Left as it is: LLVM would replace calls that it knows by others of other roundings.
    call->addFnAttr(llvm::Attribute::NoBuiltin);
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::WillReturn);
    return call;
}

}  // namespace

Value* emit_libm(Build& build, const ElementOp& op) {
    if (op.type == DType::f16) {
        std::array<Value*, 2> wide{};
        for (size_t i = 0; i < op.operands.size(); ++i) wide[i] = emit_cast(build, op.type, DType::f32, op.operands[i]);
        const ElementOp same{op.kind, DType::f32, op.to, std::span(wide.data(), op.operands.size())};
        return emit_cast(build, DType::f32, op.type, emit_libm(build, same));
    }
    const std::string name = function_name(op);
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(op.operands.front()->getType());
    if (vector == nullptr) return call_scalar(build, name, {op.operands.data(), op.operands.size()});
    Value* result = llvm::PoisonValue::get(vector);
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
        std::array<Value*, 2> operands{};
        for (size_t i = 0; i < op.operands.size(); ++i) {
            operands[i] = build.ir.CreateExtractElement(op.operands[i], lane);
        }
        Value* element = call_scalar(build, name, llvm::ArrayRef(operands).take_front(op.operands.size()));
        result = build.ir.CreateInsertElement(result, element, lane);
    }
    return result;
}

}  // namespace tsr::codegen
