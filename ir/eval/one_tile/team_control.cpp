// Branches and loops. Tiles that went elsewhere wait: a branch is done first by those that take it, then by the others;
// a loop goes on until no tile is left in it.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/one_tile/team.h"
#include "ir/ops/control.h"

namespace tsr::ir::eval::one_tile {

bool Team::control(OpId id, const Op& op, const Mask& mask) {
    if (op.kind == OpKind::if_) return branch(id, mask), true;
    if (op.kind == OpKind::while_) return while_loop(id, mask), true;
    if (op.kind != OpKind::for_) return false;
    switch (who_.spread[id.index]) {
        case Spread::in_order:
            loop(id, mask);
            break;
        case Spread::tiles:
            need_all(id, mask);
            ++section_;
            spread_loop(id, tiles_);
            ++section_;
            break;
        case Spread::groups:
            grid_loop(id, mask);
            break;
        case Spread::elements:
            ++section_;
            spread_loop(id, tiles_);
            break;
    }
    return true;
}

void Team::branch(OpId id, const Mask& mask) {
    const IfOp branch(kernel_, id);
    const ValueId condition = branch.condition();
    if (!varies(condition)) {
        const RegionId taken = one(condition) != 0 ? branch.then() : branch.otherwise();
        region(taken, mask);
        return assign(branch.results(), yielded(kernel_, taken), mask);
    }
    for (ValueId result : branch.results()) {
        const Type& chosen = type(result);
        if (chosen.kind == TypeKind::tensor)
            stop(kernel_, id, "a tensor is chosen here by a condition that differs between tiles");
        if (chosen.kind == TypeKind::buffer)
            stop(kernel_, id, "a shared buffer is chosen here by a condition that differs between tiles");
        if (chosen.kind == TypeKind::tile)
            stop(kernel_, id, "a register tile is chosen here by a condition that differs between tiles");
    }
    for (const bool truth : {true, false}) {
        Mask here(tiles_, 0);
        for (size_t i = 0; i < tiles_; ++i) {
            if (mask.on[i] == 0 || (of_tile(condition, i) != 0) != truth) continue;
            here.on[i] = 1;
            ++here.active;
        }
        if (here.active == 0) continue;
        const RegionId taken = truth ? branch.then() : branch.otherwise();
        region(taken, here);
        assign(branch.results(), yielded(kernel_, taken), here);
    }
}

void Team::count_iteration(OpId at) {
    const uint64_t limit = launch_.options.round_limit;
    if (++iterations_ > limit && limit != 0) stop(kernel_, at, fmt::format("more than {} rounds of loops", limit));
}

// In order, by the group or by each tile.
void Team::loop(OpId id, const Mask& mask) {
    const ForOp loop(kernel_, id);
    if (varies(loop.lower()) || varies(loop.upper()) || varies(loop.step())) return loop_of_tiles(id, mask);
    const DType counter = type(loop.iv()).elem;
    const Bits lower = one(loop.lower());
    const Bits step = one(loop.step());
    const uint64_t count = iterations(lower, one(loop.upper()), step, counter);
    assign(loop.carried(), loop.inits(), mask);
    for (uint64_t i = 0; i < count; ++i) {
        count_iteration(id);
        set_one(loop.iv(), canonical(counter, lower + i * step));
        region(loop.body(), mask);
        assign(loop.carried(), loop.next(), mask);
    }
    assign(loop.results(), loop.carried(), mask);
}

// The bounds differ between tiles, and so may the number of iterations.
void Team::loop_of_tiles(OpId id, const Mask& mask) {
    const ForOp loop(kernel_, id);
    const DType counter = type(loop.iv()).elem;
    std::vector<uint64_t> left(tiles_, 0);
    std::vector<Bits> at(tiles_, 0), step(tiles_, 0);
    for (size_t i = 0; i < tiles_; ++i) {
        if (mask.on[i] == 0) continue;
        at[i] = of_tile(loop.lower(), i);
        step[i] = of_tile(loop.step(), i);
        left[i] = iterations(at[i], of_tile(loop.upper(), i), step[i], counter);
    }
    assign(loop.carried(), loop.inits(), mask);
    while (true) {
        count_iteration(id);
        Mask live(tiles_, 0);
        for (size_t i = 0; i < tiles_; ++i) {
            live.on[i] = left[i] != 0 ? 1 : 0;
            live.active += live.on[i];
        }
        if (live.active == 0) break;
        std::vector<Bits>& iv = make(loop.iv());
        for (size_t i = 0; i < tiles_; ++i) iv[i] = canonical(counter, at[i]);
        region(loop.body(), live);
        assign(loop.carried(), loop.next(), live);
        for (size_t i = 0; i < tiles_; ++i) {
            if (live.on[i] == 0) continue;
            at[i] += step[i];
            --left[i];
        }
    }
    assign(loop.results(), loop.carried(), mask);
}

void Team::while_loop(OpId id, const Mask& mask) {
    const WhileOp loop(kernel_, id);
    const ValueId condition = loop.condition();
    Mask live = mask;
    assign(loop.tested(), loop.inits(), mask);
    while (true) {
        count_iteration(id);
        region(loop.test(), live);
        if (!varies(condition) && one(condition) == 0) break;
        for (size_t i = 0; i < tiles_; ++i) {
            if (live.on[i] == 0 || of_tile(condition, i) != 0) continue;
            live.on[i] = 0;
            --live.active;
        }
        if (live.active == 0) break;
        assign(loop.carried(), loop.tested(), live);
        region(loop.body(), live);
        assign(loop.tested(), loop.next(), live);
    }
    assign(loop.results(), loop.tested(), mask);
}

// A bound of an inner loop of a nest may be made between the loops, of what is known outside.
void Team::make_bounds(const std::vector<OpId>& nest, ValueId v) {
    const OpId maker = kernel_.value(v).op;
    if (!maker.valid()) return;
    const bool between =
        std::ranges::any_of(nest, [&](OpId loop) { return ForOp(kernel_, loop).body() == kernel_.op(maker).parent; });
    if (!between) return;
    for (ValueId operand : kernel_.op(maker).operands) make_bounds(nest, operand);
    op(maker, Mask(tiles_, tiles_));
}

uint64_t Team::extents(const std::vector<OpId>& nest, std::vector<uint64_t>& counts) {
    uint64_t total = 1;
    for (OpId id : nest) {
        const ForOp loop(kernel_, id);
        for (ValueId bound : {loop.lower(), loop.upper(), loop.step()}) make_bounds(nest, bound);
        counts.push_back(iterations(one(loop.lower()), one(loop.upper()), one(loop.step()), type(loop.iv()).elem));
        total *= counts.back();
    }
    return total;
}

// Of the iterations from `first` on, the last axis fastest.
void Team::set_counters(const std::vector<OpId>& nest, const std::vector<uint64_t>& counts, uint64_t first,
                        size_t count) {
    uint64_t inner = 1;
    for (size_t k = nest.size(); k-- > 0; inner *= counts[k]) {
        const ForOp loop(kernel_, nest[k]);
        const DType counter = type(loop.iv()).elem;
        const Bits lower = one(loop.lower());
        const Bits step = one(loop.step());
        std::vector<Bits>& iv = make(loop.iv());
        for (size_t i = 0; i < count; ++i) iv[i] = canonical(counter, lower + (first + i) / inner % counts[k] * step);
    }
}

void Team::nest_body(const std::vector<OpId>& nest, const Mask& mask) {
    for (size_t level = 0; level < nest.size(); ++level) {
        for (OpId id : kernel_.region(ForOp(kernel_, nest[level]).body()).ops) {
            const bool next = level + 1 < nest.size() && nest[level + 1] == id;
            if (!next && kernel_.op(id).kind != OpKind::yield) op(id, mask);
        }
    }
}

// Each iteration is done by one tile.
void Team::spread_loop(OpId id, size_t tiles) {
    const std::vector<OpId> nest = nest_of(kernel_, who_, id);
    std::vector<uint64_t> counts;
    const uint64_t total = extents(nest, counts);
    const int64_t outside = first_;
    spread_ = true;
    for (uint64_t first = 0; first < total; first += tiles) {
        const size_t count = std::min<uint64_t>(total - first, tiles);
        first_ = static_cast<int64_t>(first);
        set_counters(nest, counts, first, count);
        nest_body(nest, Mask(tiles_, count));
    }
    spread_ = false;
    first_ = outside;
}

// Iteration q is done by group q % groups, each group does its own in order.
void Team::grid_loop(OpId id, const Mask& mask) {
    const std::vector<OpId> nest = nest_of(kernel_, who_, id);
    std::vector<uint64_t> counts;
    const uint64_t total = extents(nest, counts);
    const auto groups = static_cast<uint64_t>(std::max<int64_t>(launch_.size.total, 1));
    for (auto at = static_cast<uint64_t>(group_); at < total; at += groups) {
        count_iteration(id);
        ++section_;
        set_counters(nest, counts, at, 1);
        nest_body(nest, mask);
    }
}

}  // namespace tsr::ir::eval::one_tile
