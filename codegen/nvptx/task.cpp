#include "codegen/nvptx/task.h"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/machine/gpu.h"
#include "ir/ops/reduction.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

bool GpuTask::emit_of_machine(const ir::Op& op) {
    if (emit_place(op) || emit_threads(op) || emit_warps(op) || emit_copy(op) || emit_box(op)) return true;
    switch (op.kind) {
        case OpKind::print:
            emit_print(op);
            return true;
        case OpKind::assert_:
            emit_assert(op);
            return true;
        case OpKind::runtime:
            emit_result(op);
            return true;
        default:
            return false;
    }
}

bool GpuTask::emit_place(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::slot:
            emit_slot(op);
            return true;
        case OpKind::task_begin:
            define(op.results[0], target_.getArg(static_cast<unsigned>(slots_)));
            return true;
        case OpKind::task_end:
            define(op.results[0], target_.getArg(static_cast<unsigned>(slots_ + 1)));
            return true;
        case OpKind::thread_id:
            emit_thread(op);
            return true;
        case OpKind::block_id:
            emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
            return true;
        case OpKind::block_count:
            emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
            return true;
        case OpKind::scratch:
            emit_scratch(op);
            return true;
        default:
            return false;
    }
}

bool GpuTask::emit_threads(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::block_barrier:
            emit_barrier(op);
            return true;
        case OpKind::warp_shuffle:
            emit_shuffle(op);
            return true;
        case OpKind::warp_vote:
            emit_vote(op);
            return true;
        case OpKind::warp_barrier:
            call(llvm::Intrinsic::nvvm_bar_warp_sync, {builder_.getInt32(0xffffffff)});
            return true;
        case OpKind::proxy_fence:
            call(llvm::Intrinsic::nvvm_fence_proxy_async_shared_cta, {});
            return true;
        case OpKind::fewer_registers:
            call(llvm::Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32, {number(op, Attr::count)});
            return true;
        case OpKind::more_registers:
            call(llvm::Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32, {number(op, Attr::count)});
            return true;
        default:
            return false;
    }
}

// What warps and warp groups multiply.
bool GpuTask::emit_warps(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::mma:
            emit_product(op);
            return true;
        case OpKind::load_matrix:
            emit_load_matrix(op);
            return true;
        case OpKind::store_matrix:
            emit_store_matrix(op);
            return true;
        case OpKind::matrix_descriptor:
            emit_matrix_descriptor(op);
            return true;
        case OpKind::group_mma:
            emit_group_product(op);
            return true;
        case OpKind::group_wait:
            emit_group_wait(op);
            return true;
        default:
            return false;
    }
}

void GpuTask::emit_barrier(const ir::Op& op) {
    if (!op.attrs.has(Attr::count)) {
        call(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {builder_.getInt32(0)});
        return;
    }
    call(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count, {number(op, Attr::axis), number(op, Attr::count)});
}

void GpuTask::emit_slot(const ir::Op& op) {
    Value* given = target_.getArg(static_cast<unsigned>(op.attrs.integer(Attr::count)));
    const ir::Type& type = source_.type(op.results[0]);
    define(op.results[0], type.is_scalar() ? scalar_from_bits(build_, type.elem, given) : given);
}

// LLVM neither moves what has effects nor takes two of them for one.
void GpuTask::emit_thread(const ir::Op& op) {
    if (!op.attrs.has(Attr::mode)) return emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
    auto* signature = llvm::FunctionType::get(builder_.getInt32Ty(), false);
    llvm::CallInst* read = builder_.CreateCall(llvm::InlineAsm::get(signature, "mov.u32 $0, %tid.x;", "=r", true), {});
    read->addFnAttr(llvm::Attribute::NoUnwind);
    read->addFnAttr(
        llvm::Attribute::getWithMemoryEffects(builder_.getContext(), llvm::MemoryEffects::inaccessibleMemOnly()));
    llvm::ConstantRange numbers(llvm::APInt(32, 0), llvm::APInt(32, ir::kMostThreads));
    read->addRangeRetAttr(numbers);
    define_number(op, read);
}

void GpuTask::emit_number(const ir::Op& op, llvm::Intrinsic::ID special_register) {
    define_number(op, call(special_register, {}));
}

// The numbers are 32 bits wide and never negative.
void GpuTask::define_number(const ir::Op& op, Value* number) {
    define(op.results[0], builder_.CreateZExt(number, builder_.getInt64Ty(), "", true));
}

// Shared memory is one array whose size the launch says.
void GpuTask::emit_scratch(const ir::Op& op) {
    constexpr const char* kName = "tsr_shared";
    constexpr uint64_t kAlignment = 1024;
    llvm::Module& module = data_.module();
    llvm::GlobalVariable* memory = module.getNamedGlobal(kName);
    if (memory == nullptr) {
        auto* bytes = llvm::ArrayType::get(builder_.getInt8Ty(), 0);
        memory = new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr, kName,
                                          nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
        memory->setAlignment(llvm::Align(kAlignment));
    }
    const auto offset = static_cast<uint64_t>(op.attrs.integer(Attr::count));
    define(op.results[0], builder_.CreateConstGEP1_64(builder_.getInt8Ty(), memory, offset));
}

// Words of 32 bits travel; what is narrower in one, what is wider in two.
void GpuTask::emit_shuffle(const ir::Op& op) {
    const std::string& mode = op.attrs.string(Attr::mode);
    const auto by = mode == "index" ? llvm::Intrinsic::nvvm_shfl_sync_idx_i32
                    : mode == "xor" ? llvm::Intrinsic::nvvm_shfl_sync_bfly_i32
                    : mode == "up"  ? llvm::Intrinsic::nvvm_shfl_sync_up_i32
                                    : llvm::Intrinsic::nvvm_shfl_sync_down_i32;
    constexpr uint32_t kAllLanes = 0xffffffff;
    const uint32_t bound = mode == "up" ? 0 : 31;  // the last lane that may be asked
    Value* value = operand(op, 0);
    const unsigned width = value->getType()->getScalarSizeInBits();
    Value* bits = builder_.CreateBitCast(value, builder_.getIntNTy(width));
    const unsigned words = (width + 31) / 32;
    bits = builder_.CreateZExt(bits, builder_.getIntNTy(32 * words));
    Value* result = llvm::ConstantInt::get(bits->getType(), 0);
    for (unsigned word = 0; word < words; ++word) {
        Value* part = builder_.CreateTrunc(builder_.CreateLShr(bits, 32 * word), builder_.getInt32Ty());
        part = call(by, {builder_.getInt32(kAllLanes), part, operand(op, 1), builder_.getInt32(bound)});
        result = builder_.CreateOr(result, builder_.CreateShl(builder_.CreateZExt(part, bits->getType()), 32 * word));
    }
    result = builder_.CreateTrunc(result, builder_.getIntNTy(width));
    define(op.results[0], builder_.CreateBitCast(result, value->getType()));
}

void GpuTask::emit_vote(const ir::Op& op) {
    const std::string& mode = op.attrs.string(Attr::mode);
    const auto asked = mode == "any"   ? llvm::Intrinsic::nvvm_vote_any_sync
                       : mode == "all" ? llvm::Intrinsic::nvvm_vote_all_sync
                                       : llvm::Intrinsic::nvvm_vote_ballot_sync;
    define(op.results[0], call(asked, {builder_.getInt32(0xffffffff), operand(op, 0)}));
}

}  // namespace tsr::codegen
