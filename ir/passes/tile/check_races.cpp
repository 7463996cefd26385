#include "ir/passes/tile/check_races.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/register.h"
#include "ir/passes/tile/affine.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Rounds this near to each other are taken to be there in loops whose bounds only the run knows.
constexpr int64_t kNear = 8;

// An element that a round reads or writes, or the first element of a view that it stores.
struct SharedAccess {
    OpId op;
    ValueId memory;
    ValueId root;
    bool writes = false;
    bool single = true;  // one element, no vector or view of them
    std::vector<Affine> index;
    std::vector<uint32_t> under;  // regions of the branches around it, outermost first
};

class NestChecker {
public:
    NestChecker(const Function& kernel, std::vector<OpId> nest, LoopRole role, Diagnostics& diagnostics)
        : kernel_(kernel),
          nest_(std::move(nest)),
          role_(role),
          indices_(kernel, nest_, role != LoopRole::grid_loop),
          diagnostics_(diagnostics) {}

    bool run() {
        collect(kernel_.op(nest_.front()).regions[0]);
        for (const SharedAccess& access : found_) {
            if (access.writes) check_alone(access);
        }
        for (const SharedAccess& access : found_) {
            if (access.writes) check_others(access);
        }
        return good_;
    }

private:
    // What each round does: not what stands under a condition that differs between rounds.
    void collect(RegionId region) {
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::if_ && indices_.depends(IfOp(kernel_, op).condition())) continue;
            if (op.kind == OpKind::while_) continue;
            bool inner = op.kind == OpKind::for_ && std::ranges::find(nest_, id) == nest_.end();
            const auto depends = [&](ValueId v) { return indices_.depends(v); };
            if (inner && std::ranges::any_of(ForOp(kernel_, id).bounds(), depends)) continue;
            add(id, op);
            for (RegionId below : op.regions) {
                if (op.kind == OpKind::if_) branches_.push_back(below.index);
                collect(below);
                if (op.kind == OpKind::if_) branches_.pop_back();
            }
        }
    }

    void add(OpId id, const Op& op) {
        const bool view = op.kind == OpKind::store_tile;
        if (!view && !AccessOp::suits(op.kind)) return;
        SharedAccess access;
        access.op = id;
        access.writes = view || AccessOp(kernel_, id).writes();
        access.single = op.kind == OpKind::read || op.kind == OpKind::write;
        access.memory = view ? TileViewOp(kernel_, id).memory() : AccessOp(kernel_, id).memory();
        access.root = memory_root(kernel_, access.memory);
        bool shared = kernel_.type(access.root).kind == TypeKind::buffer;
        if (shared && role_ != LoopRole::tile_loop) return;  // each group has its own
        if (indices_.depends(access.memory)) return;
        for (ValueId at : view ? TileViewOp(kernel_, id).starts() : AccessOp(kernel_, id).indices()) {
            auto index = indices_.index(at);
            if (!index) return;
            access.index.push_back(std::move(*index));
        }
        access.under = branches_;
        found_.push_back(std::move(access));
    }

    // Rounds of one axis; nothing where only the run knows.
    [[nodiscard]] std::optional<int64_t> rounds(size_t axis) const {
        const ForOp loop(kernel_, nest_[axis]);
        const auto lower = known(loop.lower()), upper = known(loop.upper()), by = known(loop.step());
        if (!lower || !upper || !by) return std::nullopt;
        if (*by == 0) return 0;
        int64_t way = *upper - *lower;
        if ((way > 0) != (*by > 0)) return 0;
        return (way + *by - (*by > 0 ? 1 : -1)) / *by;
    }

    [[nodiscard]] std::optional<int64_t> step(size_t axis) const { return known(ForOp(kernel_, nest_[axis]).step()); }

    [[nodiscard]] std::optional<int64_t> known(ValueId value) const {
        auto found = indices_.index(value);
        return found && found->terms.empty() ? std::optional(found->constant) : std::nullopt;
    }

    Diagnostic& refuse(const SharedAccess& access, std::string message) {
        good_ = false;
        reported_.insert(access.root);
        std::string how = role_ == LoopRole::grid_loop   ? "over the groups"
                          : role_ == LoopRole::tile_loop ? "over the group's tiles"
                                                         : "over groups and tiles";
        return diagnostics_.error("E0472", kernel_.span_of(access.op), std::move(message))
            .label(kernel_.span_of(nest_.front()), "its rounds are spread " + how);
    }

    // An index of the nest that no index of the element contains: all rounds along it write one element.
    void check_alone(const SharedAccess& access) {
        if (reported_.contains(access.root)) return;
        for (size_t axis = 0; axis < nest_.size(); ++axis) {
            ValueId iv = indices_.induction(axis);
            bool used = std::ranges::any_of(access.index, [&](const Affine& index) { return index.of(iv) != 0; });
            if (used || rounds(axis).value_or(2) < 2) continue;
            const std::string& name = kernel_.value(iv).name;
            const std::string_view what = access.single ? "the same element" : "the same elements";
            std::string message = fmt::format("every round of the loop writes {}", what);
            if (nest_.size() > 1 && !name.empty())
                message = fmt::format("rounds that differ in `{}` alone write {}", name, what);
            refuse(access, message).note("`atomic.add` adds up what rounds give; `range` runs its rounds in order");
            return;
        }
    }

    void check_others(const SharedAccess& written) {
        for (const SharedAccess& other : found_) {
            bool twice = other.writes && other.op.index <= written.op.index;
            if (other.memory != written.memory || twice || !written.single || !other.single) continue;
            if (reported_.contains(written.root) || !meet(written, other)) continue;
            refuse(written, other.writes ? "another round of the loop writes this element too"
                                         : "another round of the loop reads this element")
                .label(kernel_.span_of(other.op), other.writes ? "written here" : "read here");
            return;
        }
    }

    // Whether one of them happens wherever the other does: they do not stand under conditions that may exclude each
    // other.
    [[nodiscard]] static bool together(const SharedAccess& a, const SharedAccess& b) {
        const auto& [shorter, longer] =
            std::minmax(a.under, b.under, [](const auto& x, const auto& y) { return x.size() < y.size(); });
        return std::equal(shorter.begin(), shorter.end(), longer.begin());
    }

    // Whether two rounds that are a fixed way apart meet in one element.
    [[nodiscard]] bool meet(const SharedAccess& a, const SharedAccess& b) const {
        if (!together(a, b)) return false;
        std::vector<std::optional<int64_t>> ways(nest_.size());
        for (size_t dim = 0; dim < a.index.size(); ++dim) {
            if (a.index[dim].terms != b.index[dim].terms) return false;
            int64_t apart = b.index[dim].constant - a.index[dim].constant;
            std::vector<size_t> axes;
            for (size_t axis = 0; axis < nest_.size(); ++axis) {
                if (a.index[dim].of(indices_.induction(axis)) != 0) axes.push_back(axis);
            }
            if (axes.empty() && apart != 0) return false;
            if (axes.empty()) continue;
            if (axes.size() > 1) return false;
            auto by = step(axes[0]);
            int64_t coefficient = a.index[dim].of(indices_.induction(axes[0]));
            if (!by || *by == 0 || apart % coefficient != 0 || apart / coefficient % *by != 0) return false;
            int64_t way = apart / coefficient / *by;
            if (ways[axes[0]].value_or(way) != way) return false;
            ways[axes[0]] = way;
        }
        bool apart = false;
        for (size_t axis = 0; axis < nest_.size(); ++axis) {
            int64_t way = std::abs(ways[axis].value_or(0));
            if (way >= rounds(axis).value_or(kNear + 1)) return false;
            apart |= way != 0;
        }
        return apart;
    }

    const Function& kernel_;
    std::vector<OpId> nest_;
    LoopRole role_;
    AffineIndices indices_;
    Diagnostics& diagnostics_;
    std::vector<SharedAccess> found_;
    std::vector<uint32_t> branches_;  // around what is being collected
    std::unordered_set<ValueId> reported_;
    bool good_ = true;
};

