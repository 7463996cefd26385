#include "codegen/nvptx/task.h"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/core/total.h"
#include "ir/machine/gpu.h"
#include "ir/ops/reduction.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

// What each operation becomes.
struct GpuTask::Emits {
    static constexpr ir::Row<void (GpuTask::*)(const ir::Op&)> kRows[]{
        {OpKind::constant, &GpuTask::emit_constant},
        {OpKind::yield, &GpuTask::emit_nothing},
        {OpKind::for_, &GpuTask::emit_for},
        {OpKind::while_, &GpuTask::emit_while},
        {OpKind::if_, &GpuTask::emit_if},
        {OpKind::call, &GpuTask::has_no_code},
        {OpKind::dim, &GpuTask::has_no_code},
        {OpKind::print, &GpuTask::emit_print},
        {OpKind::assert_, &GpuTask::emit_assert},

        {OpKind::slot, &GpuTask::emit_slot},
        {OpKind::task_begin, &GpuTask::emit_task_begin},
        {OpKind::task_end, &GpuTask::emit_task_end},
        {OpKind::scratch, &GpuTask::emit_scratch},
        {OpKind::stack, &GpuTask::emit_stack},
        {OpKind::pointer_add, &GpuTask::emit_pointer_add},
        {OpKind::load, &GpuTask::emit_load},
        {OpKind::store, &GpuTask::emit_store},
        {OpKind::gather, &GpuTask::has_no_code},
        {OpKind::scatter, &GpuTask::has_no_code},
        {OpKind::splat, &GpuTask::emit_splat},
        {OpKind::iota, &GpuTask::emit_iota},
        {OpKind::extract, &GpuTask::emit_extract},
        {OpKind::insert, &GpuTask::emit_insert},
        {OpKind::vector_reduce, &GpuTask::emit_reduce},
        {OpKind::for_active, &GpuTask::has_no_code},
        {OpKind::atomic_rmw, &GpuTask::emit_atomic},
        {OpKind::memory_copy, &GpuTask::emit_memory_copy},
        {OpKind::prefetch, &GpuTask::emit_prefetch},
        {OpKind::runtime, &GpuTask::emit_result},
        {OpKind::dot_words, &GpuTask::has_no_code},

        {OpKind::thread_id, &GpuTask::emit_thread},
        {OpKind::block_id, &GpuTask::emit_block_id},
        {OpKind::block_count, &GpuTask::emit_block_count},
        {OpKind::block_barrier, &GpuTask::emit_barrier},
        {OpKind::warp_barrier, &GpuTask::emit_warp_barrier},
        {OpKind::warp_shuffle, &GpuTask::emit_shuffle},
        {OpKind::warp_vote, &GpuTask::emit_vote},
        {OpKind::async_copy, &GpuTask::emit_async_copy},
        {OpKind::async_commit, &GpuTask::emit_async_commit},
        {OpKind::async_wait, &GpuTask::emit_async_wait},
        {OpKind::load_matrix, &GpuTask::emit_load_matrix},
        {OpKind::store_matrix, &GpuTask::emit_store_matrix},
        {OpKind::matrix_descriptor, &GpuTask::emit_matrix_descriptor},
        {OpKind::warp_mma, &GpuTask::emit_warp_product},
        {OpKind::group_mma, &GpuTask::emit_group_product},
        {OpKind::group_wait, &GpuTask::emit_group_wait},
        {OpKind::proxy_fence, &GpuTask::emit_proxy_fence},
        {OpKind::fewer_registers, &GpuTask::emit_fewer_registers},
        {OpKind::more_registers, &GpuTask::emit_more_registers},
        {OpKind::await_turn, &GpuTask::emit_await_turn},
        {OpKind::pass_turn, &GpuTask::emit_pass_turn},

        {OpKind::mbarrier_init, &GpuTask::emit_mbarrier_init},
        {OpKind::mbarrier_fence, &GpuTask::emit_mbarrier_fence},
        {OpKind::mbarrier_arrive, &GpuTask::emit_mbarrier_arrive},
        {OpKind::mbarrier_wait, &GpuTask::emit_mbarrier_wait},
        {OpKind::copy_box, &GpuTask::emit_copy_box},
        {OpKind::store_box, &GpuTask::emit_store_box},
        {OpKind::boxes_read, &GpuTask::emit_boxes_read},
        {OpKind::cluster_rank, &GpuTask::emit_cluster_rank},
        {OpKind::cluster_count, &GpuTask::emit_cluster_count},
        {OpKind::cluster_barrier, &GpuTask::emit_cluster_barrier},
    };
    static constexpr ir::Total<kRows, ir::kControlFamily, ir::kTargetFamily, ir::kGpuFamily, ir::kBoxFamily> kTable{};
};

void GpuTask::emit_own(const ir::Op& op) { (this->*Emits::kTable[op.kind].answer)(op); }

bool GpuTask::has_code(OpKind kind) {
    return ir::is_element(kind) || Emits::kTable[kind].answer != &GpuTask::has_no_code;
}

void GpuTask::emit_task_begin(const ir::Op& op) {
    define(op.results[0], target_.getArg(static_cast<unsigned>(slots_)));
}

void GpuTask::emit_task_end(const ir::Op& op) {
    define(op.results[0], target_.getArg(static_cast<unsigned>(slots_ + 1)));
}

