#include "ir/passes/target/cpu/tiles/schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_map>

#include "ir/core/internal.h"
#include "ir/ops/register.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kCheapPerRow = 8;  // more than that is done for vectors of rows
constexpr int64_t kCheapAgain = 3;   // more than that is not computed a second time

// A transposed tile is made by blocks of registers, unless it is small or its elements are narrower than a byte.
bool turns_in_blocks(const Type& tile) {
    constexpr int64_t kSmall = 8;
    const auto shape = extents(tile);
    return tile.elem != DType::boolean && bits(tile.elem) >= 8 &&
           std::min(shape[shape.size() - 1], shape[shape.size() - 2]) >= kSmall;
}

NestAxes identity(size_t rank) {
    NestAxes map(rank);
    std::iota(map.begin(), map.end(), 0);
    return map;
}

class Scheduler {
public:
    Scheduler(const Function& kernel, const Uses& uses, std::span<const OpId> run,
              const std::unordered_set<ValueId>& held)
        : kernel_(kernel), uses_(uses), run_(run), held_(held) {
        out_.homes = held;
        for (size_t i = 0; i < run.size(); ++i) position_[run[i]] = i;
    }

    Schedule make() {
        for (OpId id : run_) find_homes(id);
        for (OpId id : run_) keep_overwritten(id);
        for (OpId id : run_) place(id);
        close();
        keep_what_is_needed_again();
        return std::move(out_);
    }

private:
    using Reached = std::function<void(ValueId value, const NestAxes& map)>;

    [[nodiscard]] const Op& op(OpId id) const { return kernel_.op(id); }
    [[nodiscard]] bool runs(OpId id) const { return position_.contains(id); }
    [[nodiscard]] OpId maker(ValueId value) const { return kernel_.value(value).op; }
    // Computed on the way to whoever wants it.
    [[nodiscard]] bool inlined(ValueId value) const {
        const OpId made = maker(value);
        return made.valid() && runs(made) && is_inline(op(made)) && !out_.homes.contains(value);
    }

    // ---- what needs a home, whatever the loops are ----

    void keep(ValueId value) {
        if (inlined(value)) out_.homes.insert(value);
    }

    void find_homes(OpId id) {
        const Op& o = op(id);
        switch (axis_rule(o.kind)) {
            case AxisRule::contract: {
                const MmaOp product(kernel_, id);
                keep(product.a());
                keep(product.b());
                if (auto start = product.accumulator(); start && !is_zero(kernel_, *start)) keep(*start);
                out_.homes.insert(product.result());
                return;
            }
            case AxisRule::along:
                keep(AlongOp(kernel_, id).value());
                out_.homes.insert(o.results[0]);
                return;
            case AxisRule::made:
                if (making(o.kind) != Making::alone) break;
                for (ValueId operand : o.operands) keep(operand);
                return;
            case AxisRule::permute: {
                const ValueId value = TransposeOp(kernel_, id).value();
                const OpId from = maker(value);
                const bool anywhere = from.valid() && axis_rule(op(from).kind) == AxisRule::made;
                if (!anywhere) keep(value);
                if (turns_in_blocks(kernel_.type(value))) out_.homes.insert(o.results[0]);
                break;
            }
            case AxisRule::repeat: {
                const ValueId value = ExpandOp(kernel_, id).value();
                if (is_tile(kernel_, value) && inline_cost(kernel_, value) > kCheapPerRow) keep(value);
                break;
            }
            case AxisRule::none:
            case AxisRule::same:
            case AxisRule::each:
            case AxisRule::drop:
            case AxisRule::pack:
            case AxisRule::move:
                break;
        }
        if (o.results.empty()) return;
        const auto& users = uses_.of(o.results[0]);
        const bool escapes = std::ranges::any_of(users, [&](OpId user) { return !runs(user); });
        const bool sums = making(o.kind) == Making::summed;
        const bool folds = sums && !along_last(id);
        const bool sum = sums && (escapes || folds || !is_tile(kernel_, o.results[0]));
        if ((escapes && is_inline(o)) || sum) out_.homes.insert(o.results[0]);
    }

    [[nodiscard]] bool along_last(OpId id) const {
        const AlongOp op(kernel_, id);
        return op.axis() + 1 == static_cast<int64_t>(kernel_.type(op.value()).rank());
    }

