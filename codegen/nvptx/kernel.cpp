#include "codegen/nvptx/kernel.h"

#include <cctype>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/debug.h"
#include "codegen/llvm/digest.h"
#include "codegen/llvm/errors.h"
#include "codegen/nvptx/blocks.h"
#include "codegen/nvptx/offsets.h"
#include "codegen/nvptx/pipeline.h"
#include "codegen/nvptx/registers.h"
#include "codegen/nvptx/task.h"
#include "codegen/nvptx/words.h"

namespace tsr::codegen {

namespace {

// A name as PTX has them; every module has one kernel, so that two may be called the same.
std::string symbol_of(const ir::Function& function) {
    std::string symbol;
    for (const char c : function.name) symbol += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    // `%` and digits can not stand first, and some words are PTX's own.
    return "tsr_" + symbol;
}

bool talks(const ir::Function& function) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        const bool says =
            op.kind == ir::OpKind::print || op.kind == ir::OpKind::assert_ || op.kind == ir::OpKind::runtime;
        if (says && op.parent.valid()) return true;
    }
    return false;
}

// A tensor map is read where the launch has put it: LLVM would copy it into the memory of each thread.
void declare_map(llvm::Function& entry, unsigned number) {
    constexpr uint64_t kBytes = 128, kAlignment = 64;
    llvm::LLVMContext& context = entry.getContext();
    auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), kBytes);
    entry.addParamAttr(number, llvm::Attribute::getWithByValType(context, bytes));
    entry.addParamAttr(number, llvm::Attribute::getWithAlignment(context, llvm::Align(kAlignment)));
    entry.addParamAttr(number, llvm::Attribute::get(context, "nvvm.grid_constant"));
}

// Threads that share registers out anew begin with as many as the block has for each: ptxas asks to be told that it has
// all of those of a multiprocessor (C7508).
bool shares_registers(const ir::Function& function) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (op.kind == ir::OpKind::more_registers && op.parent.valid()) return true;
    }
    return false;
}

// One parameter of 8 bytes per slot, then begin, end and the context, then maps of tensors. No two pointers overlap.
llvm::Function* declare_entry(const KernelVariant& variant, const std::string& symbol, size_t slots, size_t maps,
                              llvm::Module& module) {
    const ir::Function& source = *variant.function;
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::get(context, kGlobalSpace);
    std::vector<llvm::Type*> types(slots + 3, i64);
    types.back() = pointer;
    types.insert(types.end(), maps, llvm::PointerType::get(context, 0));
    const std::vector<Slot> known = slots_of(source);
    for (const Slot& slot : known) {
        if (slot.type.kind == ir::TypeKind::pointer) types[static_cast<size_t>(slot.number)] = pointer;
    }
    auto* signature = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
    auto* entry = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, symbol, module);
    entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
    entry->addFnAttr(llvm::Attribute::NoUnwind);
    entry->addFnAttr(llvm::Attribute::Convergent);
    entry->addFnAttr("nvvm.reqntid", fmt::format("{},1,1", variant.threads));
    if (shares_registers(source)) entry->addFnAttr("nvvm.minctasm", "1");
    for (const Slot& slot : known) {
        if (slot.type.kind != ir::TypeKind::pointer) continue;
        const auto number = static_cast<unsigned>(slot.number);
        entry->addParamAttr(number, llvm::Attribute::NoAlias);
        entry->addParamAttr(number, llvm::Attribute::getWithAlignment(context, slot.least_alignment()));
    }
    const auto last = static_cast<unsigned>(slots + 2);
    entry->addParamAttr(last, llvm::Attribute::NoAlias);
    entry->addParamAttr(last, llvm::Attribute::getWithAlignment(context, llvm::Align(8)));
    for (size_t i = 0; i < maps; ++i) declare_map(*entry, static_cast<unsigned>(slots + 3 + i));
    return entry;
}

Result<DeviceCode> compile_guarded(const KernelVariant& variant, const Gpu& gpu, size_t slots, const Sources& sources,
                                   const Options& options) {
    const ir::Function& function = *variant.function;
    DeviceCode code;
    code.symbol = symbol_of(function);
    code.needs_context = talks(function);
    code.maps = ir::box_maps(function);
    code.in_turn = ir::takes_groups_in_turn(function);
    std::string errors;
    llvm::LLVMContext context;
    context.setDiagnosticHandler(keep_errors(errors));
    context.setDiscardValueNames(options.emit != Emit::llvm);
    llvm::Module module(function.name, context);
    auto target = make_gpu_machine(gpu, options.level);
    if (!target) return Failure{target.message()};
    module.setTargetTriple(target.value()->getTargetTriple());
    module.setDataLayout(target.value()->createDataLayout());
    Data data(module, &sources);
    std::unique_ptr<DebugInfo> debug;
    if (options.debug) debug = std::make_unique<DebugInfo>(module, sources, function.span(), DebugInfo::Detail::lines);
    llvm::Function* entry = declare_entry(variant, code.symbol, slots, code.maps.size(), module);
    if (debug != nullptr) debug->begin(*entry, function.name, function.span());
    GpuTask(function, *entry, gpu, data, debug.get(), slots, code.messages).emit_function();
    if (debug != nullptr) debug->finish();
    std::string fault;
    llvm::raw_string_ostream stream(fault);
    if (llvm::verifyModule(module, &stream)) return Failure{"internal error: LLVM refuses a module: " + fault};
    const bool kept = options.store != nullptr && options.emit != Emit::llvm;
    const std::string key = kept ? module_digest(module, fmt::format("O{} {} {} threads {} bytes", options.level,
                                                                     gpu.name, variant.threads, variant.scratch))
                                 : std::string();
    if (kept) {
        if (auto ptx = options.store->find(key)) {
            code.text = std::move(*ptx);
            return code;
        }
    }
    optimize_for_gpu(module, *target.value(), options.level);
    use_words(*entry);
    join_offsets(*entry);
    fit_registers(*entry, gpu, variant.threads, variant.scratch);
    order_blocks(*entry);
    if (options.emit == Emit::llvm) {
        llvm::raw_string_ostream text(code.text);
        module.print(text, nullptr);
        return code;
    }
    auto ptx = emit_ptx(module, *target.value());
    if (!errors.empty()) return Failure{fmt::format("internal error: LLVM for {}: {}", gpu.name, errors)};
    if (!ptx) return Failure{ptx.message()};
    code.text = std::move(ptx).value();
    if (kept) options.store->keep(key, code.text);
    return code;
}

}  // namespace

Result<DeviceCode> compile_for_gpu(const KernelVariant& variant, const Gpu& gpu, size_t slots, const Sources& sources,
                                   const Options& options) {
    catch_fatal_errors();
    try {
        return compile_guarded(variant, gpu, slots, sources, options);
    } catch (const std::exception& fatal) {
        return Failure{fmt::format("internal error: LLVM for {}: {}", gpu.name, fatal.what())};
    }
}

}  // namespace tsr::codegen
