// What the threads of a block do together.
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kExchanged = 8;  // bytes of the widest value

}  // namespace

// Eight bytes for each warp, under the type that is wanted.
ValueId ThreadCode::area(DType type) {
    const int64_t at = area_at_.value_or((shared_bytes_ + kExchanged - 1) / kExchanged * kExchanged);
    if (!area_at_) shared_bytes_ = at + warps() * kExchanged;
    area_at_ = at;
    return emit.op(OpKind::scratch, {}, {{Attr::count, at}, {Attr::type, type}, {Attr::alignment, kExchanged}});
}

// The value, or where the thread is no tile the constant.
ValueId ThreadCode::present(ValueId value, const AttrValue& otherwise) {
    if (plan.gpu().threads == tile.kernel.group_size()) return value;
    ValueId inside = emit.compare(OpKind::lt, thread_, emit.integer(tile.kernel.group_size()));
    return emit.select(inside, value, emit.constant(otherwise, target.type(value).elem));
}

ValueId ThreadCode::warp_reduce(ReduceOp kind, ValueId value, int64_t lanes) {
    for (int64_t off = lanes / 2; off > 0; off /= 2) {
        value = emit.binary(combining(kind), value, shuffle(ShuffleBy::bit_xor, value, emit.integer(off, DType::i32)));
    }
    return value;
}

ValueId ThreadCode::block_reduce(ReduceOp kind, ValueId value) {
    if (is_logical(kind)) {
        const Vote vote = kind == ReduceOp::any ? Vote::any : Vote::all;
        value = emit.op(OpKind::warp_vote, {value}, {{Attr::vote, code(vote)}});
    } else {
        value = warp_reduce(kind, value, kWarp);
    }
    if (warps() == 1) return value;
    ValueId all = area(target.type(value).elem);
    when(emit.compare(OpKind::eq, lane_, emit.integer(0, DType::i32)),
         [&] { emit.store(emit.pointer_add(all, warp_), value); });
    block_barrier();
    ValueId sum = emit.load(all, 0);
    for (int64_t i = 1; i < warps(); ++i) {
        sum = emit.binary(combining(kind), sum, emit.load(emit.pointer_add(all, emit.integer(i)), 0));
    }
    block_barrier();
    return sum;
}

// In a warp by doubling distances, then what the warps before have together.
ValueId ThreadCode::scan(ReduceOp kind, ValueId value) {
    for (int64_t off = 1; off < kWarp; off *= 2) {
        ValueId below = shuffle(ShuffleBy::up, value, emit.integer(off, DType::i32));
        ValueId has = emit.compare(OpKind::ge, lane_, emit.integer(off, DType::i32));
        value = emit.select(has, emit.binary(combining(kind), below, value), value);
    }
    if (warps() == 1) return value;
    const DType elem = target.type(value).elem;
    ValueId all = area(elem);
    when(emit.compare(OpKind::eq, lane_, emit.integer(kWarp - 1, DType::i32)),
         [&] { emit.store(emit.pointer_add(all, warp_), value); });
    block_barrier();
    ValueId before = emit.load(all, 0);
    for (int64_t i = 1; i + 1 < warps(); ++i) {
        ValueId more = emit.binary(combining(kind), before, emit.load(emit.pointer_add(all, emit.integer(i)), 0));
        before = emit.select(emit.compare(OpKind::gt, warp_, emit.integer(i)), more, before);
    }
    block_barrier();
    ValueId later = emit.compare(OpKind::gt, warp_, emit.integer(0));
    return emit.select(later, emit.binary(combining(kind), before, value), value);
}

// The value of lane `source` (taken modulo 32) of the warp. Past the end of a short last warp: the lane's own.
ValueId ThreadCode::exchange(ValueId value, ValueId source) {
    ValueId lane = emit.binary(OpKind::bit_and, emit.cast(source, DType::i32), emit.integer(kWarp - 1, DType::i32));
    ValueId other = shuffle(ShuffleBy::index, value, lane);
    const int64_t size = tile.kernel.group_size();
    if (plan.gpu().threads == size) return other;
    ValueId first = emit.binary(OpKind::bit_and, thread_, emit.integer(-kWarp));
    ValueId from = emit.add(first, emit.cast(lane, DType::index));
    return emit.select(emit.compare(OpKind::lt, from, emit.integer(size)), other, value);
}

void ThreadCode::group_reduce(const Op& op) {
    const auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    const ValueId value = scalars.at(GroupReduceOp(tile, op).value());
    scalars[op.results[0]] = block_reduce(kind, present(value, reduction_start(kind, target.type(value).elem)));
}

