// Handles of a machine's operations.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

struct SlotOp : Handle<OpKind::slot> {
    using Handle::Handle;
    [[nodiscard]] int64_t number() const { return attrs().integer(Attr::count); }
};

struct PointerAddOp : Handle<OpKind::pointer_add> {
    using Handle::Handle;
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] ValueId offset() const { return operand(1); }
};

// load, store, gather, scatter: a pointer, and a mask as last operand where there is one.
template <OpKind kind>
struct AccessOp : Handle<kind> {
    using Handle<kind>::Handle;
    [[nodiscard]] ValueId pointer() const { return this->operand(0); }
    [[nodiscard]] std::optional<ValueId> mask() const {
        return this->attrs().integer(Attr::masked, 0) != 0 ? std::optional(this->op().operands.back()) : std::nullopt;
    }
    [[nodiscard]] int64_t alignment() const { return this->attrs().integer(Attr::alignment, 0); }  // 0: not said
};

struct LoadOp : AccessOp<OpKind::load> {
    using AccessOp::AccessOp;
    [[nodiscard]] int64_t width() const { return attrs().integer(Attr::width, 0); }  // 0: a scalar
};
struct StoreOp : AccessOp<OpKind::store> {
    using AccessOp::AccessOp;
    [[nodiscard]] ValueId value() const { return operand(1); }
};
struct GatherOp : AccessOp<OpKind::gather> {
    using AccessOp::AccessOp;
    [[nodiscard]] ValueId offsets() const { return operand(1); }
};
struct ScatterOp : AccessOp<OpKind::scatter> {
    using AccessOp::AccessOp;
    [[nodiscard]] ValueId value() const { return operand(1); }
    [[nodiscard]] ValueId offsets() const { return operand(2); }
};

struct ExtractOp : Handle<OpKind::extract> {
    using Handle::Handle;
    [[nodiscard]] ValueId vector() const { return operand(0); }
    [[nodiscard]] bool is_static() const { return attrs().has(Attr::axis); }
    [[nodiscard]] int64_t position() const { return attrs().integer(Attr::axis); }
    [[nodiscard]] ValueId dynamic_position() const { return operand(1); }
};

struct InsertOp : Handle<OpKind::insert> {
    using Handle::Handle;
    [[nodiscard]] ValueId vector() const { return operand(0); }
    [[nodiscard]] ValueId scalar() const { return operand(1); }
    [[nodiscard]] bool is_static() const { return attrs().has(Attr::axis); }
    [[nodiscard]] int64_t position() const { return attrs().integer(Attr::axis); }
    [[nodiscard]] ValueId dynamic_position() const { return operand(2); }
};

struct VectorReduceOp : Handle<OpKind::vector_reduce> {
    using Handle::Handle;
    [[nodiscard]] ValueId vector() const { return operand(0); }
    [[nodiscard]] ReduceOp what() const { return static_cast<ReduceOp>(attrs().integer(Attr::op)); }
};

struct ForActiveOp : Handle<OpKind::for_active> {
    using Handle::Handle;
    [[nodiscard]] ValueId mask() const { return operand(0); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueId lane() const { return args(body())[0]; }
};

struct AtomicRmwOp : Handle<OpKind::atomic_rmw> {
    using Handle::Handle;
    [[nodiscard]] AtomicOp what() const { return static_cast<AtomicOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] ValueId value() const { return operand(1); }
    [[nodiscard]] ValueId compare() const { return operand(2); }  // only of compare_exchange
};

struct MemoryCopyOp : Handle<OpKind::memory_copy> {
    using Handle::Handle;
    [[nodiscard]] ValueId to() const { return operand(0); }
    [[nodiscard]] ValueId from() const { return operand(1); }
    [[nodiscard]] ValueId byte_count() const { return operand(2); }
};

}  // namespace tsr::ir
