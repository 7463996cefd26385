// What all tiles of a group do together, on one thread.
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/group_code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kWarpOfMask = 32;

}  // namespace

// The view that starts at the given indices, with the buffer's extents. What lies outside of the tensor is 0.
void GroupCode::copy(const Op& op) {
    const CopyAsyncOp copy(s_.tile, op);
    const Memory to = s_.memories.at(copy.to());
    const Memory from = s_.memories.at(copy.from());
    size_t rank = from.dims.size();
    size_t lead = rank - to.dims.size();  // axes of which one position is taken
    std::vector<ValueId> start;
    for (ValueId at : copy.starts()) start.push_back(emit_.cast(s_.scalars.at(at), DType::index));
    int64_t width = s_.lanes();
    std::vector<ValueId> at = start;
    std::vector<ValueId> inside_buffer(to.dims.size());
    const ValueId columns = from.packed ? from.row : from.dims.back();
    auto row = [&] {
        ValueId in = emit_.boolean(true);
        for (size_t i = 0; i + 1 < rank; ++i) {
            in = emit_.binary(OpKind::bit_and, in, emit_.compare(OpKind::ge, at[i], emit_.integer(0)));
            in = emit_.binary(OpKind::bit_and, in, emit_.compare(OpKind::lt, at[i], from.dims[i]));
        }
        int64_t extent = emit_.integer_value(to.dims.back()).value_or(0);
        ValueId in_all = emit_.splat(in, width);
        counted_loop(emit_.integer(0), emit_.integer(extent), width, [&](ValueId column) {
            ValueId position = emit_.add(start.back(), column);
            ValueId lanes = emit_.binary(OpKind::add, emit_.splat(position, width), emit_.iota(width, DType::index));
            ValueId mask = emit_.binary(OpKind::bit_and, in_all,
                                        emit_.compare(OpKind::ge, lanes, emit_.splat(emit_.integer(0), width)));
            mask = emit_.binary(OpKind::bit_and, mask, emit_.compare(OpKind::lt, lanes, emit_.splat(columns, width)));
            std::vector<ValueId> source = at;
            source.back() = from.packed ? emit_.integer(0) : position;
            inside_buffer.back() = column;
            ValueId value = from.packed ? s_.gather_packed(from, s_.linear(from, source), lanes, width, mask)
                                        : emit_.load(s_.address(from, source), width, mask);
            ValueId target = s_.address(to, inside_buffer);
            if (extent % width == 0) return emit_.store(target, value);
            ValueId left = emit_.binary(OpKind::sub, emit_.integer(extent), column);
            ValueId near = emit_.binary(OpKind::minimum, left, emit_.integer(width));
            ValueId room = emit_.compare(OpKind::lt, emit_.iota(width, DType::i32),
                                         emit_.splat(emit_.cast(near, DType::i32), width));
            emit_.store(target, value, room);
        });
    };
    auto rows = [&](auto&& self, size_t axis) -> void {
        if (axis + 1 == to.dims.size()) return row();
        counted_loop(emit_.integer(0), to.dims[axis], 1, [&](ValueId number) {
            at[lead + axis] = emit_.add(start[lead + axis], number);
            inside_buffer[axis] = number;
            self(self, axis + 1);
        });
    };
    rows(rows, 0);
}

// Inside a warp i with i + 16, + 8, … + 1; then the warps in order. One order on every machine.
void GroupCode::reduce(const Op& op) {
    ValueId array = s_.arrays.at(GroupReduceOp(s_.tile, op).value());
    DType elem = s_.tile.type(op.results[0]).elem;
    auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    int64_t size = s_.tile.kernel.group_size();
    Attrs attrs{{Attr::op, op.attrs.integer(Attr::op)}};
    ValueId sum;
    for (int64_t warp = 0; warp < size; warp += kWarpOfMask) {
        ValueId mask;
        if (size - warp < kWarpOfMask) {
            ValueId left = emit_.splat(emit_.integer(size - warp, DType::i32), kWarpOfMask);
            mask = emit_.compare(OpKind::lt, emit_.iota(kWarpOfMask, DType::i32), left);
        }
        ValueId values = emit_.load(emit_.pointer_add(array, emit_.integer(warp)), kWarpOfMask, mask);
        if (mask.valid()) {
            ValueId nothing = emit_.splat(emit_.constant(reduction_start(kind, elem), elem), kWarpOfMask);
            values = emit_.select(mask, values, nothing);
        }
        ValueId part = emit_.op(OpKind::vector_reduce, {values}, attrs);
        sum = sum.valid() ? emit_.binary(combining(kind), sum, part) : part;
    }
    s_.scalars[op.results[0]] = sum;
}