void ThreadCode::group_scan(const Op& op) {
    const GroupReduceOp along(tile, op);
    scalars[along.result()] = scan(along.what(), scalars.at(along.value()));
}

void ThreadCode::shuffle_value(const Op& op) {
    const ShuffleOp shuffle(tile, op);
    scalars[shuffle.result()] = exchange(scalars.at(shuffle.value()), scalars.at(shuffle.source()));
}

void ThreadCode::ballot(const Op& op) {
    scalars[op.results[0]] =
        emit.op(OpKind::warp_vote, {present(scalars.at(BallotOp(tile, op).condition()), int64_t{0})},
                {{Attr::vote, code(Vote::ballot)}});
}

// Once for the group, by its first thread, which tells the others what was found.
void ThreadCode::group_atomic(const Op& op) {
    if (op.results.empty()) {
        return first_thread([&] { atomic_rmw(op); });
    }
    const DType elem = tile.type(op.results[0]).elem;
    ValueId found = area(elem);
    first_thread([&] { emit.store(found, atomic_rmw(op)); });
    block_barrier();
    scalars[op.results[0]] = emit.load(found, 0);
    block_barrier();
}

// Element i goes to partial i % 16, then the partials are combined 8, 4, 2, 1 apart. Each half of a warp does all of
// it.
ValueId ThreadCode::reduce_buffer(const Op& op) {
    if (in_lanes_) return reduce_alone(op);
    constexpr int64_t kPartials = 16;
    const ValueId buffer = GroupReduceOp(tile, op).value();
    const Memory& memory = memories.at(buffer);
    const auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    const DType elem = tile.type(buffer).elem;
    const DType accumulator = tile.type(op.results[0]).elem;
    ValueId partial = emit.binary(OpKind::bit_and, thread_, emit.integer(kPartials - 1));
    ValueId start = emit.constant(reduction_start(kind, accumulator), accumulator);
    RegionId outside = emit.region;
    OpId loop = emit.open(OpKind::for_, {partial, emit.integer(memory.elements), emit.integer(kPartials), start});
    emit.region = emit.add_region(loop);
    ValueId at = target.add_arg(emit.region, Type::scalar(DType::index));
    ValueId sum = target.add_arg(emit.region, Type::scalar(accumulator));
    ValueId loaded = emit.load(emit.pointer_add(memory.pointer, at), 0);
    if (elem != accumulator) loaded = emit.cast(loaded, accumulator);
    emit.yield({emit.binary(combining(kind), sum, loaded)});
    emit.close(loop, outside);
    return warp_reduce(kind, target.op(loop).results[0], kPartials);
}

// The same by one thread for itself, where others may not be there.
ValueId ThreadCode::reduce_alone(const Op& op) {
    constexpr int64_t kPartials = 16;
    const ValueId buffer = GroupReduceOp(tile, op).value();
    const Memory& memory = memories.at(buffer);
    const auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    const DType elem = tile.type(buffer).elem;
    const DType accumulator = tile.type(op.results[0]).elem;
    const int64_t whole = memory.elements / kPartials * kPartials;
    auto step = [&](ValueId sum, ValueId at) {
        ValueId loaded = emit.load(emit.pointer_add(memory.pointer, at), 0);
        if (elem != accumulator) loaded = emit.cast(loaded, accumulator);
        return emit.binary(combining(kind), sum, loaded);
    };
    std::vector<ValueId> operands{emit.integer(0), emit.integer(whole), emit.integer(kPartials)};
    for (int64_t i = 0; i < kPartials; ++i) {
        operands.push_back(emit.constant(reduction_start(kind, accumulator), accumulator));
    }
    RegionId outside = emit.region;
    OpId loop = emit.open(OpKind::for_, operands);
    emit.region = emit.add_region(loop);
    ValueId first = target.add_arg(emit.region, Type::scalar(DType::index));
    std::vector<ValueId> sums;
    for (int64_t i = 0; i < kPartials; ++i) sums.push_back(target.add_arg(emit.region, Type::scalar(accumulator)));
    for (int64_t i = 0; i < kPartials; ++i) sums[i] = step(sums[i], emit.add(first, emit.integer(i)));
    emit.yield(sums);
    emit.close(loop, outside);
    sums = target.op(loop).results;
    for (int64_t i = whole; i < memory.elements; ++i) sums[i - whole] = step(sums[i - whole], emit.integer(i));
    for (int64_t half = kPartials / 2; half > 0; half /= 2) {
        for (int64_t i = 0; i < half; ++i) sums[i] = emit.binary(combining(kind), sums[i], sums[i + half]);
    }
    return sums[0];
}

}  // namespace tsr::ir
