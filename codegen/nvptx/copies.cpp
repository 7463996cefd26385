// Copies from global to shared memory that go on beside the program.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/task.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using llvm::Value;

void GpuTask::emit_async_commit(const ir::Op&) {
    if (gpu_.async_copies) call(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void GpuTask::emit_async_wait(const ir::Op& op) {
    if (gpu_.async_copies) call(llvm::Intrinsic::nvvm_cp_async_wait_group, {number(op, Attr::count)});
}

void GpuTask::emit_prefetch(const ir::Op& op) {
    if (type(ir::PointerAddOp(source_, op).pointer()).space != ir::Space::global) return;
    call(llvm::Intrinsic::nvvm_prefetch_global_L2, {address(op, false)});
}

void GpuTask::emit_async_copy(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    const ir::MemoryCopyOp copy(source_, op);
    Value* bytes = value(copy.bytes());
    if (!gpu_.async_copies) {
        copy_at_once(op, bytes);
        return;
    }
    const int64_t width = op.attrs.integer(Attr::width);
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    std::vector<Value*> arguments{value(copy.to()), value(copy.from())};
    // Of 16 bytes the first cache is passed by: what is copied is used from shared memory.
    if (known != nullptr && known->getSExtValue() == width) {
        call(width == 16  ? nvvm_cp_async_cg_shared_global_16
             : width == 8 ? nvvm_cp_async_ca_shared_global_8
                          : nvvm_cp_async_ca_shared_global_4,
             arguments);
        return;
    }
    arguments.push_back(bytes);
    call(width == 16  ? nvvm_cp_async_cg_shared_global_16_s
         : width == 8 ? nvvm_cp_async_ca_shared_global_8_s
                      : nvvm_cp_async_ca_shared_global_4_s,
         arguments);
}

// Before sm_80: whole by one load and one store, in part byte by byte, zeros behind.
void GpuTask::copy_at_once(const ir::Op& op, Value* bytes) {
    const auto width = static_cast<unsigned>(op.attrs.integer(Attr::width));
    llvm::Type* whole = llvm::FixedVectorType::get(builder_.getInt32Ty(), width / 4);
    const llvm::Align alignment(width);
    const ir::MemoryCopyOp copy(source_, op);
    Value* to = value(copy.to());
    Value* from = value(copy.from());
    llvm::BasicBlock* at_once = block("whole");
    llvm::BasicBlock* in_part = block("part");
    llvm::BasicBlock* after = block("copied");
    builder_.CreateCondBr(builder_.CreateICmpEQ(bytes, builder_.getInt32(width)), at_once, in_part);
    builder_.SetInsertPoint(at_once);
    builder_.CreateAlignedStore(builder_.CreateAlignedLoad(whole, from, alignment), to, alignment);
    builder_.CreateBr(after);

    builder_.SetInsertPoint(in_part);
    builder_.CreateAlignedStore(llvm::Constant::getNullValue(whole), to, alignment);
    llvm::BasicBlock* head = block("bytes");
    llvm::BasicBlock* body = block("byte");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    llvm::PHINode* at = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    at->addIncoming(builder_.getInt32(0), in_part);
    builder_.CreateCondBr(builder_.CreateICmpSLT(at, bytes), body, after);
    builder_.SetInsertPoint(body);
    Value* one = builder_.CreateLoad(builder_.getInt8Ty(), builder_.CreateGEP(builder_.getInt8Ty(), from, at));
    builder_.CreateStore(one, builder_.CreateGEP(builder_.getInt8Ty(), to, at));
    at->addIncoming(builder_.CreateAdd(at, builder_.getInt32(1)), body);
    builder_.CreateBr(head);
    builder_.SetInsertPoint(after);
}

}  // namespace tsr::codegen
