// One task of a kernel on a CPU: vectors with masks, a worker's scratch memory, words to the runtime.
#pragma once

#include <map>
#include <string>

#include "codegen/cpu/machine.h"
#include "codegen/llvm/target.h"

namespace tsr::codegen {

// Beside its slots a task has these; they follow the slots as parameters of the body.
struct TaskParameters {
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    llvm::Value* scratch = nullptr;
    llvm::Value* task = nullptr;  // TsrTask*
};

class CpuTask : public TargetBody {
public:
    // `slots` are the parameters of `target` by number of slot.
    CpuTask(const ir::Function& source, llvm::Function& target, const Processor& processor, Data& data,
            DebugInfo* debug, std::map<int64_t, llvm::Value*> slots, TaskParameters task)
        : TargetBody(source, target, processor, data, debug),
          slots_(std::move(slots)),
          task_(task),
          gathers_(processor.gathers) {}

    // False for what another kind of machine has.
    static bool has_code(ir::OpKind kind);

private:
    struct Emits;  // what each operation becomes: a table in task.cpp
    void emit_own(const ir::Op& op) override;

    void emit_slot(const ir::Op& op);
    void emit_task_begin(const ir::Op& op);
    void emit_task_end(const ir::Op& op);
    void emit_scratch(const ir::Op& op);
    void emit_gather(const ir::Op& op);
    llvm::Value* nothing();
    void emit_scatter(const ir::Op& op);
    void emit_prefetch(const ir::Op& op);
    void emit_for_active(const ir::Op& op);
    void emit_print(const ir::Op& op);
    void emit_assert(const ir::Op& op);
    void emit_runtime(const ir::Op& op);
    void emit_dot_words(const ir::Op& op);

    // Stored in one row on the stack; the row's address.
    llvm::Value* row_of_bits(const ir::Op& op, size_t first);
    // Operations that say something to the runtime: the message from the operands after `first`, ordered by the
    // operand `first`, the number of the group or tile.
    void call_message(const ir::Op& op, const char* callee, size_t first);

    std::map<int64_t, llvm::Value*> slots_;
    TaskParameters task_;
    bool gathers_;  // the processor has an instruction for them
};

// Defines `name` with the signature TsrKernelEntry. It loads the slots and calls the body, whose pointer parameters do
// not overlap.
llvm::Function* emit_kernel_task(const ir::Function& source, const std::string& name, const Processor& machine,
                                 Data& data, DebugInfo* debug);

}  // namespace tsr::codegen
