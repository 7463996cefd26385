// The code of one function of the IR: values, element operations and structured control flow, on every level. What only
// one level has is emitted by its own class below this one.
#pragma once

#include <optional>
#include <vector>

#include "codegen/llvm/build.h"
#include "codegen/llvm/data.h"
#include "codegen/llvm/debug.h"
#include "ir/core/function.h"

namespace tsr::codegen {

// Checked operations (codegen/program/check.h) are taken for granted: nothing here fails.
class Body {
public:
    Body(const ir::Function& source, llvm::Function& target, const Machine& machine, Data& data, DebugInfo* debug);
    virtual ~Body() = default;
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

protected:
    using Values = std::vector<llvm::Value*>;

    // An operation that is not of the element vocabulary. Each class below has a table with a row for every operation
    // of its level: one of the functions here, one of its own, or `has_no_code`.
    virtual void emit_own(const ir::Op& op) = 0;
    [[noreturn]] void has_no_code(const ir::Op& op);
    void emit_nothing(const ir::Op&) {}  // `yield`: its values are taken where its region is emitted
    void emit_constant(const ir::Op& op);
    void emit_for(const ir::Op& op);
    void emit_while(const ir::Op& op);
    void emit_if(const ir::Op& op);

    // Emits where the builder stands, leaves it behind the region, and gives what the region yields.
    Values emit_region(ir::RegionId region);
    Values emit_operations(ir::RegionId region);

    [[nodiscard]] llvm::Value* value(ir::ValueId id) const { return values_[id.index]; }
    [[nodiscard]] Values values(const std::vector<ir::ValueId>& ids) const;
    void define(ir::ValueId id, llvm::Value* value);
    void define_results(const ir::Op& op, const Values& values);
    [[nodiscard]] const ir::Type& type(ir::ValueId id) const { return source_.type(id); }
    // Where any number of operands play one role.
    [[nodiscard]] llvm::Value* operand(const ir::Op& op, size_t number) const { return value(op.operands[number]); }
    [[nodiscard]] const ir::Type& operand_type(const ir::Op& op, size_t number) const {
        return source_.type(op.operands[number]);
    }
    [[nodiscard]] Span span_of(const ir::Op& op) const;
    // What is emitted next has the line of this operation.
    void locate(const ir::Op& op);
    virtual void emit_element_op(const ir::Op& op);

    llvm::BasicBlock* block(const char* name);
    // Goes to a fresh block whose end the caller closes, then stands in the block after it.
    template <typename Emit>
    void when(llvm::Value* condition, Emit emit_and_leave);
    // Room on the function's stack, made on entry.
    llvm::AllocaInst* stack_room(llvm::Type* type, uint64_t count, llvm::Align alignment);

    const ir::Function& source_;
    llvm::Function& target_;
    llvm::IRBuilder<> builder_;
    Build build_;
    Data& data_;
    DebugInfo* debug_;

private:
    void emit(const ir::Op& op);
    void emit_table(const ir::Op& op);
    void bind_arguments(ir::RegionId region, const Values& values);
    // One phi per value; a first incoming edge comes from `from`.
    std::vector<llvm::PHINode*> carry(const Values& initial, llvm::BasicBlock* from);
    void close_loop(const std::vector<llvm::PHINode*>& carried, const Values& next);

    Values values_;
};

template <typename Emit>
void Body::when(llvm::Value* condition, Emit emit_and_leave) {
    llvm::BasicBlock* inside = block("when");
    llvm::BasicBlock* after = block("after");
    builder_.CreateCondBr(condition, inside, after);
    builder_.SetInsertPoint(inside);
    emit_and_leave();
    builder_.SetInsertPoint(after);
}

}  // namespace tsr::codegen
