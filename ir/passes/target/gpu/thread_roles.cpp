// The threads of a block by what they do: consumers run the kernel but for what fills its rings, producers that.
#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/rings/choose_producers.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

void ThreadCode::roles() {
    const RegionId outside = emit.region;
    const ValueId consumes = emit.compare(OpKind::lt, thread_, emit.integer(plan.gpu().threads));
    const OpId branch = emit.open_if(consumes);
    for (const Role role : {Role::consumer, Role::producer}) {
        emit.region = emit.add_region(branch);
        role_ = role;
        share_registers();
        const bool turns = role == Role::consumer && takes_turns(tile.body);
        if (turns) tiles_->begin_turns();
        groups();
        if (turns) tiles_->end_turns();
        if (tiles_ && role == Role::consumer) tiles_->end_boxes();
        emit.yield({});
        if (role == Role::consumer) meet_alone(emit.region);
        if (tiles_) tiles_->forget();
    }
    emit.close(branch, outside);
}

// A block runs groups one after the other, so that what one of them wants first comes while the one before ends.
void ThreadCode::groups() {
    const RegionId outside = emit.region;
    const Type index = Type::scalar(DType::index);
    const ValueId end = emit.op(OpKind::task_end, {});
    const ValueId blocks = emit.op(OpKind::block_count, {});
    const OpId made = emit.open(OpKind::for_, {group, end, blocks});
    emit.region = emit.add_region(made);
    const ValueId first = std::exchange(group, target.add_arg(emit.region, index, "group"));
    if (tiles_) tiles_->forget();
    region(tile.body);
    if (role_ == Role::consumer) block_barrier();
    emit.yield({});
    emit.close(made, outside);
    group = first;
}

// The rounds number `group`, `group` + groups, …; with the launch's own number of groups, exactly one.
// A step that is known to be positive takes one comparison each time. Loops around products hold too many registers for
// that to matter.
ValueId ThreadCode::positive(ValueId step) {
    const bool multiplies = any_below(tile, tile.body, [](const Op& op) { return op.kind == OpKind::mma; });
    return multiplies ? step : emit.binary(OpKind::maximum, step, emit.integer(1));
}

void ThreadCode::grid(const Op& op) {
    std::vector<Axis> all = axes(op);
    RegionId outside = emit.region;
    OpId made = emit.open(OpKind::for_, {group, rounds(all), positive(total)});
    emit.region = emit.add_region(made);
    bind_round(op, all, near_before(all, target.add_arg(emit.region, Type::scalar(DType::index), "round")));
    if (tiles_) tiles_->forget();
    region(op.regions[0]);
    emit.yield({});
    emit.close(made, outside);
}

// Groups that run at the same time are of neighbouring rows, which read the same columns; of neighbouring columns where
// blocks along them form clusters.
ValueId ThreadCode::near_before(const std::vector<Axis>& all, ValueId number) {
    constexpr int64_t kNear = 8;
    if (role_ == Role::all || all.size() != 2) return number;
    const size_t near = plan.gpu().cluster_columns > 1 ? 1 : 0;
    const ValueId band = emit.mul(all[1 - near].count, emit.integer(kNear));
    const ValueId before = emit.binary(OpKind::floordiv, number, band);
    const ValueId first = emit.mul(before, emit.integer(kNear));
    const ValueId left = emit.binary(OpKind::sub, all[near].count, first);
    const ValueId high = emit.binary(OpKind::minimum, left, emit.integer(kNear));
    const ValueId inside = emit.binary(OpKind::mod, number, band);
    const ValueId at = emit.binary(OpKind::mod, inside, high);
    if (in_clusters()) find_neighbour(all, number, at, high);
    const ValueId here = emit.add(first, at), other = emit.binary(OpKind::floordiv, inside, high);
    const ValueId row = near == 0 ? here : other, column = near == 0 ? other : here;
    return emit.add(emit.mul(row, all[1].count), column);
}

void ThreadCode::share_registers() {
    if (!shares_registers(plan.gpu())) return;
    const bool copies = role_ == Role::producer;
    emit.statement(copies ? OpKind::fewer_registers : OpKind::more_registers, {},
                   {{Attr::count, copies ? kCopyRegisters : kProductRegisters}});
}

// Whether products below do, of those that run the code at hand.
bool ThreadCode::takes_turns(RegionId region) const {
    return role_ == Role::consumer && any_below(tile, region, [](const Op& op) { return op.attrs.has(Attr::turn); });
}

// A loop in which the warp groups meet takes no turns: the one whose turn it is not does not come to the barrier.
void ThreadCode::end_turns(OpId loop, OpId awaits) {
    const RegionId body = target.op(loop).regions[0];
    if (!any_below(target, body, [](const Op& op) { return op.kind == OpKind::block_barrier; }))
        return tiles_->pass_turn();
    std::vector<OpId> unwanted{awaits};
    walk(target, body, [&](OpId id) {
        const OpKind kind = target.op(id).kind;
        if (kind == OpKind::await_turn || kind == OpKind::pass_turn) unwanted.push_back(id);
    });
    for (OpId id : unwanted) target.remove(id);
}

// Barriers are of these threads alone.
void ThreadCode::meet_alone(RegionId region) {
    walk(target, region, [&](OpId id) {
        Op& op = target.op(id);
        if (op.kind != OpKind::block_barrier) return;
        op.attrs.set(Attr::axis, int64_t{1});
        op.attrs.set(Attr::count, plan.gpu().threads);
    });
}

// Whether those that run the code at hand do this.
bool ThreadCode::is_of_role(OpId id) const {
    switch (role_) {
        case Role::all:
            return true;
        case Role::producer:
            return producer_->ops.contains(id);
        case Role::consumer:
            const OpKind kind = tile.op(id).kind;
            if (kind == OpKind::acquire) return RingOp(tile, id).opens();
            return kind != OpKind::copy_async && kind != OpKind::fill;
    }
    return true;
}

// What control flow carries of a value for those that run the code at hand.
bool ThreadCode::carries(ValueId value) const { return role_ != Role::producer || producer_->values.contains(value); }

std::vector<ValueId> ThreadCode::carried(const std::vector<ValueId>& values) const {
    std::vector<ValueId> out;
    std::ranges::copy_if(values, std::back_inserter(out), [&](ValueId value) { return carries(value); });
    return out;
}

// The thread that copies boxes.
ValueId ThreadCode::copies_boxes() {
    return emit.compare(OpKind::eq, thread_, emit.integer(producer_ ? plan.gpu().threads : 0));
}

}  // namespace tsr::ir