void GpuTask::emit_block_id(const ir::Op& op) { emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }

void GpuTask::emit_block_count(const ir::Op& op) { emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x); }

void GpuTask::emit_warp_barrier(const ir::Op&) {
    call(llvm::Intrinsic::nvvm_bar_warp_sync, {builder_.getInt32(0xffffffff)});
}

void GpuTask::emit_proxy_fence(const ir::Op&) { call(llvm::Intrinsic::nvvm_fence_proxy_async_shared_cta, {}); }

void GpuTask::emit_fewer_registers(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32, {number(op, Attr::count)});
}

void GpuTask::emit_more_registers(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32, {number(op, Attr::count)});
}

// Number 0 is the block's barrier, 1 that of the threads of a role.
Value* GpuTask::barrier_of_turn(const ir::Op& op) {
    constexpr uint32_t kFirstOfTurns = 2;
    return builder_.CreateAdd(value(op.operands.front()), builder_.getInt32(kFirstOfTurns));
}

void GpuTask::emit_await_turn(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count, {barrier_of_turn(op), number(op, Attr::count)});
}

void GpuTask::emit_pass_turn(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_barrier_cta_arrive_aligned_count, {barrier_of_turn(op), number(op, Attr::count)});
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
    const int64_t most = source_.plan ? source_.plan->gpu().block_threads() : ir::kMostThreads;
    const llvm::ConstantRange numbers(llvm::APInt(32, 0), llvm::APInt(32, static_cast<uint64_t>(most)));
    if (!op.attrs.has(Attr::anew)) {
        auto* read = llvm::cast<llvm::CallInst>(call(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}));
        read->addRangeRetAttr(numbers);
        return define_number(op, read);
    }
    auto* signature = llvm::FunctionType::get(builder_.getInt32Ty(), false);
    llvm::CallInst* read = builder_.CreateCall(llvm::InlineAsm::get(signature, "mov.u32 $0, %tid.x;", "=r", true), {});
    read->addFnAttr(llvm::Attribute::NoUnwind);
    read->addFnAttr(
        llvm::Attribute::getWithMemoryEffects(builder_.getContext(), llvm::MemoryEffects::inaccessibleMemOnly()));
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

namespace {

llvm::Intrinsic::ID shuffle_of(ir::ShuffleBy by) {
    switch (by) {
        case ir::ShuffleBy::index:
            return llvm::Intrinsic::nvvm_shfl_sync_idx_i32;
        case ir::ShuffleBy::bit_xor:
            return llvm::Intrinsic::nvvm_shfl_sync_bfly_i32;
        case ir::ShuffleBy::up:
            return llvm::Intrinsic::nvvm_shfl_sync_up_i32;
        case ir::ShuffleBy::down:
            return llvm::Intrinsic::nvvm_shfl_sync_down_i32;
    }
    ir::internal_error("a shuffle of another kind");
}

llvm::Intrinsic::ID vote_of(ir::Vote vote) {
    switch (vote) {
        case ir::Vote::any:
            return llvm::Intrinsic::nvvm_vote_any_sync;
        case ir::Vote::all:
            return llvm::Intrinsic::nvvm_vote_all_sync;
        case ir::Vote::ballot:
            return llvm::Intrinsic::nvvm_vote_ballot_sync;
    }
    ir::internal_error("a vote of another kind");
}

}  // namespace

// Words of 32 bits travel; what is narrower in one, what is wider in two.
void GpuTask::emit_shuffle(const ir::Op& op) {
    const auto from = op.attrs.as<ir::ShuffleBy>(Attr::shuffle);
    const auto by = shuffle_of(from);
    constexpr uint32_t kAllLanes = 0xffffffff;
    const uint32_t bound = from == ir::ShuffleBy::up ? 0 : 31;  // the last lane that may be asked
    const ir::WarpShuffleOp shuffle(source_, op);
    Value* value = this->value(shuffle.value());
    const unsigned width = value->getType()->getScalarSizeInBits();
    Value* bits = builder_.CreateBitCast(value, builder_.getIntNTy(width));
    const unsigned words = (width + 31) / 32;
    bits = builder_.CreateZExt(bits, builder_.getIntNTy(32 * words));
    Value* result = llvm::ConstantInt::get(bits->getType(), 0);
    for (unsigned word = 0; word < words; ++word) {
        Value* part = builder_.CreateTrunc(builder_.CreateLShr(bits, 32 * word), builder_.getInt32Ty());
        part = call(by, {builder_.getInt32(kAllLanes), part, this->value(shuffle.lane()), builder_.getInt32(bound)});
        result = builder_.CreateOr(result, builder_.CreateShl(builder_.CreateZExt(part, bits->getType()), 32 * word));
    }
    result = builder_.CreateTrunc(result, builder_.getIntNTy(width));
    define(op.results[0], builder_.CreateBitCast(result, value->getType()));
}

void GpuTask::emit_vote(const ir::Op& op) {
    define(op.results[0], call(vote_of(op.attrs.as<ir::Vote>(Attr::vote)),
                               {builder_.getInt32(0xffffffff), value(ir::WarpVoteOp(source_, op).condition())}));
}

}  // namespace tsr::codegen
