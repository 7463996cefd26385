// Structured control flow as blocks and phis.
#include "ir/ops/control.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include "codegen/llvm/body.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

using llvm::Value;

namespace {

// Loops are unrolled where the program asks, by the count it gives.
void ask_unroll(llvm::BranchInst* latch, int64_t count) {
    llvm::LLVMContext& context = latch->getContext();
    auto* number = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), count));
    auto* unroll = llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.unroll.count"), number});
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, unroll});
    loop->replaceOperandWith(0, loop);
    latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace

void Body::bind_arguments(ir::RegionId region, const Values& values) {
    const std::vector<ir::ValueId>& args = source_.region(region).args;
    for (size_t i = 0; i < args.size(); ++i) define(args[i], values[i]);
}

std::vector<llvm::PHINode*> Body::carry(const Values& initial, llvm::BasicBlock* from) {
    std::vector<llvm::PHINode*> phis;
    for (Value* value : initial) {
        phis.push_back(builder_.CreatePHI(value->getType(), 2));
        phis.back()->addIncoming(value, from);
    }
    return phis;
}

void Body::close_loop(const std::vector<llvm::PHINode*>& carried, const Values& next) {
    for (size_t i = 0; i < carried.size(); ++i) carried[i]->addIncoming(next[i], builder_.GetInsertBlock());
}

// The counter is 64 bits wide whatever the type of the bounds, unless it is known not to pass the end of a narrow one:
// it would begin again.
void Body::emit_for(const ir::Op& op) {
    const ir::ForOp loop(source_, op);
    const DType type = this->type(loop.lower()).elem;
    const bool has_sign = is_signed(type);
    auto* wide = builder_.getIntNTy(static_cast<unsigned>(op.attrs.integer(ir::Attr::width, 64)));
    Value* lower = builder_.CreateIntCast(value(loop.lower()), wide, has_sign);
    Value* upper = builder_.CreateIntCast(value(loop.upper()), wide, has_sign);
    Value* step = builder_.CreateIntCast(value(loop.step()), wide, has_sign);
    Values initial{lower};
    for (ir::ValueId init : loop.inits()) initial.push_back(value(init));

    const bool is_u64 = type == DType::u64;
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(step);
    // A short loop whose step may be negative counts by its amount, from and to numbers that are turned round with it:
    // one comparison each time, at the price of one more register.
    Value* turned = nullptr;
    Value* zero = llvm::ConstantInt::get(wide, 0);
    const bool is_short = op.attrs.has(ir::Attr::unroll);
    if (is_short && known == nullptr && !is_u64 && !llvm::isKnownPositive(step, target_.getParent()->getDataLayout())) {
        turned = builder_.CreateAShr(step, wide->getBitWidth() - 1);
        initial.push_back(builder_.CreateXor(lower, turned));
        auto* least = llvm::ConstantInt::get(wide, llvm::APInt::getSignedMinValue(wide->getBitWidth()));
        upper = builder_.CreateSelect(builder_.CreateICmpEQ(step, zero), least, builder_.CreateXor(upper, turned));
    }
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* head = block("for");
    llvm::BasicBlock* body = block("round");
    llvm::BasicBlock* done = block("done");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    const std::vector<llvm::PHINode*> carried = carry(initial, before);
    Value* counter = turned != nullptr ? carried.back() : carried[0];
    Value* up = is_u64 ? builder_.CreateICmpULT(counter, upper) : builder_.CreateICmpSLT(counter, upper);
    Value* down = builder_.CreateICmpSGT(counter, upper);
    Value* more = up;
    if (known != nullptr) {
        more = known->isZero() ? builder_.getFalse() : (is_u64 || known->getSExtValue() > 0) ? up : down;
    } else if (turned == nullptr) {
        // A step known to be positive or negative leaves one comparison.
        Value* rises = is_u64 ? builder_.CreateICmpNE(step, zero) : builder_.CreateICmpSGT(step, zero);
        Value* falls = is_u64 ? builder_.getFalse() : builder_.CreateICmpSLT(step, zero);
        more = builder_.CreateOr(builder_.CreateAnd(rises, up), builder_.CreateAnd(falls, down));
    }
    builder_.CreateCondBr(more, body, done);

    builder_.SetInsertPoint(body);
    Values args{builder_.CreateIntCast(carried[0], element_type(target_.getContext(), type), has_sign)};
    const auto own = carried.end() - (turned != nullptr ? 1 : 0);
    args.insert(args.end(), carried.begin() + 1, own);
    bind_arguments(op.regions[0], args);
    Values next = emit_region(op.regions[0]);
    locate(op);
    next.insert(next.begin(), builder_.CreateAdd(carried[0], step, "next", false, !is_u64));
    if (turned != nullptr) {
        Value* amount = builder_.CreateSub(builder_.CreateXor(step, turned), turned);
        next.push_back(builder_.CreateAdd(counter, amount, "count"));
    }
    close_loop(carried, next);
    llvm::BranchInst* latch = builder_.CreateBr(head);
    if (op.attrs.has(ir::Attr::unroll)) ask_unroll(latch, op.attrs.integer(ir::Attr::unroll));
    builder_.SetInsertPoint(done);
    define_results(op, Values(carried.begin() + 1, own));
}

void Body::emit_while(const ir::Op& op) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* head = block("while");
    llvm::BasicBlock* body = block("round");
    llvm::BasicBlock* done = block("done");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    const std::vector<llvm::PHINode*> carried = carry(values(op.operands), before);
    const Values args(carried.begin(), carried.end());
    bind_arguments(op.regions[0], args);
    Value* more = emit_region(op.regions[0])[0];
    builder_.CreateCondBr(more, body, done);
    builder_.SetInsertPoint(body);
    bind_arguments(op.regions[1], args);
    close_loop(carried, emit_region(op.regions[1]));
    locate(op);
    builder_.CreateBr(head);
    builder_.SetInsertPoint(done);
    define_results(op, args);
}

void Body::emit_if(const ir::Op& op) {
    llvm::BasicBlock* then = block("then");
    llvm::BasicBlock* otherwise = block("else");
    llvm::BasicBlock* after = block("endif");
    builder_.CreateCondBr(value(ir::IfOp(source_, op).condition()), then, otherwise);
    builder_.SetInsertPoint(then);
    const Values first = emit_region(op.regions[0]);
    llvm::BasicBlock* then_end = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(otherwise);
    const Values second = emit_region(op.regions[1]);
    llvm::BasicBlock* otherwise_end = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    for (size_t i = 0; i < op.results.size(); ++i) {
        llvm::PHINode* chosen = builder_.CreatePHI(first[i]->getType(), 2);
        chosen->addIncoming(first[i], then_end);
        chosen->addIncoming(second[i], otherwise_end);
        define(op.results[i], chosen);
    }
}

}  // namespace tsr::codegen
