#include "ir/eval/one_tile/who.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"

namespace tsr::ir::eval::one_tile {

namespace {

// "If this differs between tiles, so does that", between values and regions (of a region: whether tiles get there).
class Influence {
public:
    explicit Influence(const Function& kernel)
        : kernel_(kernel), values_(kernel.value_count()), follows_(values_ + kernel.region_count()) {
        for_each_op(kernel, kernel.body, [&](OpId id) { add(id); });
    }

    void add_seed(ValueId value) { seeds_.push_back(value.index); }
    void add_seed(RegionId region) { seeds_.push_back(node(region)); }

    void find(Who& who) const {
        std::vector<bool> found(follows_.size(), false);
        std::vector<size_t> open;
        const auto reach = [&](size_t at) {
            if (found[at]) return;
            found[at] = true;
            open.push_back(at);
        };
        for (size_t seed : seeds_) reach(seed);
        while (!open.empty()) {
            const size_t at = open.back();
            open.pop_back();
            for (size_t next : follows_[at]) reach(next);
        }
        const auto middle = found.begin() + static_cast<std::ptrdiff_t>(values_);
        who.varying.assign(found.begin(), middle);
        who.only_some.assign(middle, found.end());
    }

private:
    [[nodiscard]] size_t node(RegionId region) const { return values_ + region.index; }
    void edge(ValueId from, ValueId to) { follows_[from.index].push_back(to.index); }
    void edge(ValueId from, RegionId to) { follows_[from.index].push_back(node(to)); }
    void edges(ValueSpan from, ValueSpan to) {
        for (size_t i = 0; i < to.size(); ++i) edge(from[i], to[i]);
    }
    void from_each(ValueSpan from, ValueSpan to) {
        for (ValueId source : from) {
            for (ValueId value : to) edge(source, value);
        }
    }

    void add(OpId id) {
        const Op& op = kernel_.op(id);
        for (RegionId region : op.regions) follows_[node(op.parent)].push_back(node(region));
        switch (op.kind) {
            case OpKind::for_:
                return add_for(ForOp(kernel_, id));
            case OpKind::while_:
                return add_while(WhileOp(kernel_, id));
            case OpKind::if_:
                return add_if(IfOp(kernel_, id));
            case OpKind::tile_id:
            case OpKind::lane_id:
            case OpKind::shuffle:
            case OpKind::broadcast:
            case OpKind::ballot:
            case OpKind::group_scan:
                return add_seed(op.results[0]);
            case OpKind::group_reduce:
                return;  // the same for all tiles, whatever they gave
            case OpKind::atomic:
                follows_[node(op.parent)].push_back(op.results[0].index);  // each tile finds its own
                break;
            default:
                break;
        }
        from_each(op.operands, op.results);
    }

    void add_for(const ForOp& loop) {
        for (ValueId bound : {loop.lower(), loop.upper(), loop.step()}) {
            edge(bound, loop.iv());
            edge(bound, loop.body());
            from_each({&bound, 1}, loop.carried());
            from_each({&bound, 1}, loop.results());
        }
        for (ValueSpan from : {loop.inits(), loop.next()}) {
            edges(from, loop.carried());
            edges(from, loop.results());
        }
    }

    void add_while(const WhileOp& loop) {
        const ValueId test = loop.condition();
        for (RegionId region : {loop.test(), loop.body()}) edge(test, region);
        for (ValueSpan to : {loop.tested(), loop.carried(), loop.results()}) {
            from_each({&test, 1}, to);
            edges(loop.inits(), to);
            edges(loop.next(), to);
        }
    }

    void add_if(const IfOp& branch) {
        const ValueId condition = branch.condition();
        from_each({&condition, 1}, branch.results());
        for (RegionId region : {branch.then(), branch.otherwise()}) {
            edge(condition, region);
            edges(yielded(kernel_, region), branch.results());
        }
    }

