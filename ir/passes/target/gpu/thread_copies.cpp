// Copies of views of tensors into shared buffers.
#include <algorithm>

#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/pending_lanes.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kChunk = 16;  // bytes that a thread copies at a time

}  // namespace

// The view that starts at the given indices, with the buffer's extents. What lies outside of the tensor is 0.
void ThreadCode::copy(const Op& op) {
    const CopyAsyncOp copy(tile, op);
    if (arrivals_.contains(memory_root(tile, copy.to()))) return copy_boxes(op);
    const Memory to = memories.at(copy.to());
    const Memory from = memories.at(copy.from());
    std::vector<ValueId> start;
    for (ValueId at : copy.starts()) start.push_back(emit.cast(scalars.at(at), DType::index));
    const int64_t size = from.packed ? 0 : (bits(emit.element_type(from.pointer)) + 7) / 8;
    const int64_t columns = emit.integer_value(to.dims.back()).value_or(0);
    if (!machine_.async_copies || size == 0 || columns * size % kChunk != 0) return copy_elements(to, from, start);
    // Whole chunks, where the rows of the tensor and the start of the view are aligned to them; every thread finds the
    // same.
    const int64_t chunk = kChunk / size;
    ValueId unaligned = start.back();
    if (from.dims.size() > 1) unaligned = emit.binary(OpKind::bit_or, unaligned, from.dims.back());
    unaligned = emit.binary(OpKind::bit_and, unaligned, emit.integer(chunk - 1));
    RegionId outside = emit.region;
    OpId branch = emit.open_if(emit.compare(OpKind::eq, unaligned, emit.integer(0)));
    emit.region = emit.add_region(branch);
    const bool pieces = copies_pieces(to, chunk);
    if (pieces) {
        const RegionId aligned = emit.region;
        OpId by_reach = emit.open_if(inside(to, from, start));
        emit.region = emit.add_region(by_reach);
        copy_pieces(to, from, start, chunk, true);
        emit.yield({});
        emit.region = emit.add_region(by_reach);
        copy_pieces(to, from, start, chunk, false);
        emit.yield({});
        emit.close(by_reach, aligned);
    } else {
        copy_chunks(to, from, start, chunk);
    }
    emit.yield({});
    emit.region = emit.add_region(branch);
    // Half a piece: its elements are in registers that products around want, too.
    pieces ? copy_unaligned(to, from, start, chunk / 2) : copy_elements(to, from, start);
    emit.yield({});
    emit.close(branch, outside);
}

namespace {

// Number `at` of the pieces of a buffer taken apart into its axes, the last one in pieces of `width` elements.
std::vector<ValueId> position(Emit& emit, const Memory& memory, ValueId at, int64_t width) {
    std::vector<ValueId> out(memory.dims.size());
    for (size_t axis = out.size(); axis-- > 0;) {
        const int64_t extent = emit.integer_value(memory.dims[axis]).value_or(1);
        const int64_t pieces = axis + 1 == out.size() ? extent / width : extent;
        ValueId number = at;
        if (axis > 0) {
            number = emit.binary(OpKind::mod, at, emit.integer(pieces));
            at = emit.binary(OpKind::floordiv, at, emit.integer(pieces));
        }
        out[axis] = axis + 1 == out.size() ? emit.mul(number, emit.integer(width)) : number;
    }
    return out;
}

// True where all indices but the last lie inside of the tensor.
ValueId rows_inside(Emit& emit, const Memory& memory, const std::vector<ValueId>& indices) {
    ValueId in = emit.boolean(true);
    for (size_t i = 0; i + 1 < indices.size(); ++i) {
        in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::ge, indices[i], emit.integer(0)));
        in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::lt, indices[i], memory.dims[i]));
    }
    return in;
}

std::vector<ValueId> shifted(Emit& emit, const std::vector<ValueId>& start, const std::vector<ValueId>& by) {
    std::vector<ValueId> out = start;
    const size_t lead = start.size() - by.size();  // axes of which one position is taken
    for (size_t i = 0; i < by.size(); ++i) out[lead + i] = emit.add(start[lead + i], by[i]);
    return out;
}

}  // namespace