    // ---- memory that is written while a load of it is still wanted ----

    [[nodiscard]] bool same_view(OpId one, OpId other) const {
        const TileViewOp a(kernel_, one);
        const TileViewOp b(kernel_, other);
        auto shape = [&](const TileViewOp& v) { return kernel_.type(v.loads() ? v.result() : v.value()).shape; };
        return a.memory() == b.memory() && a.axes() == b.axes() && std::ranges::equal(a.starts(), b.starts()) &&
               shape(a) == shape(b);
    }

    // Each element that the store writes was read for itself alone: a transposed load wants others of them later.
    [[nodiscard]] bool overwrites_in_place(OpId load, OpId store) const {
        bool itself = same_view(load, store);
        reach({Root::Kind::store, store, TileViewOp(kernel_, store).value()}, [&](ValueId value, const NestAxes& map) {
            if (maker(value) == load) itself = itself && map == identity(map.size());
        });
        return itself;
    }

    [[nodiscard]] ValueId memory(OpId view) const { return memory_root(kernel_, TileViewOp(kernel_, view).memory()); }
    [[nodiscard]] bool writes(OpId id) const { return !written_memories(kernel_, op(id)).empty(); }

    // The last operation of the run that computes something from the value on its way.
    [[nodiscard]] size_t last_use(ValueId value) {
        if (auto known = last_uses_.find(value); known != last_uses_.end()) return known->second;
        size_t last = 0;
        for (OpId user : uses_.of(value)) {
            if (!runs(user)) continue;
            const bool passes = !op(user).results.empty() && inlined(op(user).results[0]);
            last = std::max(last, passes ? last_use(op(user).results[0]) : position_.at(user));
        }
        return last_uses_[value] = last;
    }

    void keep_overwritten(OpId id) {
        if (op(id).kind != OpKind::load_tile || !inlined(op(id).results[0])) return;
        const size_t last = last_use(op(id).results[0]);
        for (size_t at = position_.at(id) + 1; at <= last && at < run_.size(); ++at) {
            const OpId store = run_[at];
            if (!writes(store) || memory(store) != memory(id)) continue;
            if (at < last || op(store).kind != OpKind::store_tile || !overwrites_in_place(id, store))
                return keep(op(id).results[0]);
        }
    }

    // ---- roots into nests and phases ----

    void place(OpId id) {
        const Op& o = op(id);
        if (axis_rule(o.kind) == AxisRule::permute && turns_in_blocks(kernel_.type(TransposeOp(kernel_, id).value()))) {
            close();
            out_.steps.push_back({{}, id});
            return;
        }
        switch (making(o.kind)) {
            case Making::alone:
                close();
                out_.steps.push_back({{}, id});
                return;
            case Making::stored:
                return place({Root::Kind::store, id, TileViewOp(kernel_, id).value()});
            case Making::summed:
                return place({along_last(id) ? Root::Kind::reduce : Root::Kind::fold, id, o.results[0]});
            case Making::elsewhere:
                internal_error("no code on a CPU for an operation on tiles");
            case Making::inlined:
                if (out_.homes.contains(o.results[0]) && !held_.contains(o.results[0]))
                    place({Root::Kind::keep, id, o.results[0]});
        }
    }

    // The tile whose elements the root's loops run over.
    [[nodiscard]] ValueId ranged(const Root& root) const {
        return root.kind == Root::Kind::store || root.kind == Root::Kind::keep ? root.value
                                                                               : AlongOp(kernel_, root.op).value();
    }

    void place(Root root) {
        const std::vector<int64_t> shape = extents(kernel_.type(ranged(root)));
        std::vector<int64_t> rows(shape.begin(), shape.end() - 1);
        if (open_ && join(root, shape, rows)) return;
        close();
        open_ = true;
        nest_ = {};
        nest_.rows = rows;
        nest_.phases.push_back({shape.back(), {root}});
        produce(root, 0);
    }

    struct Made {
        Root::Kind kind;
        bool per_row;
        size_t phase;
    };

