// Atomics that GPUs have instructions for.
#include "ir/machine/atomics.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include "codegen/llvm/types.h"
#include "codegen/nvptx/task.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using llvm::Value;

llvm::SyncScope::ID GpuTask::atomic_scope() const { return target_.getContext().getOrInsertSyncScopeID("device"); }

// Additions of floats have instructions; that of f32 in global memory takes subnormal numbers for zero (PTX ISA, atom).
void GpuTask::emit_atomic(const ir::Op& op) {
    const ir::AtomicRmwOp update(source_, op);
    const ir::Type& given = this->type(update.value());
    const ir::AtomicOp kind = update.what();
    if (given.is_vector() && ir::adds_packed(given.elem, kind, gpu_.capability)) return emit_packed_addition(op);
    const DType type = given.elem;
    // What is added in words is added by itself, too.
    const bool has_instruction =
        type == DType::f32 || type == DType::f64 || ir::adds_packed(type, kind, gpu_.capability);
    if (given.is_vector() || kind != ir::AtomicOp::add || !has_instruction) {
        TargetBody::emit_atomic(op);
        return;
    }
    Value* added = value(update.value());
    llvm::Type* held = added->getType();
    if (type == DType::bf16) added = builder_.CreateBitCast(added, builder_.getBFloatTy());
    Value* old =
        builder_.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, value(update.pointer()), added,
                                 llvm::Align(memory_bytes(type)), llvm::AtomicOrdering::Monotonic, atomic_scope());
    define(op.results[0], builder_.CreateBitCast(old, held));
}

// Words of one or two elements. LLVM would compare and exchange (PTX ISA 9.0, "red").
void GpuTask::emit_packed_addition(const ir::Op& op) {
    const ir::AtomicRmwOp update(source_, op);
    const ir::Type& given = type(update.value());
    const bool pairs = bits(given.elem) == 16;
    llvm::Type* word = pairs ? builder_.getInt32Ty() : builder_.getFloatTy();
    const unsigned count = given.width / (pairs ? 2 : 1);
    Value* words = builder_.CreateBitCast(value(update.value()), llvm::FixedVectorType::get(word, count));
    std::vector<Value*> arguments{value(update.pointer())};
    std::string names, constraints = "l";
    for (unsigned i = 0; i < count; ++i) {
        arguments.push_back(builder_.CreateExtractElement(words, i));
        names += fmt::format("{}${}", i == 0 ? "" : ", ", i + 1);
        constraints += pairs ? ",r" : ",f";
    }
    const unsigned space = value(update.pointer())->getType()->getPointerAddressSpace();
    const std::string text = fmt::format("red.relaxed.gpu{}.add{}{}.{}{} [$0], {};",
                                         space == kGlobalSpace   ? ".global"
                                         : space == kSharedSpace ? ".shared"
                                                                 : "",
                                         pairs ? ".noftz" : "", count > 1 ? fmt::format(".v{}", count) : "",
                                         name(given.elem), pairs ? "x2" : "", count > 1 ? "{" + names + "}" : names);
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    auto* signature = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
    llvm::CallInst* call = builder_.CreateCall(llvm::InlineAsm::get(signature, text, constraints, true), arguments);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    call->addFnAttr(llvm::Attribute::getWithMemoryEffects(builder_.getContext(), llvm::MemoryEffects::argMemOnly()));
}

}  // namespace tsr::codegen
