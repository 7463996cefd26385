// The threads of a block by what they do: consumers run the kernel but for what fills its rings, producers that.
#include <algorithm>
#include <iterator>

#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

// Both follow the same control flow around the rings, so that all meet where one is opened or closed.
void ThreadCode::roles() {
    const RegionId outside = emit.region;
    const ValueId consumes = emit.compare(OpKind::lt, thread_, emit.integer(plan.threads));
    const OpId branch = emit.open(OpKind::if_, {consumes}, {});
    for (const Role role : {Role::consumer, Role::producer}) {
        emit.region = emit.add_region(branch);
        role_ = role;
        region(tile.body);
        emit.yield({});
        if (role == Role::consumer) meet_alone(emit.region);
        if (tiles_) tiles_->forget();
    }
    emit.close(branch, outside);
}

// Barriers of these threads alone, but where all meet for a ring.
void ThreadCode::meet_alone(RegionId region) {
    walk(target, region, [&](OpId id) {
        Op& op = target.op(id);
        if (op.kind != OpKind::block_barrier || op.attrs.has(Attr::axis)) return;
        op.attrs.set(Attr::axis, int64_t{1});
        op.attrs.set(Attr::count, plan.threads);
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
    return emit.compare(OpKind::eq, thread_, emit.integer(producer_ ? plan.threads : 0));
}

}  // namespace tsr::ir
