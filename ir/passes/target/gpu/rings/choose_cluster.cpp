#include "ir/passes/target/gpu/rings/choose_cluster.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/rings/staged_loads.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/kernel_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// What a value of a kernel is made of by pure operations: indices of the grid, one bit for each axis. Nothing where
// memory or a loop goes into it, but for the loop that is asked about.
class MadeOf {
public:
    MadeOf(const Function& kernel, OpId grid, OpId loop)
        : kernel_(kernel), grid_(kernel.op(grid).regions[0]), iv_(ForOp(kernel, loop).iv()) {}

    std::optional<unsigned> operator()(ValueId id) const {
        const Value& value = kernel_.value(id);
        if (!value.op.valid()) {
            const auto& args = kernel_.region(grid_).args;
            const auto axis = std::ranges::find(args, id);
            if (axis != args.end()) return 1U << (axis - args.begin());
            const bool parameter = std::ranges::find(kernel_.params(), id) != kernel_.params().end();
            return parameter || id == iv_ ? std::optional(0U) : std::nullopt;
        }
        const Op& op = kernel_.op(value.op);
        if (!op.regions.empty() || !is_pure(op.kind)) return std::nullopt;
        return of_all(op.operands);
    }
    template <typename Values>
    std::optional<unsigned> of_all(const Values& values) const {
        unsigned all = 0;
        for (ValueId value : values) {
            const auto one = (*this)(value);
            if (!one) return std::nullopt;
            all |= *one;
        }
        return all;
    }

private:
    const Function& kernel_;
    RegionId grid_;
    ValueId iv_;
};

// The grid that the loop stands in, where all blocks come to it for each of their groups.
std::optional<OpId> grid_around(const Function& kernel, OpId loop) {
    const OpId around = kernel.region(kernel.op(loop).parent).parent;
    if (!around.valid() || kernel.op(around).kind != OpKind::grid || kernel.op(around).parent != kernel.body)
        return std::nullopt;
    return kernel.region(kernel.op(around).regions[0]).args.size() == 2 ? std::optional(around) : std::nullopt;
}

bool halves(const Type& tile) {
    const Coordinates shape = extents(tile);
    const int64_t panel = Memory::Swizzle::of_panels(shape[0], shape[1], bits(tile.elem) / 8).panel;
    return panel != 0 && box_halves(shape[0], shape[1], panel).has_value();
}

// The bytes of a round that blocks which follow each other along an axis of the grid share; or why they share nothing.
struct Sharing {
    std::array<int64_t, 2> bytes{};
    int64_t all = 0;
    std::string why_not;
};

Sharing sharing(const Function& kernel, const GpuMachine& machine) {
    const auto none = [](const char* why) { return Sharing{.why_not = why}; };
    if (!machine.box_copies || !machine.group_products) return none("the machine has no copies to several blocks");
    if (!group_threads(kernel, machine)) return none("no warp groups multiply");
    const std::vector<StagedLoop> loops = staged_loops(kernel, machine);
    if (loops.size() != 1 || !loops[0].boxes || stages_of(loops[0], kernel.plan->gpu()) < 2)
        return none("it is for kernels with one loop whose products read boxes of tensors");
    if (kernel.plan->gpu().producers == 0) return none("no threads are left that copy");
    const OpId loop = loops[0].loop;
    const auto grid = grid_around(kernel, loop);
    if (!grid) return none("the loop of its products does not stand in a grid of two axes, outside of other loops");
    const bool sums = !any_below(kernel, ForOp(kernel, loop).body(), [&](const Op& op) {
        return op.kind == OpKind::mma && !MmaOp(kernel, op).accumulator();
    });
    if (!sums) return none("a product of the loop begins anew in each round");
    const MadeOf made_of(kernel, *grid, loop);
    if (made_of.of_all(ForOp(kernel, loop).bounds()) != 0U || !made_of.of_all(kernel.op(*grid).operands))
        return none("groups have different numbers of rounds");
    Sharing out{.all = loops[0].bytes};
    for (OpId load : loops[0].loads) {
        const auto made = made_of.of_all(TileViewOp(kernel, load).starts());
        if (!made) return none("where a load begins is read from memory");
        const Type& tile = kernel.type(kernel.op(load).results[0]);
        for (unsigned axis = 0; axis < 2; ++axis) {
            if ((*made >> axis & 1U) == 0 && halves(tile)) out.bytes[axis] += element_count(tile) * bits(tile.elem) / 8;
        }
    }
    return out;
}

}  // namespace

