// Handles of a kernel's operations.
#pragma once

#include <optional>

#include "ir/ops/control.h"

namespace tsr::ir {

// tile_id, group_id, group_count: along an axis, or linear.
struct IdOp : Handle<OpKind::tile_id, OpKind::group_id, OpKind::group_count> {
    using Handle::Handle;
    [[nodiscard]] std::optional<int64_t> axis() const {
        return attrs().has(Attr::axis) ? std::optional(attrs().integer(Attr::axis)) : std::nullopt;
    }
};

struct BufferOp : Handle<OpKind::buffer> {
    using Handle::Handle;
    [[nodiscard]] DType dtype() const { return attrs().dtype(Attr::type); }
    [[nodiscard]] const std::vector<Dim>& shape() const { return attrs().dims(Attr::shape); }
    [[nodiscard]] int64_t stages() const { return attrs().integer(Attr::count, 1); }
    [[nodiscard]] int64_t elements() const {  // of one stage
        int64_t count = 1;
        for (const Dim& extent : shape()) count *= *extent.constant_value();
        return count;
    }
};

struct StageOp : Handle<OpKind::stage> {
    using Handle::Handle;
    [[nodiscard]] ValueId buffer() const { return operand(0); }
    [[nodiscard]] ValueId index() const { return operand(1); }
};

struct AtomicUpdateOp : Handle<OpKind::atomic> {
    using Handle::Handle;
    [[nodiscard]] AtomicOp what() const { return static_cast<AtomicOp>(attrs().integer(Attr::op)); }
    [[nodiscard]] ValueId memory() const { return operand(0); }
    [[nodiscard]] ValueId value() const { return operand(1); }  // of compare_exchange: what is stored
    [[nodiscard]] bool compares() const { return what() == AtomicOp::compare_exchange; }
    [[nodiscard]] ValueId compare() const { return operand(2); }  // only where it compares
    [[nodiscard]] ValueSpan indices() const { return operands(compares() ? 3 : 2); }
};

struct CopyAsyncOp : Handle<OpKind::copy_async> {
    using Handle::Handle;
    [[nodiscard]] ValueId to() const { return operand(0); }
    [[nodiscard]] ValueId from() const { return operand(1); }
    [[nodiscard]] ValueSpan starts() const { return operands(2); }
    // Of a cluster, that bring it together and have it all.
    [[nodiscard]] int64_t blocks() const { return attrs().integer(Attr::count, 1); }
};

// For groups of copies, or for products.
struct WaitOp : Handle<OpKind::wait_group> {
    using Handle::Handle;
    [[nodiscard]] bool of_products() const { return attrs().has(Attr::products); }
    [[nodiscard]] int64_t left() const { return attrs().integer(Attr::count); }
    [[nodiscard]] ValueSpan sums() const { return operands(0); }  // of products
};

// What is done to a slot, by the names of the operations.
#define TSR_STEP(op) op,
enum class RingStep : uint8_t { TSR_RING_OPS(TSR_STEP) };
#undef TSR_STEP

// acquire, fill, take, release: a slot of a ring of buffers, or the ring.
struct RingOp : Handle<OpKind::acquire, OpKind::fill, OpKind::take, OpKind::release> {
    using Handle::Handle;
    [[nodiscard]] RingStep step() const {
        return static_cast<RingStep>(static_cast<int>(op().kind) - static_cast<int>(OpKind::acquire));
    }
    // Of the ring as a whole: what follows uses its slots, counted from the one behind the last that was used; or has
    // used so many.
    [[nodiscard]] bool opens() const { return uses(RingUse::open); }
    [[nodiscard]] bool closes() const { return uses(RingUse::close); }
    // Who waits for the slot waits for arrivals at it, not for all threads.
    [[nodiscard]] bool by_arrivals() const { return uses(RingUse::arrivals); }
    [[nodiscard]] ValueId slot() const { return operand(0); }
    [[nodiscard]] ValueId phase() const { return operand(1); }  // by arrivals: of this use of the slot, 0 or 1
    // Where it closes: the next slot and the phase of its next use.
    [[nodiscard]] ValueId next_slot() const { return operand(1); }
    [[nodiscard]] ValueId next_phase() const { return operand(2); }
    // By arrivals: the buffer that counts them.
    [[nodiscard]] ValueId arrivals() const { return operand(by_arrivals() ? 2 : 0); }
    [[nodiscard]] ValueSpan buffers() const { return operands(by_arrivals() ? 3 : 1); }
    // Of a cluster, that a release is told to.
    [[nodiscard]] int64_t blocks() const { return attrs().integer(Attr::count, 1); }
    [[nodiscard]] bool meets() const { return step() == RingStep::take ? !by_arrivals() : uses(RingUse::barrier); }

private:
    [[nodiscard]] bool uses(RingUse use) const { return attrs().is(Attr::ring, use); }
};

struct GroupReduceOp : Handle<OpKind::group_reduce, OpKind::group_scan, OpKind::buffer_reduce> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }  // of buffer_reduce: the buffer
    [[nodiscard]] ReduceOp what() const { return static_cast<ReduceOp>(attrs().integer(Attr::op)); }
};

struct ShuffleOp : Handle<OpKind::shuffle, OpKind::broadcast> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ValueId source() const { return operand(1); }
};

struct BallotOp : Handle<OpKind::ballot> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(0); }
};

// `grid` and `lanes`: a nest of axes, axis 0 outermost.
struct NestOp : Handle<OpKind::grid, OpKind::lanes> {
    using Handle::Handle;
    [[nodiscard]] size_t axes() const { return op().operands.size() / 3; }
    [[nodiscard]] ValueId lower(size_t axis) const { return operand(3 * axis); }
    [[nodiscard]] ValueId upper(size_t axis) const { return operand(upper_place(axis)); }
    [[nodiscard]] ValueId step(size_t axis) const { return operand(step_place(axis)); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueSpan ivs() const { return args(body()); }
    // Places among the operands.
    static constexpr size_t upper_place(size_t axis) { return 3 * axis + 1; }
    static constexpr size_t step_place(size_t axis) { return 3 * axis + 2; }
};
using GridOp = NestOp;

struct LanesOp : NestOp {
    using NestOp::NestOp;
    [[nodiscard]] LanesOver over() const { return static_cast<LanesOver>(attrs().integer(Attr::over)); }
    [[nodiscard]] ValueSpan yields() const { return yielded(fn, body()); }
};

// What a number goes through that `for`, `grid` or `lanes` counts; nothing where the value is no such number.
struct CounterBounds {
    ValueId lower, upper, step;
};
inline std::optional<CounterBounds> bounds_of_counter(const Function& fn, const Value& value) {
    const OpId by = value.op.valid() ? OpId() : fn.region(value.region).parent;
    if (!by.valid()) return std::nullopt;
    if (NestOp::suits(fn.op(by).kind)) {
        const NestOp nest(fn, by);
        return CounterBounds{nest.lower(value.number), nest.upper(value.number), nest.step(value.number)};
    }
    if (fn.op(by).kind != OpKind::for_ || value.number != 0) return std::nullopt;
    const ForOp loop(fn, by);
    return CounterBounds{loop.lower(), loop.upper(), loop.step()};
}

struct LaneReadOp : Handle<OpKind::lane_read> {
    using Handle::Handle;
    [[nodiscard]] ValueId array() const { return operand(0); }
};

struct ResultOp : Handle<OpKind::result> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
};

}  // namespace tsr::ir