void ThreadCode::copy_chunks(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk) {
    counted_loop(thread_, emit.integer(to.elements / chunk), plan.gpu().threads, [&](ValueId number) {
        const std::vector<ValueId> here = position(emit, to, number, chunk);
        std::vector<ValueId> there = shifted(emit, start, here);
        ValueId inside = rows_inside(emit, from, there);
        inside = emit.binary(OpKind::bit_and, inside, emit.compare(OpKind::ge, there.back(), emit.integer(0)));
        ValueId left = emit.binary(OpKind::sub, from.dims.back(), there.back());
        left = emit.binary(OpKind::minimum, emit.binary(OpKind::maximum, left, emit.integer(0)), emit.integer(chunk));
        left = emit.select(inside, left, emit.integer(0));
        ValueId bytes = emit.cast(emit.mul(left, emit.integer(kChunk / chunk)), DType::i32);
        ValueId some = emit.compare(OpKind::gt, left, emit.integer(0));
        ValueId offset = emit.select(some, linear(from, there), emit.integer(0));
        emit.statement(OpKind::async_copy, {address(to, here), emit.pointer_add(from.pointer, offset), bytes},
                       {{Attr::width, kChunk}});
    });
}

void ThreadCode::copy_elements(const Memory& to, const Memory& from, const std::vector<ValueId>& start) {
    const Type type = Type::scalar(emit.element_type(to.pointer));
    counted_loop(thread_, emit.integer(to.elements), plan.gpu().threads, [&](ValueId number) {
        const std::vector<ValueId> here = position(emit, to, number, 1);
        std::vector<ValueId> there = shifted(emit, start, here);
        ValueId inside = rows_inside(emit, from, there);
        const ValueId columns = from.packed ? from.row : from.dims.back();
        inside = emit.binary(OpKind::bit_and, inside, emit.compare(OpKind::ge, there.back(), emit.integer(0)));
        inside = emit.binary(OpKind::bit_and, inside, emit.compare(OpKind::lt, there.back(), columns));
        RegionId outside = emit.region;
        OpId branch = emit.open_if(inside, {type});
        emit.region = emit.add_region(branch);
        emit.yield({load(from, there)});
        emit.region = emit.add_region(branch);
        emit.yield({emit.constant(is_float(type.elem) ? AttrValue{0.0} : AttrValue{int64_t{0}}, type.elem)});
        emit.close(branch, outside);
        emit.store(address(to, here), target.op(branch).results[0]);
    });
}

void ThreadCode::wait_group(OpId id) {
    const WaitOp op(tile, id);
    emit.statement(op.of_products() ? OpKind::group_wait : OpKind::async_wait, {}, {{Attr::count, op.left()}});
}

// A ring of groups of copies. Who meets at a `take` has read what it released before.
void ThreadCode::ring(OpId id) {
    const Op& op = tile.op(id);
    const RingOp whole(tile, id);
    if (whole.by_arrivals()) return ring_by_arrivals(id);
    if (whole.opens()) return open_ring(whole.arrivals());
    if (whole.closes()) return close_ring(id);
    if (op.kind == OpKind::fill) emit.statement(OpKind::async_commit, {});
    if (op.kind == OpKind::take) {
        emit.statement(OpKind::async_wait, {}, {{Attr::count, op.attrs.integer(Attr::count)}});
    }
    if (!whole.meets()) return;
    block_barrier();
    if (tiles_) tiles_->met();
}

// The program's own barrier. What has been copied may be read behind it: the wait stands at the last barrier before
// the first read, unless the program places its waits itself.
void ThreadCode::barrier(OpId id) {
    if (copies_ && !commits_ && !wait_may_be_later(id)) {
        emit.statement(OpKind::async_commit, {});
        emit.statement(OpKind::async_wait, {}, {{Attr::count, int64_t{0}}});
    }
    block_barrier();
}

// True when another barrier follows in the same region before anything touches a buffer that copies go to.
bool ThreadCode::wait_may_be_later(OpId barrier) const {
    std::unordered_set<ValueId> filled;
    walk(tile, tile.body, [&](OpId id) {
        if (tile.op(id).kind == OpKind::copy_async) filled.insert(memory_root(tile, CopyAsyncOp(tile, id).to()));
    });
    const auto& ops = tile.region(tile.op(barrier).parent).ops;
    for (auto at = std::ranges::find(ops, barrier) + 1; at != ops.end(); ++at) {
        const Op& op = tile.op(*at);
        if (op.kind == OpKind::barrier) return true;
        if (op.kind == OpKind::copy_async) continue;  // starts after those before it
        const Touched touched = touched_by(tile, *at);
        auto of_copies = [&](ValueId memory) { return filled.contains(memory); };
        if (std::ranges::any_of(touched.read, of_copies) || std::ranges::any_of(touched.written, of_copies))
            return false;
        if (!op.regions.empty() &&
            any_below(tile, op.regions[0], [](const Op& o) { return o.kind == OpKind::barrier; }))
            return false;
    }
    return false;
}

}  // namespace tsr::ir
