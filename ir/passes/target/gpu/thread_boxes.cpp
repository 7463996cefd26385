// Rings whose slots are waited for by arrivals, which copies of boxes of tensors fill: one thread starts them.
#include <limits>

#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Of each slot of a ring.
constexpr int64_t kFull = 0, kEmpty = 1, kCounts = 2;
constexpr int64_t kAll = 0;  // the barrier of all threads of a block

}  // namespace

void ThreadCode::call_machine(const char* name, std::vector<ValueId> operands, Attrs attrs) {
    attrs.set(Attr::callee, std::string(name));
    emit.statement(OpKind::runtime, std::move(operands), std::move(attrs));
}

void ThreadCode::find_arrivals() {
    walk(tile, tile.body, [&](OpId id) {
        if (tile.op(id).kind != OpKind::acquire) return;
        const RingOp ring(tile, id);
        if (!ring.by_arrivals()) return;
        for (ValueId buffer : ring.buffers()) arrivals_[buffer] = ring.arrivals();
    });
}

ValueId ThreadCode::mbarrier(ValueId arrivals, ValueId slot, int64_t which) {
    const ValueId at = emit.add(emit.mul(slot, emit.integer(kCounts)), emit.integer(which));
    return emit.pointer_add(memories.at(arrivals).pointer, at);
}

// Copies arrive once, and with their bytes; of the readers one thread of each warp does.
void ThreadCode::open_ring(ValueId arrivals) {
    const int64_t slots = BufferOp(tile, tile.value(arrivals).op).stages();
    const auto make = [&] {
        for (int64_t slot = 0; slot < slots; ++slot) {
            for (const auto& [which, count] : {std::pair{kFull, int64_t{1}}, std::pair{kEmpty, warps()}}) {
                call_machine("mbarrier_init", {mbarrier(arrivals, emit.integer(slot), which)}, {{Attr::count, count}});
            }
        }
        call_machine("mbarrier_fence", {});
    };
    if (role_ != Role::producer) first_thread(make);
    meet();
}

void ThreadCode::close_ring(ValueId arrivals) {
    meet();
    if (role_ == Role::producer) return;
    const int64_t slots = BufferOp(tile, tile.value(arrivals).op).stages();
    first_thread([&] {
        for (int64_t i = 0; i < slots * kCounts; ++i) {
            call_machine("mbarrier_end", {emit.pointer_add(memories.at(arrivals).pointer, emit.integer(i))});
        }
    });
}

// All threads of the block, whatever their role.
void ThreadCode::meet() {
    emit.statement(OpKind::block_barrier, {}, {{Attr::axis, kAll}});
    if (tiles_) tiles_->met();
}

// The releases of the use before end the phase of the other parity; before the first use that is the one before all.
void ThreadCode::ring_by_arrivals(OpId id) {
    const RingOp op(tile, id);
    const ValueId slot = scalars.at(op.slot());
    const auto parity = [&](int64_t off) {
        const ValueId phase = emit.binary(OpKind::bit_xor, scalars.at(op.phase()), emit.integer(off));
        return emit.cast(phase, DType::i32);
    };
    switch (op.op().kind) {
        case OpKind::acquire:
            return when(copies_boxes(),
                        [&] { call_machine("mbarrier_wait", {mbarrier(op.arrivals(), slot, kEmpty), parity(1)}); });
        case OpKind::fill: {
            int64_t bytes = 0;
            for (ValueId buffer : op.buffers())
                bytes += memories.at(buffer).elements * bits(tile.type(buffer).elem) / 8;
            return when(copies_boxes(), [&] {
                call_machine("mbarrier_arrive", {mbarrier(op.arrivals(), slot, kFull)}, {{Attr::count, bytes}});
            });
        }
        case OpKind::take:
            return call_machine("mbarrier_wait",
                                {mbarrier(op.arrivals(), slot, kFull), emit.cast(scalars.at(op.phase()), DType::i32)});
        default:
            call_machine("warp_barrier", {});
            const ValueId first = emit.compare(OpKind::eq, lane_, emit.integer(0, DType::i32));
            return when(first, [&] { call_machine("mbarrier_arrive", {mbarrier(op.arrivals(), slot, kEmpty)}); });
    }
}

// A box for each panel of the buffer.
void ThreadCode::copy_boxes(const Op& op) {
    const Memory& to = memories.at(op.operands[0]);
    const Memory& from = memories.at(op.operands[1]);
    const ValueId root = memory_root(tile, op.operands[0]);
    const ValueId slot = scalars.at(StageOp(tile, tile.value(op.operands[0]).op).index());
    const int64_t size = bits(emit.element_type(to.pointer)) / 8;
    const int64_t rows = *emit.integer_value(to.dims[0]), columns = *emit.integer_value(to.dims[1]);
    std::vector<int64_t> box(from.dims.size(), 1);
    box.end()[-2] = rows;
    box.end()[-1] = to.swizzle.panel;
    const Attrs attrs{{Attr::axes, box}, {Attr::width, to.swizzle.panel * size}};
    when(copies_boxes(), [&] {
        // What is far outside stays there.
        const auto coordinate = [&](ValueId start, int64_t more) {
            const int64_t far = std::numeric_limits<int32_t>::max() - columns;
            start = emit.binary(OpKind::minimum, emit.cast(start, DType::index), emit.integer(far));
            start = emit.binary(OpKind::maximum, start, emit.integer(-far));
            return emit.cast(emit.add(start, emit.integer(more)), DType::i32);
        };
        const ValueId arrivals = mbarrier(arrivals_.at(root), slot, kFull);
        for (int64_t column = 0; column < columns; column += to.swizzle.panel) {
            std::vector<ValueId> operands{emit.pointer_add(to.pointer, emit.integer(column * rows)), arrivals,
                                          from.pointer};
            for (size_t i = 0; i < from.dims.size(); ++i) {
                operands.push_back(coordinate(scalars.at(op.operands[2 + i]), i + 1 == from.dims.size() ? column : 0));
            }
            call_machine("copy_box", operands, attrs);
        }
    });
}

}  // namespace tsr::ir
