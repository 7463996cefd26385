#include "codegen/nvptx/boxes.h"

#include <algorithm>
#include <array>

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/task.h"
#include "ir/core/internal.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

namespace {

constexpr std::array kCalls{"mbarrier_init",  "mbarrier_end", "mbarrier_fence", "mbarrier_arrive",
                            "mbarrier_wait",  "copy_box",     "store_box",      "store_matrices",
                            "boxes_read",     "warp_barrier", "block_count",    "fewer_registers",
                            "more_registers", "cluster_rank", "cluster_count",  "cluster_barrier"};

// Of one that names a tensor.
size_t tensor_operand(const ir::Op& op) { return op.attrs.string(Attr::callee) == "copy_box" ? 2 : 1; }

// Of all blocks of the cluster, not of this one.
bool of_cluster(const ir::Op& op) { return op.attrs.has(Attr::mode); }

bool is_call(const ir::Op& op, const char* name) {
    return op.kind == OpKind::runtime && op.attrs.string(Attr::callee) == name;
}

}  // namespace

bool is_box_call(const ir::Op& op) {
    return op.kind == OpKind::runtime && std::ranges::find(kCalls, op.attrs.string(Attr::callee)) != kCalls.end();
}

BoxMap box_map(const ir::Function& function, const ir::Op& copy) {
    const ir::ValueId tensor = copy.operands[tensor_operand(copy)];
    const ir::Op& slot = function.op(function.value(tensor).op);
    if (slot.kind != OpKind::slot) ir::internal_error("a box of a tensor that is no argument");
    return {slot.attrs.integer(Attr::count), bits(function.type(tensor).elem) / 8, copy.attrs.integer(Attr::width, 0),
            copy.attrs.integers(Attr::axes)};
}

std::vector<BoxMap> box_maps(const ir::Function& function) {
    std::vector<BoxMap> maps;
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (!op.parent.valid() || (!is_call(op, "copy_box") && !is_call(op, "store_box"))) continue;
        BoxMap map = box_map(function, op);
        if (std::ranges::find(maps, map) == maps.end()) maps.push_back(std::move(map));
    }
    return maps;
}

bool takes_groups_in_turn(const ir::Function& function) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (op.parent.valid() && is_call(op, "block_count")) return true;
    }
    return false;
}

bool stored_rows_suit(const ir::Function& kernel, const ir::Function& function) {
    constexpr int64_t kUnit = 16;
    const auto row = [&](int64_t slot) { return kernel.type(kernel.params()[static_cast<size_t>(slot)]).shape.back(); };
    std::vector<BoxMap> loaded, stored;
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        if (is_call(op, "copy_box")) loaded.push_back(box_map(function, op));
        if (is_call(op, "store_box")) stored.push_back(box_map(function, op));
    }
    return std::ranges::all_of(stored, [&](const BoxMap& to) {
        if (const auto known = row(to.slot).constant_value()) return *known * to.bytes % kUnit == 0;
        return std::ranges::any_of(
            loaded, [&](const BoxMap& from) { return row(from.slot) == row(to.slot) && to.bytes % from.bytes == 0; });
    });
}