std::optional<BoxHalves> box_halves(int64_t rows, int64_t columns, int64_t panel) {
    constexpr int64_t kSwizzled = 8;  // rows whose pieces change places together
    const int64_t panels = columns / panel;
    BoxHalves out{rows, panel, {}};
    if (panels % kMostOfCluster != 0) {
        if (rows % (kMostOfCluster * kSwizzled) != 0) return std::nullopt;
        out.rows = rows / kMostOfCluster;
    }
    for (int64_t row = 0; row < rows; row += out.rows) {
        for (int64_t i = 0; i < panels; ++i) out.starts.emplace_back(row, i * panel);
    }
    return out;
}

int64_t cluster_axis(const GpuPlan& plan) { return plan.cluster_rows > 1 ? 0 : plan.cluster_columns > 1 ? 1 : -1; }

bool is_shared(const Function& kernel, OpId load, int64_t axis) {
    if (axis < 0 || !halves(kernel.type(kernel.op(load).results[0]))) return false;
    const OpId loop = kernel.region(kernel.op(load).parent).parent;
    const auto grid = grid_around(kernel, loop);
    if (!grid) return false;
    const auto made = MadeOf(kernel, *grid, loop).of_all(TileViewOp(kernel, load).starts());
    return made && (*made >> axis & 1) == 0;
}

namespace {

struct Cluster {
    int64_t rows = 1, columns = 1;
    std::string reason;
};

Cluster best_cluster(const Function& kernel, const GpuMachine& machine) {
    Cluster out;
    if (!kernel.plan->gpu().box_copies) return out;
    const Sharing shared = sharing(kernel, machine);
    if (!shared.why_not.empty()) return out;
    const bool along_columns = shared.bytes[1] > shared.bytes[0];
    const int64_t bytes = shared.bytes[along_columns ? 1 : 0];
    if (bytes == 0) return out;
    (along_columns ? out.columns : out.rows) = kMostOfCluster;
    out.reason = fmt::format("cluster {} x {}: neighbours share {} of a round's {} bytes", out.rows, out.columns, bytes,
                             shared.all);
    return out;
}

}  // namespace

void choose_cluster(Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields) {
    if (!machine.box_copies) return;
    const Cluster best = best_cluster(kernel, machine);
    GpuPlan& plan = kernel.plan->gpu();
    plan.cluster_rows = fields.cluster_rows.value_or(best.rows);
    plan.cluster_columns = fields.cluster_rows ? fields.cluster_columns.value_or(1) : best.columns;
    const bool chosen = plan.cluster_rows == best.rows && plan.cluster_columns == best.columns;
    if (chosen && !best.reason.empty()) kernel.plan->reasons.push_back(best.reason);
}

std::optional<std::string> cluster_fault(const Function& kernel, const GpuMachine& machine, const Plan& plan) {
    const int64_t rows = plan.gpu().cluster_rows, columns = plan.gpu().cluster_columns;
    if (rows == 1 && columns == 1) return std::nullopt;
    if (rows < 1 || columns < 1 || rows * columns != kMostOfCluster)
        return fmt::format("{} x {} is none of 1 x 1, 2 x 1 and 1 x 2", rows, columns);
    Function planned = kernel;
    planned.plan = plan;
    const Sharing shared = sharing(planned, machine);
    if (!shared.why_not.empty()) return shared.why_not;
    if (shared.bytes[static_cast<size_t>(cluster_axis(plan.gpu()))] > 0) return std::nullopt;
    return "neighbours along this axis load nothing that is the same";
}

}  // namespace tsr::ir
