// Functions of level Target: what their code has in common on all machines.
#pragma once

#include <vector>

#include "codegen/llvm/body.h"

namespace tsr::codegen {

// A slot of the launch, as the operations `slot` of a function describe it.
struct Slot {
    int64_t number = 0;
    ir::Type type;
    int64_t alignment = 0;  // 0: of its elements

    [[nodiscard]] llvm::Align least_alignment() const;
};
// Each slot once, in order of number.
std::vector<Slot> slots_of(const ir::Function& source);

class TargetBody : public Body {
public:
    using Body::Body;

    // The whole function, which gives nothing.
    void emit_function();

protected:
    // The same on all machines.
    void emit_stack(const ir::Op& op);
    void emit_pointer_add(const ir::Op& op);
    void emit_load(const ir::Op& op);
    void emit_store(const ir::Op& op);
    void emit_memory_copy(const ir::Op& op);
    void emit_splat(const ir::Op& op);
    void emit_iota(const ir::Op& op);
    void emit_extract(const ir::Op& op);
    void emit_insert(const ir::Op& op);
    void emit_reduce(const ir::Op& op);
    virtual void emit_atomic(const ir::Op& op);
    // Who sees an atomic operation as one.
    [[nodiscard]] virtual llvm::SyncScope::ID atomic_scope() const { return llvm::SyncScope::System; }
    [[nodiscard]] virtual uint64_t least_stack_alignment() const { return 64; }

    // Between register and memory form: only bool differs.
    llvm::Value* from_memory(DType type, llvm::Value* stored);
    llvm::Value* to_memory(DType type, llvm::Value* held);
    // The mask, or null where there is none or it is known to be true in all lanes.
    [[nodiscard]] llvm::Value* mask_of(const ir::Op& op) const;
    // 64 bits that hold a scalar, as the runtime reads them.
    llvm::Value* bits_of(const ir::Type& type, llvm::Value* scalar);
    // `pointer`, `offset` elements of its type further.
    llvm::Value* address(const ir::Op& op, bool in_bounds);

private:
    // The element of a vector that the attribute names, or the operand `at`.
    llvm::Value* position(const ir::Op& op);
    // By comparing and exchanging until nobody came between.
    llvm::Value* exchange_until_alone(const ir::Op& op, llvm::Type* word);
    [[nodiscard]] llvm::Align alignment_of(const ir::Op& op, DType type) const;
};

}  // namespace tsr::codegen