    const Function& kernel_;
    size_t values_;
    std::vector<std::vector<size_t>> follows_;
    std::vector<size_t> seeds_;
};

bool is_over_tile_range(const Function& kernel, OpId id) {
    return kernel.op(id).kind == OpKind::for_ && ForOp(kernel, id).loop() == LoopKind::tile_range;
}

// The loop that is all there is in the region, beside values that cost nothing and the end.
OpId lone_loop(const Function& kernel, RegionId region) {
    OpId loop;
    for (OpId id : kernel.region(region).ops) {
        const OpKind kind = kernel.op(id).kind;
        if (kind == OpKind::yield || is_pure(kind)) continue;
        if (kind != OpKind::for_ || loop.valid()) return {};
        loop = id;
    }
    return loop;
}

template <typename Predicate>
bool any_op(const Function& kernel, RegionId region, Predicate&& predicate) {
    bool found = false;
    for_each_op(kernel, region, [&](OpId id) { found |= predicate(kernel.op(id)); });
    return found;
}

class Decision {
public:
    explicit Decision(const Function& kernel) : kernel_(kernel), influence_(kernel) {
        who_.spread.assign(kernel.op_count(), Spread::in_order);
    }

    Who make() {
        const KernelInfo& info = kernel_.kernel;
        const bool numbers =
            info.flat || any_op(kernel_, kernel_.body, [](const Op& op) { return op.kind == OpKind::tile_id; });
        who_.flat = !info.header_tiles.empty() || (info.group_shape.empty() && !info.names_group && numbers);
        influence_.find(who_);
        if (who_.flat) return std::move(who_);
        find_grid();
        if (!who_.is_elements()) find_tile_loops();
        return std::move(who_);
    }

private:
    // What a grid loop consists of: the axes of one `tile.range`.
    [[nodiscard]] std::vector<OpId> axes(OpId loop) const {
        std::vector<OpId> all{loop};
        for (OpId inner = lone_loop(kernel_, ForOp(kernel_, loop).body());
             inner.valid() && kernel_.op(inner).attrs.has(Attr::axis);
             inner = lone_loop(kernel_, ForOp(kernel_, inner).body()))
            all.push_back(inner);
        return all;
    }

    // The last statement, if it is a loop over tile.range; a `return` of a value may stand behind it.
    [[nodiscard]] OpId last_loop() const {
        const std::vector<OpId>& ops = kernel_.region(kernel_.body).ops;
        for (size_t i = ops.size(); i-- > 0;) {
            const OpKind kind = kernel_.op(ops[i]).kind;
            if (kind == OpKind::yield || kind == OpKind::result || is_pure(kind)) continue;
            return is_over_tile_range(kernel_, ops[i]) ? ops[i] : OpId{};
        }
        return {};
    }

    [[nodiscard]] bool writes_tensor_before(OpId loop) const {
        for (OpId id : kernel_.region(kernel_.body).ops) {
            if (id == loop) return false;
            for (ValueId memory : touches(kernel_, id).writes) {
                if (kernel_.type(memory).kind == TypeKind::tensor) return true;
            }
        }
        return false;
    }

    void find_grid() {
        const OpId last = last_loop();
        const bool names_group_id =
            any_op(kernel_, kernel_.body, [](const Op& op) { return op.kind == OpKind::group_id; });
        if (!last.valid() || names_group_id || writes_tensor_before(last)) return;
        const std::vector<OpId> all = axes(last);
        for (OpId axis : all) {
            const ForOp loop(kernel_, axis);
            if (!loop.results().empty()) return;
            for (ValueId bound : {loop.lower(), loop.upper(), loop.step()}) {
                if (!is_known_at_launch(kernel_, bound)) return;
            }
        }
        who_.grid = last;
        const bool elements = is_of_elements(ForOp(kernel_, all.back()).body());
        for (OpId axis : all) {
            who_.spread[axis.index] = elements ? Spread::elements : Spread::groups;
            if (!elements) continue;
            influence_.add_seed(ForOp(kernel_, axis).iv());
            influence_.add_seed(ForOp(kernel_, axis).body());
        }
        influence_.find(who_);
    }

