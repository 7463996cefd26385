// What a kernel says: lines, failed assertions, the scalar it returns (runtime/abi/cuda.h).
#include <cstddef>

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/nvptx/task.h"
#include "ir/ops/control.h"
#include "ir/ops/target.h"
#include "runtime/abi.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

namespace {

// Where the number that orders a message stands among the operands.
size_t order_of(const ir::Op& op) { return op.kind == OpKind::print ? 0 : 1; }

// Words that each message of the function takes: those of the longest.
size_t words_of_messages(const ir::Function& source) {
    size_t values = 0;
    for (size_t i = 0; i < source.op_count(); ++i) {
        const ir::Op& op = source.op(ir::OpId(i));
        const bool is_message = op.kind == OpKind::print || op.kind == OpKind::assert_;
        if (is_message && op.parent.valid()) values = std::max(values, op.operands.size() - order_of(op) - 1);
    }
    return TSR_CUDA_MESSAGE_HEAD + values;
}

}  // namespace

GpuTask::GpuTask(const ir::Function& source, llvm::Function& target, const Gpu& gpu, Data& data, DebugInfo* debug,
                 size_t slots, std::vector<DeviceMessage>& messages)
    : TargetBody(source, target, gpu, data, debug),
      gpu_(gpu),
      slots_(slots),
      maps_(ir::box_maps(source)),
      words_(words_of_messages(source)),
      messages_(messages) {}

Value* GpuTask::field(size_t offset) {
    Value* context = target_.getArg(static_cast<unsigned>(slots_ + 2));
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), context, offset);
}

void GpuTask::write_message(const ir::Op& op, size_t first) {
    llvm::Type* i64 = builder_.getInt64Ty();
    DeviceMessage& message = messages_.emplace_back();
    if (op.place.valid()) message.place = source_.place_of(op.place);
    message.text = op.attrs.string(Attr::text);
    for (size_t i = first + 1; i < op.operands.size(); ++i) message.values.push_back(operand_type(op, i).elem);
    Value* head = builder_.CreateOr(
        builder_.getInt64(messages_.size() | (op.kind == OpKind::assert_ ? TSR_CUDA_ASSERTION : 0)),
        builder_.CreateShl(builder_.CreateZExt(call(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}), i64), 32));
    Value* at = builder_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, field(offsetof(TsrDeviceContext, next)),
                                         builder_.getInt64(words_), llvm::Align(8), llvm::AtomicOrdering::Monotonic);
    Value* end = builder_.CreateAdd(at, builder_.getInt64(words_));
    Value* capacity = builder_.CreateLoad(i64, field(offsetof(TsrDeviceContext, capacity)));
    llvm::BasicBlock* fits = block("message");
    llvm::BasicBlock* after = block("said");
    builder_.CreateCondBr(builder_.CreateICmpULE(end, capacity), fits, after);
    builder_.SetInsertPoint(fits);
    Value* words = builder_.CreateLoad(llvm::PointerType::get(target_.getContext(), kGlobalSpace),
                                       field(offsetof(TsrDeviceContext, words)));
    words = builder_.CreateGEP(i64, words, at);
    Value* order = builder_.CreateIntCast(operand(op, first), i64, is_signed(operand_type(op, first).elem));
    builder_.CreateStore(order, builder_.CreateConstGEP1_64(i64, words, 1));
    for (size_t i = first + 1; i < op.operands.size(); ++i) {
        Value* bits = bits_of(operand_type(op, i), operand(op, i));
        const size_t word = TSR_CUDA_MESSAGE_HEAD + i - first - 1;
        builder_.CreateStore(bits, builder_.CreateConstGEP1_64(i64, words, word));
    }
    // The host sees the head only behind the rest.
    call(llvm::Intrinsic::nvvm_membar_sys, {});
    builder_.CreateStore(head, words, true);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
}

void GpuTask::emit_print(const ir::Op& op) { write_message(op, order_of(op)); }

// The launch ends: the host is told first.
void GpuTask::emit_assert(const ir::Op& op) {
    when(builder_.CreateNot(value(ir::AssertOp(source_, op).condition())), [&] {
        write_message(op, order_of(op));
        call(llvm::Intrinsic::nvvm_membar_sys, {});
        builder_.CreateStore(builder_.getInt32(1), field(offsetof(TsrDeviceContext, failed)), true);
        call(llvm::Intrinsic::nvvm_membar_sys, {});
        call(llvm::Intrinsic::trap, {});
        builder_.CreateUnreachable();
    });
}

void GpuTask::emit_result(const ir::Op& op) {
    const ir::ValueId given = ir::RuntimeOp(source_, op).arguments().front();
    builder_.CreateStore(bits_of(type(given), value(given)), field(offsetof(TsrDeviceContext, result)));
}

}  // namespace tsr::codegen
