// Functions of level Target: one task of a kernel.
#pragma once

#include <map>
#include <string>

#include "codegen/llvm/body.h"

namespace tsr::codegen {

// Beside its slots a task has these; they follow the slots as parameters of the body.
struct TaskParameters {
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    llvm::Value* scratch = nullptr;
    llvm::Value* task = nullptr;  // TsrTask*
};

class TargetBody : public Body {
public:
    // `slots` are the parameters of `target` by number of slot.
    TargetBody(const ir::Function& source, llvm::Function& target, const Machine& machine, Data& data, DebugInfo* debug,
               std::map<int64_t, llvm::Value*> slots, TaskParameters task)
        : Body(source, target, machine, data, debug), slots_(std::move(slots)), task_(task) {}

    // The whole function.
    void emit_function();

private:
    void emit_own(const ir::Op& op) override;
    bool emit_memory(const ir::Op& op);
    bool emit_vector(const ir::Op& op);
    bool emit_effect(const ir::Op& op);

    void emit_stack(const ir::Op& op);
    void emit_load(const ir::Op& op);
    void emit_store(const ir::Op& op);
    void emit_gather(const ir::Op& op);
    void emit_scatter(const ir::Op& op);
    void emit_reduce(const ir::Op& op);
    void emit_for_active(const ir::Op& op);
    void emit_atomic(const ir::Op& op);
    void emit_print(const ir::Op& op);
    void emit_assert(const ir::Op& op);
    void emit_runtime(const ir::Op& op);

    // Between register and memory form: only bool differs.
    llvm::Value* from_memory(DType type, llvm::Value* stored);
    llvm::Value* to_memory(DType type, llvm::Value* held);
    llvm::Align alignment_of(const ir::Op& op, DType type) const;
    // The mask, or null where there is none or it is known to be true in all lanes.
    llvm::Value* mask_of(const ir::Op& op) const;
    // 64 bits that hold a scalar, as the runtime reads them.
    llvm::Value* bits_of(const ir::Type& type, llvm::Value* scalar);
    // Stored in one row on the stack; the row's address.
    llvm::Value* row_of_bits(const ir::Op& op, size_t first);
    // Operations that say something to the runtime: the message from the operands after `first`, ordered by the
    // operand `first`, the number of the group or tile.
    void call_message(const ir::Op& op, const char* callee, size_t first);

    std::map<int64_t, llvm::Value*> slots_;
    TaskParameters task_;
};

// Defines `name` with the signature TsrKernelEntry. It loads the slots and calls the body, whose pointer parameters do
// not overlap.
llvm::Function* emit_kernel_task(const ir::Function& source, const std::string& name, const Machine& machine,
                                 Data& data, DebugInfo* debug);

}  // namespace tsr::codegen
