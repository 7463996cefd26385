// Rings whose slots are waited for by arrivals, which copies of boxes of tensors fill: one thread starts them.
#include <algorithm>
#include <limits>

#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Of each slot of a ring.
constexpr int64_t kFull = 0, kEmpty = 1, kCounts = 2;

}  // namespace

void ThreadCode::find_arrivals() {
    walk(tile, tile.body, [&](OpId id) {
        if (tile.op(id).kind != OpKind::acquire) return;
        const RingOp ring(tile, id);
        if (ring.opens()) rings_.push_back({ring.arrivals(), {}, {}, {}});
        if (!ring.by_arrivals()) return;
        for (ValueId buffer : ring.buffers()) arrivals_[buffer] = ring.arrivals();
    });
}

ThreadCode::Ring& ThreadCode::ring_of(ValueId arrivals) {
    return *std::ranges::find(rings_, arrivals, &Ring::arrivals);
}

ValueId ThreadCode::mbarrier(ValueId arrivals, ValueId slot, int64_t which) {
    const ValueId at = emit.add(emit.mul(slot, emit.integer(kCounts)), emit.integer(which));
    return emit.pointer_add(memories.at(arrivals).pointer, at);
}

// Copies arrive once, and with their bytes; of the readers one thread of each warp does. A thread keeps what it has
// used of a ring: the next slot, and the phase of its next use.
void ThreadCode::begin_rings() {
    for (Ring& ring : rings_) {
        const OpId made = tile.value(ring.arrivals).op;
        buffer(made);
        ring.used = emit.op(OpKind::stack, {}, {{Attr::type, DType::index}, {Attr::count, int64_t{2}}});
        for (int64_t i = 0; i < 2; ++i) emit.store(emit.pointer_add(ring.used, emit.integer(i)), emit.integer(0));
    }
    first_thread([&] {
        for (const Ring& ring : rings_) {
            for (int64_t slot = 0; slot < slots_of(ring); ++slot) {
                const ValueId full = mbarrier(ring.arrivals, emit.integer(slot), kFull);
                emit.statement(OpKind::mbarrier_init, {full}, {{Attr::count, int64_t{1}}});
                const ValueId empty = mbarrier(ring.arrivals, emit.integer(slot), kEmpty);
                const int64_t readers = warps() * (in_clusters() ? plan.gpu().cluster() : 1);
                emit.statement(OpKind::mbarrier_init, {empty}, {{Attr::count, readers}});
            }
        }
        emit.statement(OpKind::mbarrier_fence, {});
    });
    in_clusters() ? cluster_barrier() : block_barrier();
}

int64_t ThreadCode::slots_of(const Ring& ring) const { return BufferOp(tile, tile.value(ring.arrivals).op).stages(); }

void ThreadCode::open_ring(ValueId arrivals) {
    Ring& ring = ring_of(arrivals);
    ring.slot = emit.load(ring.used, 0);
    ring.phase = emit.load(emit.pointer_add(ring.used, emit.integer(1)), 0);
}

void ThreadCode::close_ring(OpId id) {
    const RingOp op(tile, id);
    const Ring& ring = ring_of(op.arrivals());
    const Place next = place(ring, scalars.at(op.next_slot()), scalars.at(op.next_phase()));
    emit.store(ring.used, next.slot);
    emit.store(emit.pointer_add(ring.used, emit.integer(1)), next.phase);
}

// A slot and the phase of its use, counted from where the ring was opened, as they are in memory.
ThreadCode::Place ThreadCode::place(const Ring& ring, ValueId slot, ValueId phase) {
    const ValueId at = emit.add(slot, ring.slot), slots = emit.integer(slots_of(ring));
    const ValueId around = emit.compare(OpKind::ge, at, slots);
    Place out{emit.select(around, emit.binary(OpKind::sub, at, slots), at), {}};
    if (!phase.valid()) return out;
    const ValueId begun = emit.binary(OpKind::bit_xor, phase, ring.phase);
    out.phase = emit.select(around, emit.binary(OpKind::bit_xor, begun, emit.integer(1)), begun);
    return out;
}