// The operation and all that stands in it.
void walk_from(const Function& kernel, OpId op, const std::function<void(OpId)>& visit) {
    visit(op);
    for (RegionId inside : kernel.op(op).regions) walk(kernel, inside, visit);
}

// What stands before the grid loop is done by each group for itself: a group that is late reads what others have
// written in the loop.
void warn_of_early_reads(const Function& kernel, OpId grid, Diagnostics& diagnostics) {
    std::unordered_map<ValueId, OpId> written;  // by the memory's root, the first that writes it
    walk_from(kernel, grid, [&](OpId id) {
        for (ValueId memory : written_memories(kernel, kernel.op(id))) {
            const ValueId root = memory_root(kernel, memory);
            if (kernel.type(root).kind == TypeKind::tensor) written.emplace(root, id);
        }
    });
    for (OpId before : kernel.region(kernel.body).ops) {
        if (before == grid) return;
        walk_from(kernel, before, [&](OpId id) {
            for (ValueId memory : read_memories(kernel, kernel.op(id))) {
                const auto found = written.find(memory_root(kernel, memory));
                if (found == written.end()) continue;
                diagnostics
                    .warning(
                        "W0106", kernel.span_of(id),
                        fmt::format("each group reads `{}` here for itself, and others may have written it by then",
                                    kernel.value(found->first).name))
                    .label(kernel.span_of(found->second), "written here, in rounds that are spread over the groups")
                    .note("two kernels do one after the other; so does one group, `k[1](…)`");
                written.erase(found);
            }
        });
    }
}

}  // namespace

bool check_races(const Function& kernel, const KernelShape& shape, Diagnostics& diagnostics) {
    if (shape.grid.valid()) warn_of_early_reads(kernel, shape.grid, diagnostics);
    bool good = true;
    std::unordered_set<OpId> seen;
    walk(kernel, kernel.body, [&](OpId id) {
        LoopRole role = shape.roles[id.index];
        if (role == LoopRole::in_order || seen.contains(id)) return;
        auto nest = loop_nest(kernel, id, shape.roles);
        seen.insert(nest.begin(), nest.end());
        good &= NestChecker(kernel, std::move(nest), role, diagnostics).run();
    });
    return good;
}

}  // namespace tsr::ir
