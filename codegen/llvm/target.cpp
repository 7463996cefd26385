#include "codegen/llvm/target.h"

#include "codegen/llvm/element.h"
#include "codegen/llvm/types.h"
#include "ir/core/internal.h"
#include "ir/ops/record.h"
#include "ir/ops/reduction.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

void TargetBody::emit_function() {
    if (debug_ != nullptr) debug_->locate(builder_, {});
    emit_region(source_.body);
    if (debug_ != nullptr) debug_->locate(builder_, {});
    builder_.CreateRetVoid();
}

void TargetBody::emit_own(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::slot:
            define(op.results[0], slots_.at(op.attrs.integer(Attr::count)));
            return;
        case OpKind::task_begin:
            define(op.results[0], task_.begin);
            return;
        case OpKind::task_end:
            define(op.results[0], task_.end);
            return;
        case OpKind::scratch:
            define(op.results[0],
                   builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), task_.scratch,
                                                       static_cast<uint64_t>(op.attrs.integer(Attr::count))));
            return;
        default:
            break;
    }
    if (emit_memory(op) || emit_vector(op) || emit_effect(op)) return;
    throw ir::InternalError("no code is emitted for `" + std::string(ir::name(op.kind)) + "` on level Target");
}

bool TargetBody::emit_memory(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::stack:
            emit_stack(op);
            return true;
        case OpKind::pointer_add: {
            llvm::Type* element = memory_type(target_.getContext(), operand_type(op, 0).elem);
            Value* offset =
                builder_.CreateIntCast(operand(op, 1), builder_.getInt64Ty(), is_signed(operand_type(op, 1).elem));
            define(op.results[0], builder_.CreateInBoundsGEP(element, operand(op, 0), offset));
            return true;
        }
        case OpKind::load:
            emit_load(op);
            return true;
        case OpKind::store:
            emit_store(op);
            return true;
        case OpKind::gather:
            emit_gather(op);
            return true;
        case OpKind::scatter:
            emit_scatter(op);
            return true;
        case OpKind::memory_copy:
            builder_.CreateMemCpy(operand(op, 0), llvm::MaybeAlign(), operand(op, 1), llvm::MaybeAlign(),
                                  builder_.CreateIntCast(operand(op, 2), builder_.getInt64Ty(), true));
            return true;
        case OpKind::prefetch: {
            constexpr int kRead = 0;
            constexpr int kSecondCache = 2;
            constexpr int kData = 1;
            llvm::Type* element = memory_type(target_.getContext(), operand_type(op, 0).elem);
            Value* offset = builder_.CreateIntCast(operand(op, 1), builder_.getInt64Ty(), true);
            Value* address = builder_.CreateGEP(element, operand(op, 0), offset);
            builder_.CreateIntrinsic(
                llvm::Intrinsic::prefetch, {builder_.getPtrTy()},
                {address, builder_.getInt32(kRead), builder_.getInt32(kSecondCache), builder_.getInt32(kData)});
            return true;
        }
        default:
            return false;
    }
}

bool TargetBody::emit_vector(const ir::Op& op) {
    const auto position = [&](size_t at) -> Value* {
        if (op.attrs.has(Attr::axis)) return builder_.getInt32(static_cast<uint32_t>(op.attrs.integer(Attr::axis)));
        return operand(op, at);
    };
    switch (op.kind) {
        case OpKind::splat:
            define(op.results[0],
                   builder_.CreateVectorSplat(static_cast<unsigned>(op.attrs.integer(Attr::width)), operand(op, 0)));
            return true;
        case OpKind::iota: {
            llvm::Type* element = element_type(target_.getContext(), op.attrs.dtype(Attr::type));
            std::vector<llvm::Constant*> lanes;
            for (int64_t i = 0; i < op.attrs.integer(Attr::width); ++i) {
                lanes.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i), false, true));
            }
            define(op.results[0], llvm::ConstantVector::get(lanes));
            return true;
        }
        case OpKind::extract:
            define(op.results[0], builder_.CreateExtractElement(operand(op, 0), position(1)));
            return true;
        case OpKind::insert:
            define(op.results[0], builder_.CreateInsertElement(operand(op, 0), operand(op, 1), position(2)));
            return true;
        case OpKind::vector_reduce:
            emit_reduce(op);
            return true;
        default:
            return false;
    }
}

bool TargetBody::emit_effect(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::for_active:
            emit_for_active(op);
            return true;
        case OpKind::atomic_rmw:
            emit_atomic(op);
            return true;
        case OpKind::print:
            emit_print(op);
            return true;
        case OpKind::assert_:
            emit_assert(op);
            return true;
        case OpKind::runtime:
            emit_runtime(op);
            return true;
        default:
            return false;
    }
}

// The upper half with the lower, again and again; of an odd number the middle one waits for the next round.
void TargetBody::emit_reduce(const ir::Op& op) {
    const auto kind = static_cast<ir::ReduceOp>(op.attrs.integer(Attr::op));
    const DType type = operand_type(op, 0).elem;
    Value* vector = operand(op, 0);
    unsigned width = operand_type(op, 0).width;
    if (ir::is_logical(kind)) {
        Value* bits = builder_.CreateBitCast(vector, builder_.getIntNTy(width));
        Value* result = kind == ir::ReduceOp::any
                            ? builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()))
                            : builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
        define(op.results[0], result);
        return;
    }
    const OpKind step = ir::combining(kind);
    while (width > 1) {
        const unsigned lower = (width + 1) / 2;
        const unsigned upper = width - lower;
        std::vector<int> first;
        std::vector<int> second;
        std::vector<int> waiting;
        for (unsigned i = 0; i < upper; ++i) {
            first.push_back(static_cast<int>(i));
            second.push_back(static_cast<int>(lower + i));
        }
        Value* const halves[] = {builder_.CreateShuffleVector(vector, first),
                                 builder_.CreateShuffleVector(vector, second)};
        Value* joined = emit_element(build_, {step, type, type, halves});
        if (lower != upper) {
            Value* middle = builder_.CreateExtractElement(vector, upper);
            for (unsigned i = 0; i < lower; ++i) waiting.push_back(i < upper ? static_cast<int>(i) : -1);
            joined = builder_.CreateInsertElement(builder_.CreateShuffleVector(joined, waiting), middle, upper);
        }
        vector = joined;
        width = lower;
    }
    define(op.results[0], builder_.CreateExtractElement(vector, uint64_t{0}));
}

// The true lanes from the lowest on: the mask's bits, one cleared after the other.
void TargetBody::emit_for_active(const ir::Op& op) {
    llvm::Type* bits_type = builder_.getIntNTy(operand_type(op, 0).width);
    Value* zero = llvm::Constant::getNullValue(bits_type);
    Value* all = builder_.CreateBitCast(operand(op, 0), bits_type);
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