    void produce(const Root& root, size_t phase) {
        if (root.kind != Root::Kind::store) made_[root.value] = {root.kind, root.per_row, phase};
        if (root.kind == Root::Kind::store) {
            written_.insert(memory(root.op));
            stores_.push_back(root.op);
        }
        if (loads(root)) read_.push_back({root.op, true});
        reach(root, [&](ValueId value, const NestAxes& map) {
            const OpId from = maker(value);
            if (from.valid() && op(from).kind == OpKind::load_tile && inlined(value))
                read_.push_back({from, map == identity(map.size())});
        });
    }

    struct Read {
        OpId load;
        bool for_itself;  // in the order of the nest's own axes
    };

    // The root is a load that has a home.
    [[nodiscard]] bool loads(const Root& root) const {
        return root.kind == Root::Kind::keep && op(root.op).kind == OpKind::load_tile;
    }

    void close() {
        if (open_) out_.steps.push_back({std::move(nest_), {}});
        open_ = false;
        made_.clear();
        written_.clear();
        stores_.clear();
        read_.clear();
    }

    bool join(Root root, const std::vector<int64_t>& shape, const std::vector<int64_t>& rows) {
        const bool full = rows == nest_.rows;
        const bool may_be_per_row = shape == nest_.rows &&
                                    (root.kind == Root::Kind::store || root.kind == Root::Kind::keep) &&
                                    inline_cost(kernel_, root.value) <= kCheapPerRow;
        if (!full && !may_be_per_row) return false;
        root.per_row = !full;
        const size_t depth = nest_.rows.size();
        bool fits = !loads(root) || !written_.contains(memory(root.op));
        bool uses_nest = false;
        size_t first = 0;
        reach(root, [&](ValueId value, const NestAxes& map) {
            const OpId from = maker(value);
            const bool load = from.valid() && op(from).kind == OpKind::load_tile && inlined(value);
            if (load && written_.contains(memory(from))) fits = false;
            auto made = made_.find(value);
            if (made == made_.end()) return;
            uses_nest = true;
            const bool row = made->second.kind == Root::Kind::reduce || made->second.per_row;
            fits = fits && made->second.kind != Root::Kind::fold && map == identity(row ? depth : depth + 1);
            first = std::max(first, made->second.phase + (made->second.kind == Root::Kind::reduce ? 1 : 0));
        });
        if (!fits || (root.per_row && !uses_nest)) return false;
        if (root.kind == Root::Kind::store) {
            for (const Read& read : read_) {
                if (memory(read.load) != memory(root.op)) continue;
                if (!read.for_itself || !same_view(read.load, root.op)) return false;
                // What is done once per row comes first in its phase.
                first = std::max(first, nest_.phases.size() - (root.per_row ? 0 : 1));
            }
            // Stores to one memory happen in the order of the text, in every row only where they are to one place.
            for (OpId store : stores_) {
                if (memory(store) != memory(root.op)) continue;
                if (!same_view(store, root.op)) return false;
                first = std::max(first, nest_.phases.size() - 1);
            }
        }
        const size_t phase = phase_from(first, root.per_row ? 0 : shape.back());
        nest_.phases[phase].roots.push_back(root);
        produce(root, phase);
        return true;
    }

    // The first phase from `first` on that runs over as many columns; 0: over any.
    size_t phase_from(size_t first, int64_t columns) {
        for (size_t at = first; at < nest_.phases.size(); ++at) {
            int64_t& have = nest_.phases[at].columns;
            if (have == 0) have = columns;
            if (columns == 0 || have == columns) return at;
        }
        nest_.phases.push_back({columns, {}});
        return nest_.phases.size() - 1;
    }

    // Every tile that the root reads on its way, with how the nest's axes run along it.
    void reach(const Root& root, const Reached& visit) const {
        const ValueId from = ranged(root);
        const NestAxes map = identity(kernel_.type(from).rank());
        Seen seen;
        if (root.kind == Root::Kind::keep) return reach_operands(from, map, visit, seen);
        reach_value(from, map, visit, seen);
    }

    using Seen = std::set<std::pair<ValueId, NestAxes>>;

