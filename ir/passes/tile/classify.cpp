#include "ir/passes/tile/classify.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/domain.h"
#include "ir/passes/tile/launch_slice.h"
#include "ir/passes/tile/spread_sums.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

bool is_tile_range(const Op& op) {
    return op.kind == OpKind::for_ && op.attrs.integer(Attr::loop, 0) == static_cast<int64_t>(LoopKind::tile_range);
}

// The single loop in a body that holds nothing else but pure values and its yield; invalid if there is more.
OpId only_loop(const Function& kernel, RegionId body) {
    OpId found;
    for (OpId id : kernel.region(body).ops) {
        const Op& op = kernel.op(id);
        if (is_pure(op.kind) || op.kind == OpKind::yield) continue;
        if (op.kind != OpKind::for_ || found.valid()) return {};
        found = id;
    }
    return found;
}

class Classifier {
public:
    // `notes`: the programmer is told what was decided.
    Classifier(Function& kernel, Diagnostics& diagnostics, bool notes)
        : kernel_(kernel), diagnostics_(diagnostics), notes_(notes) {
        shape_.roles.assign(kernel.op_count(), LoopRole::in_order);
    }

    std::optional<KernelShape> run() {
        KernelInfo& info = kernel_.kernel;
        const bool names_tile = info.flat || names([](const Op& op) { return op.kind == OpKind::tile_id; });
        info.flat = !info.header_tiles.empty() || (info.group_shape.empty() && !info.names_group && names_tile);
        if (info.flat) {
            shape_.variability = find_variability(kernel_, shape_.roles);
            if (!check_flat()) return std::nullopt;
            flat_launch();
            note_loops();
            return std::move(shape_);
        }
        find_grid();
        find_tile_loops();
        if (!check_prefetch() || !check_left()) return std::nullopt;
        note_loops();
        if (deal_rounds()) return Classifier(kernel_, diagnostics_, false).run();
        group_launch();
        return std::move(shape_);
    }

private:
    [[nodiscard]] bool names(const std::function<bool(const Op&)>& predicate) const {
        return any_below(kernel_, kernel_.body, predicate);
    }
    [[nodiscard]] bool names(OpKind kind) const {
        return names([kind](const Op& op) { return op.kind == kind; });
    }

    // ---- flat kernels ----

    bool check_flat() {
        bool good = true;
        walk(kernel_, kernel_.body, [&](OpId id) {
            const Op& op = kernel_.op(id);
            if (!written_memories(kernel_, op).empty() && shape_.variability.is_groups(kernel_, id)) {
                good = false;
                diagnostics_
                    .error("E0452", kernel_.span_of(id), "every tile of the launch would write the same value here")
                    .note(
                        "a flat kernel has no groups whose one statement this could be: index with the tile, or "
                        "write under a condition on it");
            }
        });
        return good;
    }

    void flat_launch() {
        LaunchSlice slice(kernel_);
        if (!kernel_.kernel.header_tiles.empty()) {
            ValueId total = slice.dimension(kernel_.kernel.header_tiles[0]);
            for (size_t i = 1; i < kernel_.kernel.header_tiles.size(); ++i) {
                total = slice.builder().mul(total, slice.dimension(kernel_.kernel.header_tiles[i]));
            }
            return slice.yield({total});
        }
        Guards guards = find_guards(kernel_);
        if (!guards.limits.empty()) {
            if (!guards.every_write) return;
            ValueId total = slice.index(guards.limits[0]);
            for (size_t i = 1; i < guards.limits.size(); ++i) {
                total = slice.builder().maximum(total, slice.index(guards.limits[i]));
            }
            total = slice.builder().maximum(total, slice.builder().index(0));
            return slice.yield({total});
        }
        const Type* only = nullptr;
        for (ValueId param : kernel_.params()) {
            const Type& type = kernel_.type(param);
            if (type.kind != TypeKind::tensor || !type.mut) continue;
            if (only) return;
            only = &type;
        }
        if (!only) return;
        slice.yield({slice.dimension(element_count(only->shape))});
    }

    // ---- grid loops ----

    // The kernel's last statement, a `return` and values aside; invalid if there is none.
    [[nodiscard]] OpId last_statement() const {
        const auto& ops = kernel_.region(kernel_.body).ops;
        auto last = ops.rbegin() + 1;  // the yield stands last
        while (last != ops.rend() && (kernel_.op(*last).kind == OpKind::result || is_pure(kernel_.op(*last).kind)))
            ++last;
        return last == ops.rend() ? OpId{} : *last;
    }

