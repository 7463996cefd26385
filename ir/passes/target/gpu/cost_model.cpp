#include "ir/passes/target/gpu/cost_model.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/rings/staged_loads.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kBeside = 64;  // registers beside sums
constexpr double kUnit = 1024;   // multiply-adds

// What a block asks for in a round.
struct Round {
    double products = 0;           // cycles
    double multiply_adds = 0;      // their number
    double shared = 0, cache = 0;  // bytes

    [[nodiscard]] double slowest() const { return std::max({products, shared / kSharedRate, cache / kCacheRate}); }
    [[nodiscard]] double one_by_one() const { return products + shared / kSharedRate + cache / kCacheRate; }
};

class Pricing {
public:
    Pricing(const Function& kernel, const GpuMachine& machine)
        : kernel_(kernel),
          machine_(machine),
          threads_(kernel.plan->gpu().threads),
          by_groups_(group_threads(kernel, machine) == threads_),
          layouts_(assign_layouts(kernel, threads_, machine)),
          staged_(staged_loops(kernel, machine)) {}

    std::vector<LoopCost> run() {
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (kernel_.op(id).kind != OpKind::for_) return;
            Round round;
            add(kernel_.op(id).regions[0], round);
            if (round.multiply_adds > 0) costs_.push_back(cost(id, round));
        });
        return known_ ? costs_ : std::vector<LoopCost>{};
    }

private:
    // Loops inside have rounds of their own; of branches each is taken.
    void add(RegionId region, Round& round) {
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::load_tile) add_load(kernel_.type(op.results[0]), round);
            if (op.kind == OpKind::mma) add_product(id, round);
            for (size_t i = 0; op.kind == OpKind::if_ && i < op.regions.size(); ++i) add(op.regions[i], round);
        }
    }

    static double bytes(const Type& tile) { return static_cast<double>(element_count(tile) * bits(tile.elem)) / 8; }

    // It goes through shared memory.
    static void add_load(const Type& tile, Round& round) {
        round.cache += bytes(tile);
        round.shared += bytes(tile);
    }

    void add_product(OpId id, Round& round) {
        const MmaOp op(kernel_, id);
        const Type &a = kernel_.type(op.a()), &b = kernel_.type(op.b()), &sums = kernel_.type(op.result());
        const auto rows = static_cast<double>(sums.shape[0].constant_value().value_or(0));
        const double many = static_cast<double>(element_count(a)) / rows * static_cast<double>(element_count(sums));
        const double by_width = 16.0 / std::max(bits(a.elem), 8);
        const auto found = layouts_.products.find(id);
        round.multiply_adds += many;
        if (found == layouts_.products.end()) {
            round.products += many / machine_.rates.of_threads;
        } else if (by_groups_) {
            round.products += many / (machine_.rates.of_groups * by_width);
            round.shared += bytes(a) + bytes(b) * rows / static_cast<double>(kGroupRows);
        } else {
            round.products += many / (machine_.rates.of_warps * by_width);
            round.shared += bytes(a) * static_cast<double>(1 << found->second.column_warps) +
                            bytes(b) * static_cast<double>(1 << found->second.row_warps);
        }
    }

    LoopCost cost(OpId id, const Round& round) {
        const auto step = constant_integer(kernel_, ForOp(kernel_, id).step());
        known_ = known_ && step.value_or(0) > 0;
        const auto ring = std::ranges::find(staged_, id, &StagedLoop::loop);
        const int64_t stages = ring == staged_.end() ? 1 : stages_of(*ring, kernel_.plan->gpu());
        const int64_t held = ring == staged_.end() ? 0 : ring->bytes * stages;
        const double blocks = static_cast<double>(resident(held));
        const double rings = static_cast<double>(stages - 1);
        LoopCost out;
        out.alone = stages > 1 ? std::max(round.slowest(), kLoadLatency / rings) : round.one_by_one() + kLoadLatency;
        out.busy = stages > 1 ? std::max(round.slowest(), kLoadLatency / (rings * blocks))
                              : std::max(round.slowest(), (round.one_by_one() + kLoadLatency) / blocks);
        out.alone /= static_cast<double>(step.value_or(1));
        out.busy /= round.multiply_adds / kUnit;
        return out;
    }

    // Blocks of a multiprocessor whose rings take so many bytes.
    [[nodiscard]] int64_t resident(int64_t held) const {
        const int64_t registers = threads_ * (carried_registers(kernel_, threads_) + kBeside);
        int64_t blocks = std::min(machine_.resident_threads / threads_, kRegisterFile / registers);
        if (held > 0) blocks = std::min(blocks, machine_.resident_shared_bytes / held);
        return std::max<int64_t>(blocks, 1);
    }

    const Function& kernel_;
    const GpuMachine& machine_;
    int64_t threads_;
    bool by_groups_;
    TileLayouts layouts_;
    std::vector<StagedLoop> staged_;
    std::vector<LoopCost> costs_;
    bool known_ = true;
};

}  // namespace

std::vector<LoopCost> product_costs(const Function& kernel, const GpuMachine& machine) {
    return Pricing(kernel, machine).run();
}

bool clearly_worse(const Priced& point, const Priced& other) {
    if (point.loops.empty() || point.loops.size() != other.loops.size() || point.steps.size() != other.steps.size())
        return false;
    double outside = 1;
    for (size_t i = 0; i < point.steps.size(); ++i) {
        if (point.steps[i] <= 0 || other.steps[i] <= 0) return false;
        outside *= std::max(1.0, static_cast<double>(other.steps[i]) / static_cast<double>(point.steps[i]));
    }
    for (size_t i = 0; i < point.loops.size(); ++i) {
        const LoopCost &mine = point.loops[i], &its = other.loops[i];
        if (mine.alone < its.alone || mine.busy <= 2 * its.busy * outside) return false;
    }
    return true;
}

}  // namespace tsr::ir
