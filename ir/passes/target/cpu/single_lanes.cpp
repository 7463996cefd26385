#include "ir/passes/target/cpu/single_lanes.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/passes/target/cpu/lanes/uniformity.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Numbers and memory alone, and nothing that others see, or have a part in.
bool is_plain(const Function& kernel, const Op& op) {
    const auto plain = [&](ValueId v) { return kernel.type(v).is_scalar() || kernel.type(v).is_memory(); };
    return (record(op.kind).effects.size() == 0 || op.kind == OpKind::yield) &&
           std::ranges::all_of(op.operands, plain) && std::ranges::all_of(op.results, plain);
}

// A number that was read from memory, or computed of one: it may be anything for each lane. Another number that differs
// between lanes is computed of their own, and neighbours have similar ones.
bool is_from_memory(const Function& kernel, const std::vector<bool>& differs, ValueId v) {
    const OpId from = kernel.value(v).op;
    if (!differs[v.index] || !from.valid()) return false;
    const Op& op = kernel.op(from);
    if (op.kind == OpKind::read) return true;
    return is_element(op.kind) &&
           std::ranges::any_of(op.operands, [&](ValueId w) { return is_from_memory(kernel, differs, w); });
}

// What the body of a loop does in one iteration.
struct Work {
    int64_t gathers = 0;     // reads of elements that are no neighbours
    int64_t operations = 0;  // on elements
    bool loops = false;
};

Work work_of(const Function& kernel, const std::vector<bool>& differs, RegionId body) {
    Work work;
    walk(kernel, body, [&](OpId id) {
        const Op& op = kernel.op(id);
        work.loops |= op.kind == OpKind::for_ || op.kind == OpKind::while_;
        if (op.kind == OpKind::read) {
            work.gathers +=
                std::ranges::any_of(ReadOp(kernel, id).indices(), [&](ValueId v) { return differs[v.index]; });
        } else if (is_element(op.kind) && op.kind != OpKind::cast) {
            ++work.operations;
        }
    });
    return work;
}

}  // namespace

bool can_do_single_lanes(const Function& kernel) {
    return (kernel.kernel.flat || kernel.kernel.elements) &&
           !any_below(kernel, kernel.body, [&](const Op& op) { return !is_plain(kernel, op); });
}

// Each tile has a loop of its own length, as the rows of a sparse matrix have. In lockstep all lanes of a vector wait
// for the longest, about twice the mean where lengths vary, and a gather of eight elements costs 10 to 25 cycles, while
// a core loads two or three scalars in each cycle and goes on with the next tile while this one's sum is under way. So
// vectors win only where there is arithmetic to do: more than some operations for each gather.
bool prefers_single_lanes(const Function& kernel) {
    constexpr int64_t kFewGathers = 2;
    constexpr int64_t kOperationsPerGather = 3;
    if (!can_do_single_lanes(kernel)) return false;
    const std::vector<bool> differs = find_differing(kernel);
    bool prefers = false;
    bool other = false;  // a loop that vectors are good for
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (op.kind == OpKind::while_) other = true;
        if (op.kind != OpKind::for_) return;
        const ForOp loop(kernel, id);
        const Work work = work_of(kernel, differs, loop.body());
        if (work.loops) return;  // the loops in it decide
        const bool lengths_differ = is_from_memory(kernel, differs, loop.upper());
        const bool gathers = work.gathers >= kFewGathers && work.operations <= kOperationsPerGather * work.gathers;
        (lengths_differ && gathers ? prefers : other) = true;
    });
    return prefers && !other;
}

}  // namespace tsr::ir