    void find_grid() {
        OpId candidate = last_statement();
        if (!candidate.valid() || !is_tile_range(kernel_.op(candidate))) {
            no_grid_ = names(is_tile_range) ? "its last statement is no loop over `tile.range`" : "";
            return;
        }
        no_grid_ = why_no_grid(candidate);
        if (!no_grid_.empty()) return;
        shape_.grid = candidate;
        kernel_.kernel.elements = is_element_loop(candidate);
        LoopRole role = kernel_.kernel.elements ? LoopRole::element_grid : LoopRole::grid_loop;
        for (OpId loop : axes_of(candidate)) shape_.roles[loop.index] = role;
    }

    std::string why_no_grid(OpId loop) const {
        if (names(OpKind::group_id)) return "the kernel names a group id";
        for (OpId id : kernel_.region(kernel_.body).ops) {
            if (id == loop) break;
            auto writes = [&](const Op& op) {
                return std::ranges::any_of(written_memories(kernel_, op), [&](ValueId memory) {
                    return kernel_.type(memory_root(kernel_, memory)).kind == TypeKind::tensor;
                });
            };
            if (any_in(kernel_, id, writes)) return "a tensor is written before its last loop";
        }
        for (OpId axis : axes_of(loop)) {
            if (carries_variable(axis)) return "its last loop carries a variable";
            if (!std::ranges::all_of(bounds(axis), [&](ValueId v) { return known_at_launch(kernel_, v); }))
                return "the bounds of its last loop are not known at the launch";
        }
        return {};
    }

    // A `for` carries what it gives. One that may be left early stands as a `while`, which also carries the number of
    // its round and its flags: those are bools that no variable of the program holds.
    [[nodiscard]] bool carries_variable(OpId loop) const {
        const Op& op = kernel_.op(loop);
        if (op.kind == OpKind::for_) return !op.results.empty();
        return std::ranges::any_of(op.results.begin() + 1, op.results.end(), [&](ValueId v) {
            return kernel_.type(v) != Type::scalar(DType::boolean) || !kernel_.value(v).name.empty();
        });
    }

    // Lower bound, upper bound and step. Those of a `while` are what its test takes from outside.
    [[nodiscard]] std::vector<ValueId> bounds(OpId loop) const {
        const Op& op = kernel_.op(loop);
        if (op.kind == OpKind::for_) {
            const ValueSpan bounds = ForOp(kernel_, loop).bounds();
            return {bounds.begin(), bounds.end()};
        }
        std::vector<ValueId> found{WhileOp(kernel_, loop).inits().front()};
        for (OpId id : kernel_.region(op.regions[0]).ops) {
            for (ValueId v : kernel_.op(id).operands) {
                OpId from = defining_op(kernel_, v);
                if (!from.valid() || !stands_below(kernel_, from, loop)) found.push_back(v);
            }
        }
        return found;
    }

    // The loops that one N-dimensional range was written as.
    [[nodiscard]] std::vector<OpId> axes_of(OpId loop) const {
        std::vector<OpId> axes{loop};
        while (true) {
            OpId inner = only_loop(kernel_, kernel_.op(axes.back()).regions[0]);
            if (!inner.valid() || !kernel_.op(inner).attrs.has(Attr::axis)) return axes;
            axes.push_back(inner);
        }
    }

    // Single elements: nothing in it is of the group, and no loop in it asks to be spread over tiles.
    [[nodiscard]] bool is_element_loop(OpId loop) const {
        if (kernel_.kernel.names_group || names(OpKind::tile_id)) return false;
        OpId innermost = axes_of(loop).back();
        return !any_below(kernel_, kernel_.op(innermost).regions[0], [&](const Op& op) {
            return is_tile_range(op) || is_collective(kernel_, op) || op.kind == OpKind::buffer ||
                   op.kind == OpKind::buffer_reduce;
        });
    }

    // ---- tile loops ----

