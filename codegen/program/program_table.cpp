// TsrProgram: what the runtime's main() starts.
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "codegen/program/tables.h"
#include "runtime/abi.h"

namespace tsr::codegen {

using llvm::Value;

// void run(void* context, const TsrSlot* in, TsrSlot* out)
llvm::Function* emit_run(Data& data, const ir::Function& main, llvm::Function* callee, const Processor& machine) {
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* signature = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
    auto* run = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, "run", module);
    set_processor(*run, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", run));
    Build build{builder, machine};
    llvm::Type* i64 = builder.getInt64Ty();
    std::vector<Value*> arguments;
    for (size_t i = 0; i < main.params().size(); ++i) {
        const ir::Type& type = main.type(main.params()[i]);
        Value* bits = builder.CreateLoad(i64, builder.CreateConstInBoundsGEP1_64(i64, run->getArg(1), i));
        arguments.push_back(type.is_scalar() ? scalar_from_bits(build, type.elem, bits)
                                             : builder.CreateIntToPtr(bits, pointer));
    }
    Value* given = builder.CreateCall(callee, arguments);
    for (unsigned i = 0; i < main.results.size(); ++i) {
        Value* result = main.results.size() == 1 ? given : builder.CreateExtractValue(given, i);
        const ir::Type& type = main.results[i];
        Value* bits = type.is_scalar() ? scalar_bits(build, type.elem, result) : builder.CreatePtrToInt(result, i64);
        builder.CreateStore(bits, builder.CreateConstInBoundsGEP1_64(i64, run->getArg(2), i));
    }
    builder.CreateRetVoid();
    return run;
}

// void initialize(void* context)
llvm::Constant* emit_initialize(Data& data, const Program& program, HostNames& names, const Processor& machine) {
    if (program.initialize.empty()) return data.null();
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* signature = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
    auto* function = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, "initialize", module);
    set_processor(*function, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
    builder.CreateCall(names.function(program.initialize), {});
    builder.CreateRetVoid();
    return function;
}

llvm::Constant* results_of(Data& data, const ir::Function& source, const std::vector<std::string>& names) {
    std::vector<llvm::Constant*> results;
    for (size_t i = 0; i < source.results.size(); ++i) {
        const std::string name = i < names.size() ? names[i] : "";
        const ir::Type& type = source.results[i];
        results.push_back(data.structure({name.empty() ? data.null() : data.text(name), data.i32(kind_of(type)),
                                          data.i32(static_cast<int>(type.elem))}));
    }
    return results.empty() ? data.null() : data.array(results[0]->getType(), results, "results");
}

void emit_program_table(Data& data, const Program& program, HostNames& names, const Processor& machine) {
    const ir::Function& main = *program.host->find(program.main);
    llvm::Constant* run = emit_run(data, main, names.function(program.main), machine);
    llvm::Constant* initialize = emit_initialize(data, program, names, machine);
    std::map<std::string, DefaultValue> defaults;
    for (const auto& [name, given] : program.defaults) defaults[name] = {given.text, given.bits, given.string};
    llvm::Constant* value = data.structure(
        {data.i32(TSR_ABI_VERSION), data.i32(static_cast<int64_t>(main.results.size())), data.text(program.name),
         program.docstring ? data.text(*program.docstring) : data.null(), signature_of(data, main, defaults),
         results_of(data, main, program.results), initialize, run, data.null()});
    new llvm::GlobalVariable(data.module(), value->getType(), true, llvm::GlobalValue::ExternalLinkage, value,
                             "tsr_program");
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the module owns it

}  // namespace tsr::codegen
