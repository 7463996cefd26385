// One thread of a kernel on a GPU.
#pragma once

#include <vector>

#include "codegen/llvm/target.h"
#include "codegen/nvptx/device_message.h"
#include "codegen/nvptx/gpu.h"
#include "ir/passes/target/gpu/box_maps.h"

namespace tsr::codegen {

// Pointers are in the address spaces of NVPTX, as far as they are known.
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kSharedSpace = 3;
inline constexpr unsigned kClusterSpace = 7;  // shared memory of the blocks of a cluster

class GpuTask : public TargetBody {
public:
    // `target` has a parameter per slot, then begin, end and the context (runtime/abi/cuda.h). Appends what the kernel
    // can say to `messages`.
    GpuTask(const ir::Function& source, llvm::Function& target, const Gpu& gpu, Data& data, DebugInfo* debug,
            size_t slots, std::vector<DeviceMessage>& messages);

    // False for what another kind of machine has.
    static bool has_code(ir::OpKind kind);

private:
    struct Emits;  // what each operation becomes: a table in task.cpp
    void emit_own(const ir::Op& op) override;
    void emit_atomic(const ir::Op& op) override;  // atomics.cpp
    [[nodiscard]] llvm::SyncScope::ID atomic_scope() const override;
    [[nodiscard]] uint64_t least_stack_alignment() const override { return 1; }

    void emit_packed_addition(const ir::Op& op);
    void emit_slot(const ir::Op& op);
    void emit_scratch(const ir::Op& op);
    void emit_task_begin(const ir::Op& op);
    void emit_task_end(const ir::Op& op);
    void emit_thread(const ir::Op& op);
    void emit_block_id(const ir::Op& op);
    void emit_block_count(const ir::Op& op);
    void emit_number(const ir::Op& op, llvm::Intrinsic::ID special_register);
    void define_number(const ir::Op& op, llvm::Value* number);
    void emit_shuffle(const ir::Op& op);
    void emit_vote(const ir::Op& op);
    void emit_warp_product(const ir::Op& op);  // products.cpp
    void emit_load_matrix(const ir::Op& op);
    void emit_store_matrix(const ir::Op& op);
    // group_products.cpp
    void emit_matrix_descriptor(const ir::Op& op);
    void emit_group_product(const ir::Op& op);
    void emit_group_wait(const ir::Op& op);
    std::vector<llvm::Value*> group_asm(const std::string& text, const ir::Op& op, size_t first,
                                        const std::vector<llvm::Value*>& others);
    void emit_async_copy(const ir::Op& op);  // copies.cpp
    void emit_async_commit(const ir::Op& op);
    void emit_async_wait(const ir::Op& op);
    void emit_prefetch(const ir::Op& op);
    void emit_mbarrier_init(const ir::Op& op);  // box_copies.cpp
    void emit_mbarrier_fence(const ir::Op& op);
    void emit_mbarrier_arrive(const ir::Op& op);
    void emit_mbarrier_wait(const ir::Op& op);
    void emit_copy_box(const ir::Op& op);
    void emit_store_box(const ir::Op& op);
    void emit_boxes_read(const ir::Op& op);
    void emit_cluster_rank(const ir::Op& op);
    void emit_cluster_count(const ir::Op& op);
    void emit_cluster_barrier(const ir::Op& op);
    llvm::Value* map_of(const ir::Op& op);
    void emit_barrier(const ir::Op& op);
    void emit_warp_barrier(const ir::Op& op);
    void emit_proxy_fence(const ir::Op& op);
    void emit_fewer_registers(const ir::Op& op);
    void emit_more_registers(const ir::Op& op);
    llvm::Value* barrier_of_turn(const ir::Op& op);
    void emit_await_turn(const ir::Op& op);
    void emit_pass_turn(const ir::Op& op);
    void copy_at_once(const ir::Op& op, llvm::Value* bytes);
    void emit_print(const ir::Op& op);
    void emit_assert(const ir::Op& op);
    void emit_result(const ir::Op& op);

    llvm::Value* number(const ir::Op& op, ir::Attr attr) {
        return builder_.getInt32(static_cast<uint32_t>(op.attrs.integer(attr, 0)));
    }
    llvm::Value* call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> arguments) {
        return builder_.CreateIntrinsic(id, {}, arguments);
    }
    // Puts a message into the buffer: its number, the thread, the operand `first`, which orders it, then the values.
    void write_message(const ir::Op& op, size_t first);
    // A field of TsrDeviceContext, by its bytes from the beginning.
    llvm::Value* field(size_t offset);

    const Gpu& gpu_;
    size_t slots_;
    std::vector<ir::BoxMap> maps_;  // whose parameters stand behind the context
    size_t words_ = 0;              // of each message
    std::vector<DeviceMessage>& messages_;
};

}  // namespace tsr::codegen