void GroupCode::scan(const Op& op) {
    ValueId array = s_.arrays.at(GroupReduceOp(s_.tile, op).value());
    const Type& type = s_.tile.type(op.results[0]);
    ValueId out = s_.arrays[op.results[0]] = new_array(type);
    auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    ValueId first = emit_.load(array, 0);
    emit_.store(out, first);
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::for_,
                           {emit_.integer(1), emit_.integer(s_.tile.kernel.group_size()), emit_.integer(1), first});
    emit_.region = emit_.add_region(made);
    ValueId at = s_.target.add_arg(emit_.region, Type::scalar(DType::index));
    ValueId before = s_.target.add_arg(emit_.region, Type::scalar(type.elem));
    ValueId sum = emit_.binary(combining(kind), before, emit_.load(emit_.pointer_add(array, at), 0));
    emit_.store(emit_.pointer_add(out, at), sum);
    emit_.yield({sum});
    emit_.close(made, outside);
}

// The value of lane `source` (taken modulo 32) of the warp. Past the end of a short last warp: the lane's own.
void GroupCode::exchange(const Op& op) {
    const ShuffleOp shuffle(s_.tile, op);
    ValueId values = s_.arrays.at(shuffle.value());
    ValueId sources = s_.arrays.at(shuffle.source());
    int64_t size = s_.tile.kernel.group_size();
    ValueId out = s_.arrays[op.results[0]] = new_array(s_.tile.type(op.results[0]));
    counted_loop(emit_.integer(0), emit_.integer(size), 1, [&](ValueId tile) {
        ValueId source = emit_.cast(emit_.load(emit_.pointer_add(sources, tile), 0), DType::index);
        ValueId lane = emit_.binary(OpKind::bit_and, source, emit_.integer(kWarpOfMask - 1));
        ValueId from = emit_.add(emit_.binary(OpKind::bit_and, tile, emit_.integer(-kWarpOfMask)), lane);
        if (size % kWarpOfMask != 0)
            from = emit_.select(emit_.compare(OpKind::lt, from, emit_.integer(size)), from, tile);
        emit_.store(emit_.pointer_add(out, tile), emit_.load(emit_.pointer_add(values, from), 0));
    });
}

void GroupCode::ballot(const Op& op) {
    ValueId votes = s_.arrays.at(BallotOp(s_.tile, op).condition());
    int64_t size = s_.tile.kernel.group_size();
    ValueId out = s_.arrays[op.results[0]] = new_array(s_.tile.type(op.results[0]));
    counted_loop(emit_.integer(0), emit_.integer(size), kWarpOfMask, [&](ValueId warp) {
        ValueId end = emit_.binary(OpKind::minimum, emit_.add(warp, emit_.integer(kWarpOfMask)), emit_.integer(size));
        RegionId outside = emit_.region;
        OpId made = emit_.open(OpKind::for_, {warp, end, emit_.integer(1), emit_.integer(0, DType::u32)});
        emit_.region = emit_.add_region(made);
        ValueId tile = s_.target.add_arg(emit_.region, Type::scalar(DType::index));
        ValueId mask = s_.target.add_arg(emit_.region, Type::scalar(DType::u32));
        ValueId vote = emit_.load(emit_.pointer_add(votes, tile), 0);
        ValueId bit = emit_.select(vote, emit_.integer(1, DType::u32), emit_.integer(0, DType::u32));
        ValueId lane = emit_.cast(emit_.binary(OpKind::sub, tile, warp), DType::u32);
        emit_.yield({emit_.binary(OpKind::bit_or, mask, emit_.binary(OpKind::shl, bit, lane))});
        emit_.close(made, outside);
        ValueId all = s_.target.op(made).results[0];
        counted_loop(warp, end, 1, [&](ValueId at) { emit_.store(emit_.pointer_add(out, at), all); });
    });
}

void GroupCode::atomic(const Op& op) {
    ValueId old = s_.atomic_rmw(op);
    if (!op.results.empty()) s_.scalars[op.results[0]] = old;
}

}  // namespace tsr::ir
