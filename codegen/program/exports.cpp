// What a library offers to C: for each function a table and a function of its symbol's name.
#include <algorithm>

#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "codegen/program/tables.h"
#include "runtime/abi.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

llvm::Constant* function_table(Data& data, const Export& exported, const ir::Function& source, llvm::Constant* run,
                               llvm::Constant* initialize) {
    llvm::Constant* value = data.structure(
        {data.i32(TSR_ABI_VERSION), data.i32(static_cast<int64_t>(source.results.size())),
         signature_of(data, source, {}, exported.name), results_of(data, source, exported.results), initialize, run});
    return data.global(value, exported.symbol + ".table");
}

// A parameter as C passes it: numbers of C in their own type, other types as their bits.
llvm::Type* c_type(llvm::LLVMContext& context, const ir::Type& type) {
    if (!type.is_scalar()) return llvm::PointerType::get(context, 0);
    if (type.elem == DType::f32) return llvm::Type::getFloatTy(context);
    if (type.elem == DType::f64) return llvm::Type::getDoubleTy(context);
    return llvm::Type::getIntNTy(context, static_cast<unsigned>(std::max(bits(type.elem), 8)));
}

// The eight bytes of an argument.
Value* slot_bits(llvm::IRBuilder<>& builder, Value* argument) {
    llvm::Type* i64 = builder.getInt64Ty();
    if (argument->getType()->isPointerTy()) return builder.CreatePtrToInt(argument, i64);
    const unsigned width = argument->getType()->getScalarSizeInBits();
    return builder.CreateZExt(builder.CreateBitCast(argument, builder.getIntNTy(width)), i64);
}

// int32_t SYMBOL(arguments…, where results go…)
void emit_function(Data& data, const Export& exported, const ir::Function& source, llvm::Constant* table,
                   const Processor& machine) {
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    std::vector<llvm::Type*> types;
    for (const ir::ValueId param : source.params()) types.push_back(c_type(context, source.type(param)));
    const size_t arguments = types.size();
    types.insert(types.end(), source.results.size(), pointer);
    auto* signature = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), types, false);
    auto* function = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, exported.symbol, module);
    set_processor(*function, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
    Build build{builder, machine};
    llvm::Type* i64 = builder.getInt64Ty();
    Value* slots = builder.CreateAlloca(i64, builder.getInt64(std::max<size_t>(arguments, 1)));
    Value* results = builder.CreateAlloca(pointer, builder.getInt64(std::max<size_t>(source.results.size(), 1)));
    for (unsigned i = 0; i < types.size(); ++i) {
        Value* given = function->getArg(i);
        if (i < arguments)
            builder.CreateStore(slot_bits(builder, given), builder.CreateConstInBoundsGEP1_64(i64, slots, i));
        else
            builder.CreateStore(given, builder.CreateConstInBoundsGEP1_64(pointer, results, i - arguments));
    }
    builder.CreateRet(call_runtime(build, "tsr_call", builder.getInt32Ty(), {table, slots, results}));
}

// PyObject* SYMBOL.python(PyObject* description)
void emit_python_function(Data& data, const Export& exported, llvm::Constant* table, const Processor& machine) {
    llvm::Module& module = data.module();
    llvm::Type* pointer = llvm::PointerType::get(module.getContext(), 0);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer}, false),
                                            llvm::GlobalValue::ExternalLinkage, exported.symbol + ".python", module);
    set_processor(*function, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    Build build{builder, machine};
    builder.CreateRet(call_runtime(build, "tsr_python_function", pointer, {table, function->getArg(0)}));
}

void emit_last_error(Data& data, const std::string& symbol, const Processor& machine) {
    llvm::Module& module = data.module();
    llvm::Type* pointer = llvm::PointerType::get(module.getContext(), 0);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(pointer, {}, false),
                                            llvm::GlobalValue::ExternalLinkage, symbol, module);
    set_processor(*function, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    Build build{builder, machine};
    builder.CreateRet(call_runtime(build, "tsr_last_error", pointer, {}));
}

}  // namespace

void emit_exports(Data& data, const Program& program, HostNames& names, const Processor& machine) {
    llvm::Constant* initialize = emit_initialize(data, program, names, machine);
    for (const Export& exported : program.exports) {
        const ir::Function& source = *program.host->find(exported.function);
        llvm::Function* run = emit_run(data, source, names.function(exported.function), machine);
        llvm::Constant* table = function_table(data, exported, source, run, initialize);
        emit_function(data, exported, source, table, machine);
        if (program.for_python) emit_python_function(data, exported, table, machine);
    }
    emit_last_error(data, program.last_error, machine);
}

}  // namespace tsr::codegen
