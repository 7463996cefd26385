#include "ir/passes/target/gpu/rings/staged_loads.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/kernel_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

int64_t tile_bytes(const Type& tile) { return element_count(tile) * bits(tile.elem) / 8; }

class StagedLoopFinder {
public:
    StagedLoopFinder(const Function& kernel, const GpuMachine& machine)
        : kernel_(kernel), machine_(machine), uses_(kernel) {}

    std::vector<StagedLoop> run() {
        std::vector<StagedLoop> found;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (kernel_.op(id).kind != OpKind::for_) return;
            StagedLoop loop = staged(id);
            if (!loop.loads.empty()) found.push_back(std::move(loop));
        });
        return found;
    }

private:
    StagedLoop staged(OpId id) const {
        const ForOp loop(kernel_, id);
        StagedLoop out{id, {}, 0, kernel_.plan->gpu().box_copies, loop.prefetch()};
        // Rounds go upwards: what comes next is asked for before the end is.
        if (constant_integer(kernel_, loop.step()).value_or(0) <= 0 || out.asked == 1) return out;
        for (OpId op : kernel_.region(loop.body()).ops) {
            if (kernel_.op(op).kind != OpKind::load_tile || !suits(id, op)) continue;
            out.loads.push_back(op);
            out.bytes += tile_bytes(kernel_.type(kernel_.op(op).results[0]));
            out.boxes = out.boxes && is_box(op);
        }
        return out;
    }

    // Panels of the buffer are boxes (PTX ISA, tensor copies), and what they bring was there before the kernel.
    [[nodiscard]] bool is_box(OpId load) const {
        constexpr int64_t kMostRows = 256;
        constexpr size_t kMostAxes = 5;
        constexpr int64_t kAlignment = 128;  // bytes; of where a box goes
        const Type &tile = kernel_.type(kernel_.op(load).results[0]),
                   &memory = kernel_.type(TileViewOp(kernel_, load).memory());
        const Coordinates shape = extents(tile);
        const int64_t bytes = bits(tile.elem) / 8;
        const bool panels = Memory::Swizzle::of_panels(shape[0], shape[1], bytes).panel != 0;
        const bool plain = Memory::Swizzle::of_rows(shape[1], bytes).piece == 0 && shape[1] <= kMostRows &&
                           shape[0] * shape[1] * bytes % kAlignment == 0;
        return !memory.mut && memory.rank() <= kMostAxes && shape[0] <= kMostRows && (panels || plain);
    }

    [[nodiscard]] bool suits(OpId loop, OpId id) const {
        const TileViewOp load(kernel_, id);
        const ValueId result = kernel_.op(id).results[0];
        const Type &tile = kernel_.type(result), &memory = kernel_.type(load.memory());
        if (memory.kind != TypeKind::tensor || load.fill() || tile.rank() != 2 || is_packed(tile.elem)) return false;
        const auto rank = static_cast<int64_t>(memory.rank());
        if (load.axes() != std::vector<int64_t>{rank - 2, rank - 1}) return false;
        if (extents(tile)[1] * bits(tile.elem) / 8 % kAccess != 0) return false;
        return only_products(result) && !written_in(loop, load.memory()) && starts_ahead(kernel_, loop, id);
    }

    // All uses are operands of products that warps have, as they are or transposed.
    [[nodiscard]] bool only_products(ValueId value) const {
        const std::vector<OpId>& users = uses_.of(value);
        return !users.empty() && std::ranges::all_of(users, [&](OpId user) {
            const Op& op = kernel_.op(user);
            if (op.kind == OpKind::transpose) return only_products(op.results[0]);
            if (op.kind != OpKind::mma) return false;
            const MmaOp product(kernel_, user);
            return product.accumulator() != value && product_of(kernel_, product, machine_.capability).has_value();
        });
    }

    [[nodiscard]] bool written_in(OpId loop, ValueId memory) const {
        return any_in(kernel_, loop, [&](const Op& op) {
            const std::vector<ValueId> written = written_memories(kernel_, op);
            return std::ranges::find(written, memory) != written.end();
        });
    }

    const Function& kernel_;
    const GpuMachine& machine_;
    Uses uses_;
};

}  // namespace

std::vector<StagedLoop> staged_loops(const Function& kernel, const GpuMachine& machine) {
    const bool copies = any_below(kernel, kernel.body, [](const Op& op) {
        return op.kind == OpKind::copy_async || op.kind == OpKind::commit || op.kind == OpKind::wait_group;
    });
    if (!machine.async_copies || copies) return {};
    return StagedLoopFinder(kernel, machine).run();
}

int64_t stages_of(const StagedLoop& loop, const GpuPlan& plan) {
    return loop.asked > 0 ? std::min(loop.asked, plan.stages) : plan.stages;
}

std::optional<std::vector<OpId>> starts_ahead(const Function& kernel, OpId loop, OpId load) {
    const ForOp around(kernel, loop);
    std::unordered_set<OpId> made;
    std::function<bool(ValueId)> known = [&](ValueId value) {
        if (value == around.iv()) return true;
        const Value& v = kernel.value(value);
        if (!v.op.valid()) return v.region != around.body();
        if (kernel.op(v.op).parent != around.body()) return !stands_below(kernel, v.op, loop);
        const Op& op = kernel.op(v.op);
        if (!op.regions.empty() || op.results.size() != 1 || !is_pure(op.kind)) return false;
        made.insert(v.op);
        return std::ranges::all_of(op.operands, known);
    };
    if (!std::ranges::all_of(TileViewOp(kernel, load).starts(), known)) return std::nullopt;
    std::vector<OpId> in_order;
    for (OpId op : kernel.region(around.body()).ops) {
        if (made.contains(op)) in_order.push_back(op);
    }
    return in_order;
}

}  // namespace tsr::ir