    [[nodiscard]] bool is_of_elements(RegionId body) const {
        if (kernel_.kernel.names_group) return false;
        const bool numbers = any_op(kernel_, kernel_.body, [](const Op& op) { return op.kind == OpKind::tile_id; });
        return !numbers && !any_op(kernel_, body, [&](const Op& op) {
            const bool spread = op.kind == OpKind::for_ &&
                                op.attrs.integer(Attr::loop, 0) == static_cast<int64_t>(LoopKind::tile_range);
            return spread || is_collective(kernel_, op) || op.kind == OpKind::buffer ||
                   op.kind == OpKind::buffer_reduce;
        });
    }

    // From outside in. A tile loop gives no value, so that what stands beside it does not depend on the decision.
    void find_tile_loops() {
        for_each_op(kernel_, kernel_.body, [&](OpId id) {
            if (!is_over_tile_range(kernel_, id) || who_.spread[id.index] != Spread::in_order) return;
            const ForOp loop(kernel_, id);
            if (!may_be_spread(id, loop)) return;
            who_.spread[id.index] = Spread::tiles;
            influence_.add_seed(loop.iv());
            influence_.add_seed(loop.body());
            influence_.find(who_);
        });
    }

    [[nodiscard]] bool may_be_spread(OpId id, const ForOp& loop) const {
        if (!loop.results().empty()) return false;
        for (ValueId bound : {loop.lower(), loop.upper(), loop.step()}) {
            if (who_.varies(bound)) return false;
        }
        if (any_op(kernel_, loop.body(), [&](const Op& op) { return is_collective(kernel_, op); })) return false;
        const RegionId around = kernel_.op(id).parent;
        const OpId outer = kernel_.region(around).parent;
        const bool in_nest =
            outer.valid() && who_.spread[outer.index] == Spread::tiles && lone_loop(kernel_, around) == id;
        return in_nest || (!who_.only_some[around.index] && !takes_varying(id));
    }

    // A value from outside of the loop that differs between tiles.
    [[nodiscard]] bool takes_varying(OpId loop) const {
        std::vector<bool> inside(kernel_.value_count(), false);
        const auto mark = [&](OpId id) {
            for (ValueId v : kernel_.op(id).results) inside[v.index] = true;
            for (RegionId region : kernel_.op(id).regions) {
                for (ValueId v : kernel_.region(region).args) inside[v.index] = true;
            }
        };
        mark(loop);
        const RegionId body = ForOp(kernel_, loop).body();
        for_each_op(kernel_, body, mark);
        return any_op(kernel_, body, [&](const Op& op) {
            return std::ranges::any_of(op.operands, [&](ValueId v) { return !inside[v.index] && who_.varies(v); });
        });
    }

    const Function& kernel_;
    Influence influence_;
    Who who_;
};

}  // namespace

bool Who::is_groups(const Function& kernel, OpId id) const {
    const Op& op = kernel.op(id);
    if (only_some[op.parent.index]) return false;
    const auto same = [&](ValueId v) { return !varies(v); };
    return std::ranges::all_of(op.operands, same) && std::ranges::all_of(op.results, same);
}

Who who_does(const Function& kernel) { return Decision(kernel).make(); }

std::vector<OpId> nest_of(const Function& kernel, const Who& who, OpId outermost) {
    std::vector<OpId> nest{outermost};
    const Spread spread = who.spread[outermost.index];
    while (true) {
        const OpId inner = lone_loop(kernel, ForOp(kernel, nest.back()).body());
        if (!inner.valid() || who.spread[inner.index] != spread) return nest;
        nest.push_back(inner);
    }
}

bool is_known_at_launch(const Function& kernel, ValueId value) {
    const Value& v = kernel.value(value);
    if (!v.op.valid()) return v.region == kernel.body && v.type.is_scalar();
    const Op& op = kernel.op(v.op);
    if (op.kind == OpKind::constant || op.kind == OpKind::dim) return true;
    return is_element(op.kind) &&
           std::ranges::all_of(op.operands, [&](ValueId operand) { return is_known_at_launch(kernel, operand); });
}

}  // namespace tsr::ir::eval::one_tile