bool GpuTask::emit_box(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    if (!is_box_call(op)) return false;
    const std::string& callee = op.attrs.string(Attr::callee);
    const auto count = [&] { return builder_.getInt32(static_cast<uint32_t>(op.attrs.integer(Attr::count))); };
    if (callee == "mbarrier_init") {
        call(nvvm_mbarrier_init_shared, {operand(op, 0), count()});
    } else if (callee == "mbarrier_end") {
        call(nvvm_mbarrier_inval_shared, {operand(op, 0)});
    } else if (callee == "mbarrier_fence") {
        call(nvvm_fence_mbarrier_init_release_cluster, {});
    } else if (callee == "mbarrier_arrive" && op.attrs.has(Attr::count)) {
        call(nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta, {operand(op, 0), count()});
    } else if (callee == "mbarrier_arrive" && op.operands.size() > 1) {
        Value* there = call(nvvm_mapa_shared_cluster, {operand(op, 0), operand(op, 1)});
        call(nvvm_mbarrier_arrive_scope_cluster_space_cluster, {there, builder_.getInt32(1)});
    } else if (callee == "mbarrier_arrive") {
        call(nvvm_mbarrier_arrive_scope_cta_space_cta, {operand(op, 0), builder_.getInt32(1)});
    } else if (callee == "mbarrier_wait") {
        emit_mbarrier_wait(op);
    } else if (callee == "copy_box") {
        emit_copy_box(op);
    } else if (callee == "store_box") {
        emit_store_box(op);
    } else if (callee == "store_matrices") {
        emit_store_matrices(op);
    } else if (callee == "boxes_read") {
        call(nvvm_cp_async_bulk_wait_group_read, {count()});
    } else if (callee == "warp_barrier") {
        call(nvvm_bar_warp_sync, {builder_.getInt32(0xffffffff)});
    } else if (callee == "block_count") {
        emit_number(op, nvvm_read_ptx_sreg_nctaid_x);
    } else if (callee == "cluster_rank") {
        emit_number(op, nvvm_read_ptx_sreg_cluster_ctarank);
    } else if (callee == "cluster_count") {
        emit_number(op, nvvm_read_ptx_sreg_cluster_nctarank);
    } else if (callee == "cluster_barrier") {
        call(nvvm_barrier_cluster_arrive, {});
        call(nvvm_barrier_cluster_wait, {});
    } else if (callee == "fewer_registers") {
        call(nvvm_setmaxnreg_dec_sync_aligned_u32, {count()});
    } else {
        call(nvvm_setmaxnreg_inc_sync_aligned_u32, {count()});
    }
    return true;
}

// The instruction may give up before the phase has ended.
void GpuTask::emit_mbarrier_wait(const ir::Op& op) {
    llvm::BasicBlock* head = block("arrivals");
    llvm::BasicBlock* after = block("arrived");
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    Value* ended = call(of_cluster(op) ? llvm::Intrinsic::nvvm_mbarrier_try_wait_parity_scope_cluster_space_cta
                                       : llvm::Intrinsic::nvvm_mbarrier_try_wait_parity_scope_cta_space_cta,
                        {operand(op, 0), operand(op, 1)});
    builder_.CreateCondBr(ended, after, head);
    builder_.SetInsertPoint(after);
}

void GpuTask::emit_copy_box(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    constexpr std::array kCopies{nvvm_cp_async_bulk_tensor_g2s_tile_1d, nvvm_cp_async_bulk_tensor_g2s_tile_2d,
                                 nvvm_cp_async_bulk_tensor_g2s_tile_3d, nvvm_cp_async_bulk_tensor_g2s_tile_4d,
                                 nvvm_cp_async_bulk_tensor_g2s_tile_5d};
    auto* to_type = llvm::PointerType::get(target_.getContext(), kClusterSpace);
    std::vector<Value*> arguments{builder_.CreateAddrSpaceCast(operand(op, 0), to_type), operand(op, 1), map_of(op)};
    const size_t rank = op.attrs.integers(Attr::axes).size();
    for (size_t axis = rank; axis-- > 0;) arguments.push_back(operand(op, 3 + axis));
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
    std::vector<Value*> arguments{operand(op, 0), map_of(op)};
    const size_t rank = op.attrs.integers(Attr::axes).size();
    for (size_t axis = rank; axis-- > 0;) arguments.push_back(operand(op, 2 + axis));
    arguments.insert(arguments.end(), {builder_.getInt64(0), builder_.getFalse()});
    call(kCopies[rank - 1], arguments);
    call(nvvm_cp_async_bulk_commit_group, {});
}

void GpuTask::emit_store_matrices(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    const unsigned words = operand_type(op, 1).width / 2;
    auto* type = llvm::FixedVectorType::get(builder_.getInt32Ty(), words);
    Value* value = builder_.CreateBitCast(operand(op, 1), type);
    std::vector<Value*> arguments{operand(op, 0)};
    for (unsigned word = 0; word < words; ++word) arguments.push_back(builder_.CreateExtractElement(value, word));
    auto* store = llvm::Intrinsic::getOrInsertDeclaration(
        &data_.module(), words == 4 ? nvvm_stmatrix_sync_aligned_m8n8_x4_b16 : nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
        {arguments[0]->getType()});
    builder_.CreateCall(store, arguments)->addFnAttr(llvm::Attribute::Convergent);
}

Value* GpuTask::map_of(const ir::Op& op) {
    const auto number = std::ranges::find(maps_, box_map(source_, op)) - maps_.begin();
    return target_.getArg(static_cast<unsigned>(slots_ + 3 + static_cast<size_t>(number)));
}

}  // namespace tsr::codegen
