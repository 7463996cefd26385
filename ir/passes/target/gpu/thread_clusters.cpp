// Two blocks of a cluster, which take neighbouring groups and bring what both multiply a half each.
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

void ThreadCode::begin_cluster() {
    rank_ = emit.op(OpKind::cluster_rank, {});
    blocks_ = emit.op(OpKind::cluster_count, {});
}

void ThreadCode::cluster_barrier() {
    proxy_fence();
    emit.statement(OpKind::cluster_barrier, {});
}

// The launch may have put no blocks together. The other one is the block before or behind, whose group's number is one
// less or one more; it has none where the launch's last group is this one. `at`: of `high` groups in a line.
void ThreadCode::find_neighbour(const std::vector<Axis>& all, ValueId number, ValueId at, ValueId high) {
    const ValueId one = emit.integer(1), groups = rounds(all);
    const auto both = [&](ValueId a, ValueId b) { return emit.binary(OpKind::bit_and, a, b); };
    const auto either = [&](ValueId a, ValueId b) { return emit.binary(OpKind::bit_or, a, b); };
    const ValueId second = emit.compare(OpKind::gt, rank_, emit.integer(0));
    // With fewer groups than rounds of the grid blocks would fall out of step.
    const ValueId in_step = both(emit.compare(OpKind::gt, blocks_, one), emit.compare(OpKind::eq, groups, total));
    neighbour_.there = both(in_step, either(second, emit.compare(OpKind::lt, emit.add(number, one), groups)));
    const ValueId ahead = emit.compare(OpKind::lt, emit.add(at, one), high);
    const ValueId behind = emit.compare(OpKind::gt, at, emit.integer(0));
    neighbour_.shares = both(in_step, emit.select(second, behind, ahead));
    neighbour_.told_by = emit.select(neighbour_.there, lane_, emit.cast(rank_, DType::i32));
}

// A lane for each block; both of them tell this one where the other block has no group.
void ThreadCode::tell_cluster(ValueId mbarrier) {
    const ValueId tells = emit.compare(OpKind::lt, lane_, emit.integer(plan.gpu().cluster(), DType::i32));
    when(tells, [&] { emit.statement(OpKind::mbarrier_arrive, {mbarrier, neighbour_.told_by}); });
}

// The boxes of this block's half, to both.
void ThreadCode::copy_half(const BoxHalves& boxes, Attrs attrs,
                           const std::function<void(ValueId, ValueId, const Attrs&)>& copy) {
    attrs.set_flag(Attr::cluster);
    const size_t half = boxes.starts.size() / kMostOfCluster;
    for (size_t i = 0; i < half; ++i) {
        const auto [row, column] = boxes.starts[i];
        const auto [other_row, other_column] = boxes.starts[i + half];
        const auto at = [&](int64_t first, int64_t second) {
            return emit.add(emit.mul(rank_, emit.integer(second - first)), emit.integer(first));
        };
        copy(at(row, other_row), at(column, other_column), attrs);
    }
}

}  // namespace tsr::ir
