#include "codegen/program/code_module.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/cpu/pipeline.h"
#include "codegen/cpu/task.h"
#include "codegen/llvm/digest.h"
#include "codegen/llvm/errors.h"

namespace tsr::codegen {

CodeModule::CodeModule(const std::string& name, const Sources& sources, const Options& options, Span first,
                       Effort effort)
    : options_(options),
      levels_(effort == Effort::full ? Levels{options.level, options.level} : Levels{std::min(options.level, 1), 0}),
      module_(name, context_),
      data_(module_, &sources) {
    context_.setDiagnosticHandler(keep_errors(errors_));
    context_.setDiscardValueNames(options.emit != Emit::llvm);
    auto target = make_target_machine(processor_named("x86-64").value(), levels_.emission);
    if (!target) {
        fault_ = target.message();
        return;
    }
    target_ = std::move(target).value();
    module_.setTargetTriple(target_->getTargetTriple());
    module_.setDataLayout(target_->createDataLayout());
    if (options.debug) debug_ = std::make_unique<DebugInfo>(module_, sources, first);
}

void CodeModule::emit_task(const KernelVariant& variant, const EntryNames& names, const Processor& machine) {
    emit_kernel_task(*variant.function, names[0], machine, data_, debug_.get());
    for (size_t i = 0; i < variant.packed.size(); ++i)
        emit_kernel_task(*variant.packed[i].function, names[i + 1], machine, data_, debug_.get());
}

void CodeModule::emit_host(const ir::Function& function, HostNames& names, const Processor& machine) {
    llvm::Function& target = *names.function(function.name);
    set_processor(target, machine);
    const Span span = function.place.valid() ? function.place_of(function.place).span : Span{};
    if (debug_ != nullptr) debug_->begin(target, function.name, span);
    HostBody(function, target, machine, data_, debug_.get(), names).emit_function();
}

void CodeModule::let_failures_pass() {
    for (llvm::Function& function : module_) {
        if (function.isDeclaration()) continue;
        function.removeFnAttr(llvm::Attribute::NoUnwind);
        function.setUWTableKind(llvm::UWTableKind::Sync);
    }
}

void CodeModule::close() {
    if (debug_ != nullptr) debug_->finish();
    std::string fault;
    llvm::raw_string_ostream stream(fault);
    if (llvm::verifyModule(module_, &stream)) fault_ = "internal error: LLVM refuses a module: " + fault;
}

std::string CodeModule::digest() {
    return module_digest(module_, fmt::format("O{}{}", levels_.passes, levels_.emission));
}

Result<std::string> CodeModule::code() {
    if (!fault_.empty()) return Failure{fault_};
    optimize(module_, *target_, levels_.passes);
    prepare(module_);
    std::string text;
    if (options_.emit == Emit::llvm) {
        llvm::raw_string_ostream stream(text);
        module_.print(stream, nullptr);
        return text;
    }
    auto code = emit_code(module_, *target_, options_.emit == Emit::assembly ? Form::assembly : Form::object);
    if (!errors_.empty()) return Failure{"internal error: LLVM: " + errors_};
    return code;
}

}  // namespace tsr::codegen
