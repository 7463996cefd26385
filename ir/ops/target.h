// Handles of a machine's operations.
#pragma once

#include <optional>
#include <string>

#include "ir/ops/handle.h"

namespace tsr::ir {

// `pointer_add`, and `prefetch` of what stands there.
struct PointerAddOp : Handle<OpKind::pointer_add, OpKind::prefetch> {
    using Handle::Handle;
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] ValueId offset() const { return operand(kOffset); }
    // Of other elements from here on.
    [[nodiscard]] bool changes_type() const { return attrs().has(Attr::type); }
    static constexpr size_t kOffset = 1;
};

// Of load, store, gather and scatter: the mask; nothing: all lanes.
struct MaskedOp : Handle<OpKind::load, OpKind::store, OpKind::gather, OpKind::scatter> {
    using Handle::Handle;
    [[nodiscard]] bool masked() const { return attrs().integer(Attr::masked, 0) != 0; }
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] std::optional<ValueId> mask() const {
        return masked() ? std::optional(op().operands.back()) : std::nullopt;
    }
};

struct StoreOp : MaskedOp {
    StoreOp(const Function& function, const Op& op) : MaskedOp(function, op) {}
    [[nodiscard]] ValueId value() const { return operand(1); }  // of `scatter`, too
};

struct GatherOp : MaskedOp {
    GatherOp(const Function& function, const Op& op) : MaskedOp(function, op) {}
    [[nodiscard]] ValueId offsets() const { return operand(op().kind == OpKind::gather ? 1 : 2); }  // of `scatter`, too
};

struct MemoryCopyOp : Handle<OpKind::memory_copy, OpKind::async_copy> {
    using Handle::Handle;
    [[nodiscard]] ValueId to() const { return operand(0); }
    [[nodiscard]] ValueId from() const { return operand(1); }
    [[nodiscard]] ValueId bytes() const { return operand(2); }
};

struct SplatOp : Handle<OpKind::splat> {
    using Handle::Handle;
    [[nodiscard]] ValueId scalar() const { return operand(0); }
};

// extract, insert: an element of a vector, at a static place or at an operand's.
struct ElementOfVectorOp : Handle<OpKind::extract, OpKind::insert> {
    using Handle::Handle;
    [[nodiscard]] ValueId vector() const { return operand(0); }
    [[nodiscard]] ValueId scalar() const { return operand(1); }  // of `insert`
    // Nothing: the attribute `axis` says it.
    [[nodiscard]] std::optional<ValueId> position() const {
        return attrs().has(Attr::axis) ? std::nullopt : std::optional(op().operands.back());
    }
};

struct VectorReduceOp : Handle<OpKind::vector_reduce> {
    using Handle::Handle;
    [[nodiscard]] ReduceOp what() const { return static_cast<ReduceOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] ValueId vector() const { return operand(0); }
};

// What the program tells the runtime: the arguments of a call.
struct RuntimeOp : Handle<OpKind::runtime> {
    using Handle::Handle;
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    [[nodiscard]] ValueSpan arguments() const { return operands(0); }
};

struct WarpShuffleOp : Handle<OpKind::warp_shuffle> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ValueId lane() const { return operand(1); }
};

struct WarpVoteOp : Handle<OpKind::warp_vote> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(0); }
};

struct LoadMatrixOp : Handle<OpKind::load_matrix> {
    using Handle::Handle;
    [[nodiscard]] ValueId pointer() const { return operand(0); }
};

struct StoreMatrixOp : Handle<OpKind::store_matrix> {
    using Handle::Handle;
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] ValueId values() const { return operand(1); }
};

struct MatrixDescriptorOp : Handle<OpKind::matrix_descriptor> {
    using Handle::Handle;
    [[nodiscard]] ValueId pointer() const { return operand(0); }
};

struct AtomicRmwOp : Handle<OpKind::atomic_rmw> {
    using Handle::Handle;
    [[nodiscard]] AtomicOp what() const { return static_cast<AtomicOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] ValueId pointer() const { return operand(0); }
    [[nodiscard]] ValueId value() const { return operand(1); }    // a vector: for neighbouring elements
    [[nodiscard]] ValueId compare() const { return operand(2); }  // of compare_exchange
};

// Products of words of bytes, and of fragments of a warp.
struct ProductOp : Handle<OpKind::dot_words, OpKind::warp_mma> {
    using Handle::Handle;
    [[nodiscard]] ValueId a() const { return operand(0); }
    [[nodiscard]] ValueId b() const { return operand(1); }
    [[nodiscard]] ValueId accumulator() const { return operand(2); }
};

struct ForActiveOp : Handle<OpKind::for_active> {
    using Handle::Handle;
    [[nodiscard]] ValueId mask() const { return operand(0); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueId lane() const { return args(body())[0]; }
};

}  // namespace tsr::ir