// The releases of the use before end the phase of the other parity; before the first use that is the one before all.
void ThreadCode::ring_by_arrivals(OpId id) {
    const RingOp op(tile, id);
    const auto [slot, phase] = place(ring_of(op.arrivals()), scalars.at(op.slot()), scalars.at(op.phase()));
    const ValueId parity = emit.cast(phase, DType::i32);
    const ValueId before = emit.cast(emit.binary(OpKind::bit_xor, phase, emit.integer(1)), DType::i32);
    switch (op.step()) {
        case RingStep::acquire:
            return when(copies_boxes(), [&] {
                emit.statement(OpKind::mbarrier_wait, {mbarrier(op.arrivals(), slot, kEmpty), before});
            });
        case RingStep::fill: {
            int64_t bytes = 0;
            for (ValueId buffer : op.buffers())
                bytes += memories.at(buffer).elements * bits(tile.type(buffer).elem) / 8;
            return when(copies_boxes(), [&] {
                emit.statement(OpKind::mbarrier_arrive, {mbarrier(op.arrivals(), slot, kFull)}, {{Attr::count, bytes}});
            });
        }
        case RingStep::take:
            return emit.statement(OpKind::mbarrier_wait, {mbarrier(op.arrivals(), slot, kFull), parity});
        case RingStep::release:
            emit.statement(OpKind::warp_barrier, {});
            if (in_clusters() && op.blocks() > 1) return tell_cluster(mbarrier(op.arrivals(), slot, kEmpty));
            const ValueId first = emit.compare(OpKind::eq, lane_, emit.integer(0, DType::i32));
            return when(first,
                        [&] { emit.statement(OpKind::mbarrier_arrive, {mbarrier(op.arrivals(), slot, kEmpty)}); });
    }
}

void ThreadCode::slot_buffer(const Op& op) {
    const StageOp stage(tile, op);
    const ValueId number = emit.cast(scalars.at(stage.index()), DType::index);
    Memory slot = memories.at(stage.buffer());
    const ValueId at = place(ring_of(arrivals_.at(stage.buffer())), number, {}).slot;
    slot.pointer = emit.pointer_add(slot.pointer, emit.mul(at, emit.integer(slot.elements)));
    memories[op.results[0]] = slot;
}

namespace {

// Each panel of a buffer is a box.
BoxHalves panels(int64_t rows, int64_t columns, int64_t panel) {
    BoxHalves out{rows, panel, {}};
    for (int64_t column = 0; column < columns; column += panel) out.starts.emplace_back(0, column);
    return out;
}

}  // namespace

void ThreadCode::copy_boxes(const Op& op) {
    const CopyAsyncOp copy(tile, op);
    const Memory& to = memories.at(copy.to());
    const Memory& from = memories.at(copy.from());
    const ValueId root = memory_root(tile, copy.to());
    const ValueId number = scalars.at(StageOp(tile, tile.value(copy.to()).op).index());
    const ValueId slot = place(ring_of(arrivals_.at(root)), number, {}).slot;
    const int64_t size = bits(emit.element_type(to.pointer)) / 8;
    const int64_t rows = *emit.integer_value(to.dims[0]), columns = *emit.integer_value(to.dims[1]);
    const int64_t panel = to.swizzle.panel != 0 ? to.swizzle.panel : columns;
    const bool shared = in_clusters() && op.attrs.integer(Attr::count, 1) > 1;
    const BoxHalves boxes = shared ? box_halves(rows, columns, panel).value() : panels(rows, columns, panel);
    std::vector<int64_t> box(from.dims.size(), 1);
    box.end()[-2] = boxes.rows;
    box.end()[-1] = boxes.columns;
    Attrs attrs{{Attr::extents, box}};
    if (to.swizzle.panel != 0) attrs.set(Attr::width, panel * size);
    when(copies_boxes(), [&] {
        // What is far outside stays there.
        const auto coordinate = [&](ValueId start, ValueId more) {
            const int64_t far = std::numeric_limits<int32_t>::max() - std::max(rows, columns);
            start = emit.binary(OpKind::minimum, emit.cast(start, DType::index), emit.integer(far));
            start = emit.binary(OpKind::maximum, start, emit.integer(-far));
            return emit.cast(emit.add(start, more), DType::i32);
        };
        const ValueId arrivals = mbarrier(arrivals_.at(root), slot, kFull);
        const auto copy_box = [&](ValueId row, ValueId column, const Attrs& how) {
            const ValueId at = emit.add(emit.mul(column, emit.integer(rows)), emit.mul(row, emit.integer(panel)));
            std::vector<ValueId> operands{emit.pointer_add(to.pointer, at), arrivals, from.pointer};
            for (size_t i = 0; i < from.dims.size(); ++i) {
                const bool of_rows = i + 2 == from.dims.size(), of_columns = i + 1 == from.dims.size();
                operands.push_back(coordinate(scalars.at(copy.starts()[i]), of_rows      ? row
                                                                            : of_columns ? column
                                                                                         : emit.integer(0)));
            }
            emit.statement(OpKind::copy_box, operands, how);
        };
        const auto all = [&] {
            for (const auto& [row, column] : boxes.starts) copy_box(emit.integer(row), emit.integer(column), attrs);
        };
        shared ? emit.either(neighbour_.shares, [&] { copy_half(boxes, attrs, copy_box); }, all) : all();
    });
}

}  // namespace tsr::ir
