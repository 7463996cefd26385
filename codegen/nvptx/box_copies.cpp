// Copies of boxes of tensors, the barriers that count what they bring, and clusters.
#include <algorithm>
#include <array>

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/task.h"
#include "ir/ops/boxes.h"

namespace tsr::codegen {

using ir::Attr;
using llvm::Value;

namespace {

// Of all blocks of the cluster, not of this one.
bool of_cluster(const ir::Op& op) { return op.attrs.has(Attr::cluster); }

}  // namespace

void GpuTask::emit_mbarrier_init(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_mbarrier_init_shared,
         {value(ir::MbarrierOp(source_, op).mbarrier()), number(op, Attr::count)});
}

void GpuTask::emit_mbarrier_fence(const ir::Op&) {
    call(llvm::Intrinsic::nvvm_fence_mbarrier_init_release_cluster, {});
}

// The slots that neighbours share are written by TMA copies alone, which order themselves by the bytes that they count:
// no scope needs to be wider than the block. One of the cluster would wait for all accesses of the thread (MEMBAR in
// SASS) in each round of the products.
void GpuTask::emit_mbarrier_arrive(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    const ir::MbarrierOp arrive(source_, op);
    Value* mbarrier = value(arrive.mbarrier());
    if (op.attrs.has(Attr::count)) {
        call(nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta, {mbarrier, number(op, Attr::count)});
    } else if (arrive.block()) {
        Value* there = call(nvvm_mapa_shared_cluster, {mbarrier, value(*arrive.block())});
        call(nvvm_mbarrier_arrive_scope_cta_space_cluster, {there, builder_.getInt32(1)});
    } else {
        call(nvvm_mbarrier_arrive_scope_cta_space_cta, {mbarrier, builder_.getInt32(1)});
    }
}

// The instruction may give up before the phase has ended.
void GpuTask::emit_mbarrier_wait(const ir::Op& op) {
    llvm::BasicBlock* head = block("arrivals");
    llvm::BasicBlock* after = block("arrived");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    const ir::MbarrierOp wait(source_, op);
    Value* ended = call(llvm::Intrinsic::nvvm_mbarrier_try_wait_parity_scope_cta_space_cta,
                        {value(wait.mbarrier()), value(wait.parity())});
    builder_.CreateCondBr(ended, after, head);
    builder_.SetInsertPoint(after);
}

void GpuTask::emit_copy_box(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    constexpr std::array kCopies{nvvm_cp_async_bulk_tensor_g2s_tile_1d, nvvm_cp_async_bulk_tensor_g2s_tile_2d,
                                 nvvm_cp_async_bulk_tensor_g2s_tile_3d, nvvm_cp_async_bulk_tensor_g2s_tile_4d,
                                 nvvm_cp_async_bulk_tensor_g2s_tile_5d};
    auto* to_type = llvm::PointerType::get(target_.getContext(), kClusterSpace);
    const ir::BoxOp copy(source_, op);
    std::vector<Value*> arguments{builder_.CreateAddrSpaceCast(value(copy.box()), to_type), value(copy.mbarrier()),
                                  map_of(op)};
    const size_t rank = copy.extents().size();
    for (size_t axis = rank; axis-- > 0;) arguments.push_back(value(copy.starts()[axis]));
    // With no hint to the caches.
    constexpr uint16_t kBlocks = 0b11;
    arguments.insert(arguments.end(), {builder_.getInt16(of_cluster(op) ? kBlocks : 0), builder_.getInt64(0),
                                       builder_.getInt1(of_cluster(op)), builder_.getFalse(), builder_.getInt32(0)});
    call(kCopies[rank - 1], arguments);
}

void GpuTask::emit_store_box(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    constexpr std::array kCopies{nvvm_cp_async_bulk_tensor_s2g_tile_1d, nvvm_cp_async_bulk_tensor_s2g_tile_2d,
                                 nvvm_cp_async_bulk_tensor_s2g_tile_3d, nvvm_cp_async_bulk_tensor_s2g_tile_4d,
                                 nvvm_cp_async_bulk_tensor_s2g_tile_5d};
    const ir::BoxOp copy(source_, op);
    std::vector<Value*> arguments{value(copy.box()), map_of(op)};
    const size_t rank = copy.extents().size();
    for (size_t axis = rank; axis-- > 0;) arguments.push_back(value(copy.starts()[axis]));
    arguments.insert(arguments.end(), {builder_.getInt64(0), builder_.getFalse()});
    call(kCopies[rank - 1], arguments);
    call(nvvm_cp_async_bulk_commit_group, {});
}

void GpuTask::emit_boxes_read(const ir::Op& op) {
    call(llvm::Intrinsic::nvvm_cp_async_bulk_wait_group_read, {number(op, Attr::count)});
}

void GpuTask::emit_cluster_rank(const ir::Op& op) {
    emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank);
}

void GpuTask::emit_cluster_count(const ir::Op& op) {
    emit_number(op, llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank);
}

void GpuTask::emit_cluster_barrier(const ir::Op&) {
    call(llvm::Intrinsic::nvvm_barrier_cluster_arrive, {});
    call(llvm::Intrinsic::nvvm_barrier_cluster_wait, {});
}

Value* GpuTask::map_of(const ir::Op& op) {
    const auto number = std::ranges::find(maps_, ir::box_map(source_, op)) - maps_.begin();
    return target_.getArg(static_cast<unsigned>(slots_ + 3 + static_cast<size_t>(number)));
}

}  // namespace tsr::codegen