    void reach_value(ValueId value, const NestAxes& map, const Reached& visit, Seen& seen) const {
        if (!is_tile(kernel_, value)) {
            // The sum of a tile of one axis is a scalar.
            if (maker(value).valid() && runs(maker(value))) visit(value, {});
            return;
        }
        if (!seen.emplace(value, map).second) return;
        visit(value, map);
        if (inlined(value)) reach_operands(value, map, visit, seen);
    }

    void reach_operands(ValueId value, const NestAxes& map, const Reached& visit, Seen& seen) const {
        const OpId id = maker(value);
        const Op& o = op(id);
        NestAxes inner = map;
        if (axis_rule(o.kind) == AxisRule::repeat) inner = through_expand(kernel_, id, map);
        if (axis_rule(o.kind) == AxisRule::permute) std::swap(inner[inner.size() - 1], inner[inner.size() - 2]);
        for (ValueId operand : o.operands) reach_value(operand, inner, visit, seen);
    }

    // ---- what several phases would compute ----

    using Spot = std::pair<size_t, size_t>;  // step, phase

    void keep_what_is_needed_again() {
        std::unordered_map<OpId, Spot> spots;
        for (size_t s = 0; s < out_.steps.size(); ++s) {
            for (size_t p = 0; p < out_.steps[s].nest.phases.size(); ++p) {
                for (const Root& root : out_.steps[s].nest.phases[p].roots) spots[root.op] = {s, p};
            }
        }
        std::unordered_map<ValueId, std::set<Spot>> wanted;
        for (size_t i = run_.size(); i-- > 0;) {
            const Op& o = op(run_[i]);
            if (o.results.empty()) continue;
            std::set<Spot>& at = wanted[o.results[0]];
            for (OpId user : uses_.of(o.results[0])) {
                if (auto spot = spots.find(user); spot != spots.end())
                    at.insert(spot->second);
                else if (runs(user) && !op(user).results.empty())
                    at.merge(std::set<Spot>(wanted[op(user).results[0]]));
            }
            if (making(o.kind) == Making::summed) keep_for_others(run_[i], at, spots.at(run_[i]).first);
            if (!inlined(o.results[0])) continue;
            if (at.size() < 2 || inline_cost(kernel_, o.results[0]) <= kCheapAgain) continue;
            const auto [step, phase] = *at.begin();
            Nest& nest = out_.steps[step].nest;
            std::vector<int64_t> shape = nest.rows;
            shape.push_back(nest.phases[phase].columns);
            if (extents(kernel_.type(o.results[0])) != shape) continue;
            // Behind the roots of the phase that it is computed from, before those that want it.
            auto& roots = nest.phases[phase].roots;
            const auto later = std::ranges::find_if(roots, [&](const Root& r) { return position_.at(r.op) > i; });
            roots.insert(later, Root{Root::Kind::keep, run_[i], o.results[0]});
            spots[run_[i]] = {step, phase};
            out_.homes.insert(o.results[0]);
            if (at.rbegin()->first == step) out_.row_homes.insert(o.results[0]);
        }
    }

    // The sum of a row has a home where something outside of its nest asks for it.
    void keep_for_others(OpId reduce, const std::set<Spot>& wanted, size_t step) {
        const ValueId result = op(reduce).results[0];
        const auto& users = uses_.of(result);
        const bool others =
            std::ranges::any_of(wanted, [&](const Spot& spot) { return spot.first != step; }) ||
            std::ranges::any_of(users, [&](OpId user) { return runs(user) && making(op(user).kind) == Making::alone; });
        if (others) out_.homes.insert(result);
    }

    const Function& kernel_;
    const Uses& uses_;
    std::span<const OpId> run_;
    const std::unordered_set<ValueId>& held_;
    std::unordered_map<OpId, size_t> position_;
    std::unordered_map<ValueId, size_t> last_uses_;
    Schedule out_;
    bool open_ = false;
    Nest nest_;                               // while it is open,
    std::unordered_map<ValueId, Made> made_;  // what it computes,
    std::set<ValueId> written_;               // the memories it writes,
    std::vector<OpId> stores_;
    std::vector<Read> read_;  // and the loads it does on its way
};

}  // namespace

Schedule schedule(const Function& kernel, const Uses& uses, std::span<const OpId> run,
                  const std::unordered_set<ValueId>& held) {
    return Scheduler(kernel, uses, run, held).make();
}

}  // namespace tsr::ir
