#include "ir/passes/target/cpu/plan.h"

#include <algorithm>
#include <array>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

const std::array<CpuMachine, 4> kMachines{{
    {"x86-64", 4, 16, false, false},
    {"x86-64-v3", 8, 16, false, false},
    {"x86-64-v4", 16, 32, true, false},
    {"x86-64-v4-amx", 16, 32, true, true},
}};

struct Cost {
    int64_t operations = 0;  // of one lane, a loop's body counted eight times
    int64_t values = 0;      // a bound of the values alive at once
    bool loops = false;
};

// Of a register tile each lane of the group has its share.
int64_t operations(const Function& kernel, const Op& op) {
    int64_t elements = 0;
    for (ValueId v : op.operands) {
        if (is_tile(kernel, v)) elements = std::max(elements, element_count(kernel.type(v)));
    }
    for (ValueId v : op.results) {
        if (is_tile(kernel, v)) elements = std::max(elements, element_count(kernel.type(v)));
    }
    if (op.kind == OpKind::mma) {
        const Type& a = kernel.type(op.operands[0]);
        const size_t inner = op.attrs.integers(Attr::axes)[0] != 0 ? 0 : 1;
        elements = element_count(kernel.type(op.results[0])) * a.shape[inner].constant_value().value_or(1);
    }
    return std::max<int64_t>(elements / std::max<int64_t>(kernel.kernel.group_size(), 1), 1);
}

void add_cost(const Function& kernel, RegionId region, int64_t weight, Cost& cost) {
    for (OpId id : kernel.region(region).ops) {
        const Op& op = kernel.op(id);
        if (op.kind == OpKind::constant || op.kind == OpKind::yield) continue;
        bool loop = op.kind == OpKind::for_ || op.kind == OpKind::while_;
        cost.operations += weight * operations(kernel, op);
        if (loop) {
            cost.loops = true;
            cost.values += static_cast<int64_t>(op.results.size());
        }
        for (RegionId inner : op.regions) add_cost(kernel, inner, loop ? weight * 8 : weight, cost);
    }
}

}  // namespace

const CpuMachine* cpu_machine(const std::string& name) {
    auto found = std::ranges::find(kMachines, name, &CpuMachine::name);
    return found == kMachines.end() ? nullptr : &*found;
}

std::vector<std::string> cpu_machine_names() {
    std::vector<std::string> names;
    for (const CpuMachine& machine : kMachines) names.push_back(machine.name);
    return names;
}

Plan choose_plan(const Function& kernel, const CpuMachine& machine, bool narrow_index) {
    Cost cost;
    add_cost(kernel, kernel.body, 1, cost);
    Plan plan;
    plan.machine = machine.name;
    plan.lanes = machine.lanes;
    plan.narrow_index = narrow_index;
    // Carried values stay in registers for the whole of a loop; the rest comes and goes. A third of the registers is
    // left for what is computed in between.
    int64_t room = machine.registers * 2 / 3;
    int64_t alive = std::max<int64_t>(cost.values + 2, 3);
    plan.interleave = std::clamp<int64_t>(room / alive, 1, 4);
    if (!cost.loops) plan.interleave = cost.operations <= 12 ? 4 : cost.operations <= 60 ? 2 : 1;
    plan.reasons.push_back(cost.loops ? "vectors in flight: as many as the carried values leave registers for"
                                      : "vectors in flight: by the length of the straight code");
    // A task is worth about 20 microseconds at one operation per lane and cycle.
    int64_t work = std::max<int64_t>(cost.operations, 1);
    bool by_tile = kernel.kernel.flat || kernel.kernel.elements;
    int64_t task = 60000 * plan.lanes / work;
    int64_t grain = plan.lanes * plan.interleave;
    if (by_tile) {
        plan.task = std::max<int64_t>(task / grain, 1) * grain;
    } else {
        plan.task = std::max<int64_t>(task / std::max<int64_t>(kernel.kernel.group_size(), 1), 1);
    }
    return plan;
}

}  // namespace tsr::ir