    // Assumes every loop that may be one is, and takes back what turns out to depend on varying values, until nothing
    // changes: each step only makes loops in order, so it ends.
    void find_tile_loops() {
        if (!kernel_.kernel.elements) {
            walk(kernel_, kernel_.body, [&](OpId id) {
                const Op& op = kernel_.op(id);
                if (!is_tile_range(op) || shape_.roles[id.index] != LoopRole::in_order) return;
                if (any_in(kernel_, id, [&](const Op& o) { return is_collective(kernel_, o); })) return;
                if (!op.results.empty() && (op.attrs.has(Attr::prefetch) || !combined_variables(kernel_, id))) return;
                shape_.roles[id.index] = LoopRole::tile_loop;
            });
        }
        bool changed = true;
        while (changed) {
            shape_.variability = find_variability(kernel_, shape_.roles);
            changed = false;
            walk(kernel_, kernel_.body, [&](OpId id) {
                if (shape_.roles[id.index] == LoopRole::tile_loop && !stays_tile_loop(id)) {
                    shape_.roles[id.index] = LoopRole::in_order;
                    changed = true;
                }
            });
        }
    }

    [[nodiscard]] bool stays_tile_loop(OpId id) const {
        const Op& op = kernel_.op(id);
        OpId parent = kernel_.region(op.parent).parent;
        bool joined = parent.valid() && shape_.roles[parent.index] == LoopRole::tile_loop &&
                      only_loop(kernel_, op.parent) == id && carries_on(kernel_, parent, id);
        for (size_t i = 0; i < 3; ++i) {
            if (shape_.variability.is_varying(op.operands[i])) return false;
        }
        if (joined) return stays_tile_loop(parent);
        return !shape_.variability.is_divergent(id) && !takes_varying(id);
    }

    // Gives the rounds of tile loops that combine variables to the tiles, each of which then runs a loop of its own.
    // True: there were such loops, and all is to be decided again.
    bool deal_rounds() {
        std::vector<OpId> loops;
        walk(kernel_, kernel_.body, [&](OpId id) {
            const OpId parent = kernel_.region(kernel_.op(id).parent).parent;
            const bool inner = parent.valid() && shape_.roles[parent.index] == LoopRole::tile_loop;
            if (shape_.roles[id.index] == LoopRole::tile_loop && !inner && !kernel_.op(id).results.empty())
                loops.push_back(id);
        });
        for (OpId loop : loops) spread_sums(kernel_, loop_nest(kernel_, loop, shape_.roles));
        if (!loops.empty()) kernel_.kernel.names_group = true;
        return !loops.empty();
    }

    // Whether a varying value from outside is used in it.
    [[nodiscard]] bool takes_varying(OpId id) const {
        return any_in(kernel_, id, [&](const Op& inner) {
            return std::ranges::any_of(inner.operands, [&](ValueId v) {
                OpId from = defining_op(kernel_, v);
                return shape_.variability.is_varying(v) && from.valid() && !stands_below(kernel_, from, id);
            });
        });
    }

