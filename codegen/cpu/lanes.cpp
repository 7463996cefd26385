// Lanes of a vector that go to memory each for itself, or through code one after the other.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/task.h"
#include "codegen/llvm/types.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using llvm::Value;

namespace {

unsigned lanes_of(const Value* vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

}  // namespace

void CpuTask::emit_gather(const ir::Op& op) {
    const ir::GatherOp gather(source_, op);
    const DType type = this->type(gather.pointer()).elem;
    llvm::Type* stored = memory_type(target_.getContext(), type);
    Value* addresses = builder_.CreateGEP(stored, value(gather.pointer()), value(gather.offsets()));
    llvm::Type* vector = shaped_like(value(gather.offsets()), stored);
    Value* mask = mask_of(op);
    if (mask != nullptr && !gathers_) {
        // LLVM would make a branch for each lane. Instead lanes that are out load a zero from somewhere else.
        Value* elsewhere = builder_.CreateVectorSplat(lanes_of(mask), nothing());
        addresses = builder_.CreateSelect(mask, addresses, elsewhere);
        mask = nullptr;
    }
    Value* gathered = builder_.CreateMaskedGather(vector, addresses, llvm::Align(memory_bytes(type)), mask,
                                                  llvm::Constant::getNullValue(vector));
    define(op.results[0], from_memory(type, gathered));
}

// A zero of any type of element.
Value* CpuTask::nothing() {
    constexpr const char* kName = "nothing";
    llvm::Module& module = *target_.getParent();
    if (llvm::GlobalVariable* made = module.getNamedGlobal(kName)) return made;
    llvm::Type* words = llvm::ArrayType::get(builder_.getInt64Ty(), 2);
    auto* made = new llvm::GlobalVariable(module, words, true, llvm::GlobalValue::PrivateLinkage,
                                          llvm::Constant::getNullValue(words), kName);
    made->setAlignment(llvm::Align(16));
    return made;
}

void CpuTask::emit_scatter(const ir::Op& op) {
    const ir::StoreOp scatter(source_, op);
    const DType type = this->type(scatter.pointer()).elem;
    Value* stored = to_memory(type, value(scatter.value()));
    Value* addresses = builder_.CreateGEP(stored->getType()->getScalarType(), value(scatter.pointer()),
                                          value(ir::GatherOp(source_, op).offsets()));
    builder_.CreateMaskedScatter(stored, addresses, llvm::Align(memory_bytes(type)), mask_of(op));
}

void CpuTask::emit_prefetch(const ir::Op& op) {
    constexpr int kRead = 0;
    constexpr int kSecondCache = 2;
    constexpr int kData = 1;
    builder_.CreateIntrinsic(
        llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
        {address(op, false), builder_.getInt32(kRead), builder_.getInt32(kSecondCache), builder_.getInt32(kData)});
}

// The true lanes from the lowest on: the mask's bits, one cleared after the other.
void CpuTask::emit_for_active(const ir::Op& op) {
    llvm::Type* bits_type = builder_.getIntNTy(type(ir::ForActiveOp(source_, op).mask()).width);
    Value* zero = llvm::Constant::getNullValue(bits_type);
    Value* all = builder_.CreateBitCast(value(ir::ForActiveOp(source_, op).mask()), bits_type);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* head = block("active");
    llvm::BasicBlock* body = block("lane");
    llvm::BasicBlock* done = block("done");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    llvm::PHINode* left = builder_.CreatePHI(bits_type, 2);
    left->addIncoming(all, before);
    builder_.CreateCondBr(builder_.CreateICmpNE(left, zero), body, done);
    builder_.SetInsertPoint(body);
    Value* lane = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue());
    define(
        source_.region(op.regions[0]).args[0],
        builder_.CreateIntCast(
            lane, element_type(target_.getContext(), source_.type(source_.region(op.regions[0]).args[0]).elem), false));
    emit_region(op.regions[0]);
    Value* rest = builder_.CreateAnd(left, builder_.CreateSub(left, llvm::ConstantInt::get(bits_type, 1)));
    left->addIncoming(rest, builder_.GetInsertBlock());
    builder_.CreateBr(head);
    builder_.SetInsertPoint(done);
}

}  // namespace tsr::codegen
