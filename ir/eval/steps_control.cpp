// Loops and branches, uniform ones by jumps, divergent ones by masks; regions of lanes and grid loops.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"

namespace tsr::ir::eval::steps {

namespace {

// The mask around a construct, kept in the frame while another is at work.
struct SavedMask {
    const uint8_t* mask;
    size_t active;
};

void save(Machine& machine, Slot slot) { machine.at<SavedMask>(slot) = {machine.mask, machine.active}; }
void restore(Machine& machine, Slot slot) {
    const auto& saved = machine.at<SavedMask>(slot);
    machine.mask = saved.mask;
    machine.active = saved.active;
}
void work_on(Machine& machine, Slot mask, size_t active) {
    machine.mask = machine.bytes(mask);
    machine.active = active;
}

// How often a loop runs: bounds as 64 bits of the counter's type, sign-extended if it is signed.
uint64_t rounds_of(uint64_t lower, uint64_t upper, uint64_t step, bool is_signed) {
    const bool down = is_signed && static_cast<int64_t>(step) < 0;
    const bool any = is_signed ? (down ? static_cast<int64_t>(lower) > static_cast<int64_t>(upper)
                                       : static_cast<int64_t>(lower) < static_cast<int64_t>(upper))
                               : lower < upper;
    if (step == 0 || !any) return 0;
    const uint64_t distance = down ? lower - upper : upper - lower;
    const uint64_t width = down ? uint64_t{0} - step : step;
    return (distance - 1) / width + 1;
}

// Along each axis, and of all axes together.
std::vector<uint64_t> extents(const Machine& machine, const AxesData& axes, uint64_t& total) {
    std::vector<uint64_t> counts;
    total = 1;
    for (size_t k = 0; k < axes.lower.size(); ++k) {
        counts.push_back(rounds_of(machine.at<uint64_t>(axes.lower[k]), machine.at<uint64_t>(axes.upper[k]),
                                   machine.at<uint64_t>(axes.step[k]), true));
        total *= counts.back();
    }
    return counts;
}

const Inst* stopped(Machine& machine, const Inst& inst) {
    return machine.fail(inst, fmt::format("more than {} rounds of loops", machine.launch->options->round_limit));
}

// The counters of the rounds [first, first + n), the last axis fastest.
void fill_counters(Machine& machine, const AxesData& axes, const std::vector<uint64_t>& counts, uint64_t first) {
    if (axes.iv.size() == 1) {
        const int64_t step = machine.at<int64_t>(axes.step[0]);
        const uint64_t start = machine.at<uint64_t>(axes.lower[0]) + first * static_cast<uint64_t>(step);
        auto* iv = reinterpret_cast<int64_t*>(machine.bytes(axes.iv[0]));
        machine.ops->iota(iv, static_cast<int64_t>(start), step, machine.n);
        return;
    }
    uint64_t inner = 1;  // rounds of the axes behind this one
    for (size_t k = axes.iv.size(); k-- > 0;) {
        const uint64_t lower = machine.at<uint64_t>(axes.lower[k]);
        const uint64_t step = machine.at<uint64_t>(axes.step[k]);
        auto* iv = reinterpret_cast<uint64_t*>(machine.bytes(axes.iv[k]));
        const uint64_t extent = std::max<uint64_t>(counts[k], 1);
        for (size_t i = 0; i < machine.n; ++i) {
            const uint64_t at = (first + i) / inner;
            iv[i] = lower + at % extent * step;
        }
        inner *= extent;
    }
}

}  // namespace

const Inst* stop(Machine&, const Inst&) { return nullptr; }
const Inst* jump(Machine& machine, const Inst& inst) { return machine.jump(inst); }
const Inst* jump_unless(Machine& machine, const Inst& inst) {
    return machine.at<uint8_t>(inst.a) != 0 ? next(inst) : machine.jump(inst);
}

const Inst* loop_begin(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    const uint64_t lower = machine.at<uint64_t>(loop.lower);
    const uint64_t rounds =
        rounds_of(lower, machine.at<uint64_t>(loop.upper), machine.at<uint64_t>(loop.step), loop.is_signed);
    machine.at<uint64_t>(loop.rounds) = rounds;
    machine.at<uint64_t>(loop.iv) = lower;
    return rounds == 0 ? machine.jump(inst) : next(inst);
}

const Inst* loop_next(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    if (machine.too_many_rounds()) return stopped(machine, inst);
    machine.at<uint64_t>(loop.iv) += machine.at<uint64_t>(loop.step);
    return --machine.at<uint64_t>(loop.rounds) == 0 ? next(inst) : machine.jump(inst);
}

const Inst* loop_test(Machine& machine, const Inst& inst) {
    if (machine.too_many_rounds()) return stopped(machine, inst);
    return machine.at<uint8_t>(inst.a) != 0 ? next(inst) : machine.jump(inst);
}

const Inst* mask_if(Machine& machine, const Inst& inst) {
    const BranchData& branch = machine.program->branches[inst.data];
    const uint8_t* condition = machine.bytes(inst.a);
    save(machine, branch.saved);
    const size_t then_active =
        machine.ops->mask_and(machine.bytes(branch.then_mask), machine.mask, condition, machine.n);
    if (then_active == 0) return machine.jump(inst);
    if (then_active < machine.active) {
        machine.ops->mask_and_not(machine.bytes(branch.else_mask), machine.mask, condition, machine.n);
    }
    work_on(machine, branch.then_mask, then_active);
    return next(inst);
}

// Between the branches; `target` is the end.
const Inst* mask_else(Machine& machine, const Inst& inst) {
    const BranchData& branch = machine.program->branches[inst.data];
    const size_t outer = machine.at<SavedMask>(branch.saved).active;
    // Where no lane went into the first branch the mask is still the one around.
    if (machine.mask != machine.bytes(branch.then_mask)) return next(inst);
    const size_t left = outer - machine.active;
    if (left == 0) {
        restore(machine, branch.saved);
        return machine.jump(inst);
    }
    work_on(machine, branch.else_mask, left);
    return next(inst);
}

const Inst* mask_end(Machine& machine, const Inst& inst) {
    restore(machine, machine.program->branches[inst.data].saved);
    return next(inst);
}

const Inst* mask_loop_begin(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    save(machine, loop.saved);
    std::memcpy(machine.bytes(loop.live), machine.mask, machine.n);
    work_on(machine, loop.live, machine.active);
    return next(inst);
}

const Inst* mask_while_test(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    if (machine.too_many_rounds()) return stopped(machine, inst);
    uint8_t* live = machine.bytes(loop.live);
    machine.active = machine.ops->mask_and(live, live, machine.bytes(inst.a), machine.n);
    if (machine.active != 0) return next(inst);
    restore(machine, loop.saved);
    return machine.jump(inst);
}

// Rounds per lane are counted down; lower, upper, step and iv are arrays of 64 bits here.
const Inst* mask_for_begin(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    const auto* lower = reinterpret_cast<const uint64_t*>(machine.bytes(loop.lower));
    const auto* upper = reinterpret_cast<const uint64_t*>(machine.bytes(loop.upper));
    const auto* step = reinterpret_cast<const uint64_t*>(machine.bytes(loop.step));
    auto* rounds = reinterpret_cast<uint64_t*>(machine.bytes(loop.rounds));
    auto* iv = reinterpret_cast<uint64_t*>(machine.bytes(loop.iv));
    for (size_t i = 0; i < machine.n; ++i) {
        rounds[i] = machine.mask[i] != 0 ? rounds_of(lower[i], upper[i], step[i], loop.is_signed) : 0;
        iv[i] = lower[i];
    }
    save(machine, loop.saved);
    work_on(machine, loop.live, 0);
    return next(inst);
}

const Inst* mask_for_test(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    if (machine.too_many_rounds()) return stopped(machine, inst);
    const auto* rounds = reinterpret_cast<const uint64_t*>(machine.bytes(loop.rounds));
    uint8_t* live = machine.bytes(loop.live);
    size_t active = 0;
    for (size_t i = 0; i < machine.n; ++i) {
        live[i] = rounds[i] != 0 ? 1 : 0;
        active += live[i];
    }
    machine.active = active;
    if (active != 0) return next(inst);
    restore(machine, loop.saved);
    return machine.jump(inst);
}

const Inst* mask_for_next(Machine& machine, const Inst& inst) {
    const LoopData& loop = machine.program->loops[inst.data];
    const auto* step = reinterpret_cast<const uint64_t*>(machine.bytes(loop.step));
    auto* rounds = reinterpret_cast<uint64_t*>(machine.bytes(loop.rounds));
    auto* iv = reinterpret_cast<uint64_t*>(machine.bytes(loop.iv));
    for (size_t i = 0; i < machine.n; ++i) {
        const uint64_t live = rounds[i] != 0 ? 1 : 0;
        iv[i] += live * step[i];
        rounds[i] -= live;
    }
    return machine.jump(inst);
}

// Starts the region, and comes again for each chunk of rounds; `target` is behind the region.
const Inst* lanes_begin(Machine& machine, const Inst& inst) {
    const AxesData& axes = machine.program->axes[inst.data];
    uint64_t total = 0;
    const std::vector<uint64_t> counts = extents(machine, axes, total);
    if (axes.over == LanesOver::tiles) total = machine.program->group_size;
    if (!machine.in_lanes) {
        machine.in_lanes = true;
        machine.over = axes.over;
        machine.first_round = 0;
        ++machine.region;
        // A tile loop is a statement of the group: ordered with what stands before and after it.
        ++machine.clock;
        if (axes.over == LanesOver::loop) machine.epoch = machine.clock;
    }
    const auto first = static_cast<uint64_t>(machine.first_round);
    if (first >= total) {
        machine.in_lanes = false;
        machine.first_round = 0;
        machine.n = machine.active = machine.program->group_size;
        ++machine.clock;
        if (axes.over == LanesOver::loop) machine.epoch = machine.clock;
        return machine.jump(inst);
    }
    machine.n = static_cast<size_t>(std::min<uint64_t>(total - first, machine.program->lanes));
    machine.active = machine.n;
    machine.mask = machine.bytes(machine.program->mask);
    fill_counters(machine, axes, counts, first);
    return next(inst);
}

const Inst* lanes_end(Machine& machine, const Inst& inst) {
    machine.first_round += static_cast<int64_t>(machine.n);
    return machine.jump(inst);
}

const Inst* grid_begin(Machine& machine, const Inst& inst) {
    const AxesData& axes = machine.program->axes[inst.data];
    uint64_t total = 0;
    extents(machine, axes, total);
    machine.before_rounds = machine.clock;
    machine.at<int64_t>(axes.round) = machine.group;
    machine.at<uint64_t>(axes.round + 8) = total;
    return next(inst);
}

// At the head of each round: counters, or the end.
const Inst* grid_next(Machine& machine, const Inst& inst) {
    const AxesData& axes = machine.program->axes[inst.data];
    uint64_t total = 0;
    const std::vector<uint64_t> counts = extents(machine, axes, total);
    auto& round = machine.at<uint64_t>(axes.round);
    if (round >= total) return machine.jump(inst);
    if (machine.too_many_rounds()) return stopped(machine, inst);
    machine.unit = static_cast<int64_t>(round);
    machine.epoch = ++machine.clock;
    machine.forget_buffers(machine.before_rounds);  // a round finds nothing that another one left
    uint64_t rest = round;
    for (size_t k = axes.iv.size(); k-- > 0;) {
        const uint64_t at = rest % counts[k];
        rest /= counts[k];
        machine.at<uint64_t>(axes.iv[k]) =
            machine.at<uint64_t>(axes.lower[k]) + at * machine.at<uint64_t>(axes.step[k]);
    }
    round += static_cast<uint64_t>(std::max<int64_t>(machine.launch->size.total, 1));
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
