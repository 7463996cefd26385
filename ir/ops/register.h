// Handles of the operations on register tiles.
#pragma once

#include <optional>
#include <string_view>

#include "ir/ops/handle.h"
#include "ir/ops/record.h"

namespace tsr::ir {

// load_tile, store_tile, atomic_tile: a view of memory.
struct TileViewOp : Handle<OpKind::load_tile, OpKind::store_tile, OpKind::atomic_tile> {
    using Handle::Handle;
    [[nodiscard]] bool loads() const { return op().kind == OpKind::load_tile; }
    [[nodiscard]] ValueId memory() const { return operand(0); }
    [[nodiscard]] ValueId value() const { return operand(1); }  // of store_tile and atomic_tile
    // One per axis of the memory.
    [[nodiscard]] ValueSpan starts() const { return operands(first_start()).first(fn.type(memory()).rank()); }
    // Of load_tile: what stands outside of the memory; nothing: 0.
    [[nodiscard]] std::optional<ValueId> fill() const {
        const size_t at = first_start() + fn.type(memory()).rank();
        return op().operands.size() > at ? std::optional(operand(at)) : std::nullopt;
    }
    [[nodiscard]] const std::vector<int64_t>& axes() const { return attrs().integers(Attr::axes); }
    [[nodiscard]] AtomicOp what() const { return static_cast<AtomicOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] size_t first_start() const { return loads() ? 1 : 2; }  // its place among the operands
};

struct TransposeOp : Handle<OpKind::transpose> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
};

struct PackRowsOp : Handle<OpKind::pack_rows> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
};

struct ExpandOp : Handle<OpKind::expand> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] const std::vector<int64_t>& axes() const { return attrs().integers(Attr::axes); }
};

// reduce, scan and their like: along an axis, as the record says.
struct AlongOp : AnyHandle {
    AlongOp(const Function& function, OpId op) : AnyHandle(function, op, goes_along(function.op(op).kind)) {}
    AlongOp(const Function& function, const Op& op) : AnyHandle(function, op, goes_along(op.kind)) {}
    [[nodiscard]] static bool goes_along(OpKind kind) {
        return record(kind).axes == AxisRule::drop || record(kind).axes == AxisRule::along;
    }
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ReduceOp what() const { return static_cast<ReduceOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] int64_t axis() const { return attrs().integer(Attr::axis); }
};

struct MmaOp : Handle<OpKind::mma, OpKind::mma_words> {
    using Handle::Handle;
    [[nodiscard]] ValueId a() const { return operand(kA); }
    [[nodiscard]] ValueId b() const { return operand(kB); }
    [[nodiscard]] std::optional<ValueId> accumulator() const {
        return op().operands.size() > kAccumulator ? std::optional(operand(kAccumulator)) : std::nullopt;
    }
    [[nodiscard]] bool a_transposed() const { return attrs().has(Attr::a_transposed); }
    [[nodiscard]] bool b_transposed() const { return attrs().has(Attr::b_transposed); }
    [[nodiscard]] DType accumulates() const { return attrs().dtype(Attr::type); }
    // Of `mma`: operands of f32 are rounded to tf32 first.
    [[nodiscard]] bool in_tf32() const { return attrs().has(Attr::tf32); }
    // It is started here, and done where a `wait_group` of products says so.
    [[nodiscard]] bool pending() const { return attrs().has(Attr::pending); }
    // Whether its warp group waits for its turn before it, or passes it on behind its start.
    [[nodiscard]] bool turns(Turn what) const { return attrs().is(Attr::turn, what); }
    // Of `mma_words`: of what is packed in b.
    [[nodiscard]] DType packed() const { return attrs().dtype(Attr::packed); }
    static constexpr size_t kA = 0, kB = 1, kAccumulator = 2;  // places among the operands
};

}  // namespace tsr::ir
