#include "ir/passes/target/gpu/tiles/registers.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/ops/axes.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

namespace {

constexpr int64_t kRegistersBeside = 24;  // what addresses, counters and operands take at the least
constexpr int64_t kBits = 32;

int64_t carried_bits(const Function& kernel, OpId id) {
    if (!LoopOp::suits(kernel.op(id).kind)) return 0;
    int64_t sum = 0;
    for (ValueId value : LoopOp(kernel, id).inits()) {
        const Type& type = kernel.type(value);
        if (type.kind == TypeKind::tile) sum += element_count(type) * bits(type.elem);
    }
    return sum;
}

// Register tiles that are computed from others: not those that are read from shared memory where they are used, nor
// those that a few numbers or a tile whose elements they repeat or move stand for.
bool is_computed(const Function& kernel, ValueId value) {
    const auto is_tile = [&](ValueId v) { return kernel.type(v).kind == TypeKind::tile; };
    if (!is_tile(value) || kernel.type(value).elem == DType::boolean) return false;
    const OpId from = kernel.value(value).op;
    if (!from.valid()) return true;  // carried by a loop
    const Op& op = kernel.op(from);
    const AxisRule rule = axis_rule(op.kind);
    if (rule == AxisRule::repeat || rule == AxisRule::permute) return false;
    return !op.regions.empty() || std::ranges::any_of(op.operands, is_tile);
}

// The most bits that computed tiles take in a loop, those of others twice that the loop does not carry.
class CrowdedLoops {
public:
    explicit CrowdedLoops(const Function& kernel) : kernel_(kernel) { pass(kernel.body, {}, 0); }
    [[nodiscard]] int64_t most() const { return most_; }

private:
    using Live = std::unordered_set<ValueId>;

    int64_t bits_of(ValueId value) const {
        const Type& type = kernel_.type(value);
        return is_computed(kernel_, value) ? element_count(type) * bits(type.elem) : 0;
    }
    int64_t sum(const Live& live) const {
        int64_t all = 0;
        for (ValueId value : live) all += bits_of(value);
        return all;
    }
    // What stands in a region and is computed outside of it.
    void from_outside(RegionId region, Live& out) const {
        Live inside(kernel_.region(region).args.begin(), kernel_.region(region).args.end());
        for_each_op(kernel_, region, [&](OpId id) {
            const Op& op = kernel_.op(id);
            for (ValueId operand : op.operands) {
                if (!inside.contains(operand)) out.insert(operand);
            }
            inside.insert(op.results.begin(), op.results.end());
            for (RegionId inner : op.regions)
                inside.insert(kernel_.region(inner).args.begin(), kernel_.region(inner).args.end());
        });
    }
    // From the end of a region to its beginning; `live` is needed behind it, or again in its next iteration.
    void pass(RegionId region, Live live, int64_t carried) {
        for (OpId id : std::views::reverse(kernel_.region(region).ops)) {
            const Op& op = kernel_.op(id);
            for (ValueId result : op.results) live.erase(result);
            for (RegionId inner : op.regions) {
                Live through = live;
                from_outside(inner, through);
                pass(inner, std::move(through), std::max(carried, carried_bits(kernel_, id)));
            }
            live.insert(op.operands.begin(), op.operands.end());
            most_ = std::max(most_, 2 * sum(live) - carried);
        }
    }

    const Function& kernel_;
    int64_t most_ = 0;
};

}  // namespace

int64_t carried_registers(const Function& kernel, int64_t threads) {
    int64_t most = 0;
    for_each_op(kernel, kernel.body, [&](OpId id) { most = std::max(most, carried_bits(kernel, id)); });
    return most / (kBits * std::max<int64_t>(threads, 1));
}

int64_t crowded_registers(const Function& kernel, int64_t threads) {
    return CrowdedLoops(kernel).most() / (kBits * std::max<int64_t>(threads, 1));
}

int64_t registers_of_thread(int64_t threads, const GpuMachine& machine) {
    constexpr int64_t kTogether = 4;  // warps: they get registers as one
    // A plan that is read may name any number of threads; it is refused later.
    const int64_t warps = std::max<int64_t>(threads / kWarp, 1) + (machine.box_copies ? 1 : 0);
    return std::min(kMostRegisters, kRegisterFile / ((warps + kTogether - 1) / kTogether * kTogether * kWarp));
}

std::optional<std::string> lacks_registers(const Function& kernel, const GpuPlan& plan) {
    const int64_t threads = std::max<int64_t>(plan.threads, 1);
    const int64_t needed = carried_registers(kernel, threads), room = std::min(kMostRegisters, kRegisterFile / threads);
    if (needed + kRegistersBeside <= room) return std::nullopt;
    return fmt::format("a loop carries {} registers in each of {} threads, which have {}", needed, threads, room);
}

}  // namespace tsr::ir