    // Rounds that are spread over groups or tiles have no next one whose loads could start.
    bool check_prefetch() {
        bool good = true;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (shape_.roles[id.index] == LoopRole::in_order || !kernel_.op(id).attrs.has(Attr::prefetch)) return;
            good = false;
            diagnostics_
                .error("E0412", kernel_.span_of(id),
                       "`prefetch` belongs to a loop in order, and the rounds of this one are spread")
                .note(role_text(id));
        });
        return good;
    }

    [[nodiscard]] bool may_be_left(OpId id) const {
        const Op& op = kernel_.op(id);
        return op.kind == OpKind::while_ && !op.attrs.has(Attr::axis) &&
               op.attrs.integer(Attr::loop, 0) == static_cast<int64_t>(LoopKind::tile_range);
    }

    // Without its `break` or `return` the loop would be a grid or a tile loop: then no round is before another, and
    // none can end the rest.
    bool check_left() {
        bool good = true;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (!may_be_left(id) || carries_variable(id)) return;
            bool grid = id == last_statement() && why_no_grid(id).empty();
            if (!grid && !would_be_tile_loop(id)) return;
            good = false;
            refuse_left(id, grid);
        });
        return good;
    }

    [[nodiscard]] bool would_be_tile_loop(OpId id) const {
        if (any_in(kernel_, id, [&](const Op& o) { return is_collective(kernel_, o); })) return false;
        auto varies = [&](ValueId v) { return shape_.variability.is_varying(v); };
        return std::ranges::none_of(bounds(id), varies) && !shape_.variability.is_divergent(id) && !takes_varying(id);
    }

    void refuse_left(OpId id, bool grid) {
        OpId rounds = kernel_.region(kernel_.op(id).regions[1]).ops.back();
        diagnostics_.error("E0470", kernel_.span_of(rounds), "a loop whose rounds are spread is not left early")
            .label(kernel_.span_of(id),
                   grid ? "these rounds are spread over the groups" : "these rounds are spread over the group's tiles")
            .note("`range` runs its rounds in order, and may be left");
    }

    // ---- what the programmer is told ----

    void note_loops() {
        if (!notes_) return;
        if (kernel_.kernel.flat)
            kernel_.kernel.notes.push_back({kernel_.span(), "flat: it numbers the tiles of the launch"});
        walk(kernel_, kernel_.body, [&](OpId id) {
            const Op& op = kernel_.op(id);
            if (!is_tile_range(op) || op.attrs.has(Attr::axis)) return;
            kernel_.kernel.notes.push_back({kernel_.span_of(id), role_text(id)});
        });
        bool sized = std::ranges::find(kernel_.symbols, "grid_groups") != kernel_.symbols.end();
        if (!no_grid_.empty() && !sized)
            kernel_.kernel.notes.push_back(
                {kernel_.span(), "no grid loop, as " + no_grid_ + ": one group runs it unless the launch says more"});
    }

    [[nodiscard]] std::string role_text(OpId id) const {
        switch (shape_.roles[id.index]) {
            case LoopRole::grid_loop:
                return "grid loop: its rounds are spread over the groups";
            case LoopRole::element_grid:
                return "grid loop of single elements: its rounds are spread over groups and tiles";
            case LoopRole::tile_loop:
                return kernel_.op(id).results.empty()
                           ? "tile loop: its rounds are spread over the tiles of the group"
                           : "tile loop: its rounds are spread over the tiles of the group, and what they add up is "
                             "combined";
            case LoopRole::in_order:
                break;
        }
        return "in order: " + why_in_order(id);
    }

    [[nodiscard]] std::string why_in_order(OpId id) const {
        const Op& op = kernel_.op(id);
        if (kernel_.kernel.flat) return "the kernel is flat";
        if (op.attrs.has(Attr::prefetch) && !op.results.empty() && combined_variables(kernel_, id))
            return "`prefetch` belongs to a loop in order";
        if (!op.results.empty() && !combined_variables(kernel_, id)) return "it carries a variable from round to round";
        if (any_in(kernel_, id, [&](const Op& o) { return is_collective(kernel_, o); }))
            return "a collective operation is in it";
        for (size_t i = 0; i < 3; ++i) {
            if (shape_.variability.is_varying(op.operands[i])) return "its bounds differ between tiles";
        }
        if (shape_.variability.is_divergent(id)) return "not all tiles reach it";
        return "it uses a value from outside that differs between tiles";
    }

    // ---- number of groups ----

    void group_launch() {
        LaunchSlice slice(kernel_);
        bool in_header = std::ranges::find(kernel_.symbols, "grid_groups") != kernel_.symbols.end();
        if (in_header && !kernel_.kernel.elements) return slice.yield({slice.dimension(Dim::symbol("grid_groups"))});
        if (!shape_.grid.valid()) return slice.yield({slice.builder().index(1)});
        std::vector<ValueId> counts;
        for (OpId axis : axes_of(shape_.grid)) {
            const ForOp loop(kernel_, axis);
            counts.push_back(slice.rounds(loop.lower(), loop.upper(), loop.step()));
        }
        ValueId total = counts[0];
        for (size_t i = 1; i < counts.size(); ++i) total = slice.builder().mul(total, counts[i]);
        slice.yield({total});
    }

    Function& kernel_;
    Diagnostics& diagnostics_;
    KernelShape shape_;
    bool notes_;
    std::string no_grid_;  // why a kernel with loops over `tile.range` has no grid loop
};

}  // namespace

std::optional<KernelShape> classify(Function& kernel, Diagnostics& diagnostics) {
    return Classifier(kernel, diagnostics, true).run();
}

std::vector<OpId> loop_nest(const Function& kernel, OpId outermost, const LoopRoles& roles) {
    std::vector<OpId> nest{outermost};
    LoopRole role = roles[outermost.index];
    while (true) {
        OpId inner = only_loop(kernel, kernel.op(nest.back()).regions[0]);
        if (!inner.valid() || roles[inner.index] != role) return nest;
        bool one_range = kernel.op(inner).attrs.has(Attr::axis);
        if (role == LoopRole::grid_loop && !one_range) return nest;
        if (role == LoopRole::tile_loop && !carries_on(kernel, nest.back(), inner)) return nest;
        nest.push_back(inner);
    }
}

}  // namespace tsr::ir
