#include "ir/passes/graph/fusions.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "ir/ops/effects.h"
#include "ir/ops/handle.h"
#include "ir/ops/register.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostOps = 64;  // of one kernel: more take the compiler long

bool is_tensor(const Function& graph, ValueId v) { return graph.type(v).kind == TypeKind::tensor; }

std::vector<Dim> without(std::vector<Dim> space, size_t axis) {
    space.erase(space.begin() + static_cast<ptrdiff_t>(axis));
    return space;
}

class FusionChooser {
public:
    FusionChooser(const Function& graph, RegionId region, const FusionOrders& orders)
        : graph_(graph), region_(region), orders_(orders), uses_(graph.value_count()) {
        for_each_op(graph, graph.body, [&](OpId id) {
            for (ValueId v : graph.op(id).operands) uses_[v.index].push_back(id);
        });
    }

    Fusions run() {
        for (OpId id : graph_.region(region_).ops) {
            if (is_node(id)) {
                place(id);
            } else {
                depends_[id] = needs(id);
            }
        }
        check_orders();
        return std::move(out_);
    }

private:
    // What a movement gives is read through its axes where a fusion takes it; anything else needs it as a tensor.
    bool is_node(OpId id) const {
        if (computes_tensors(graph_, id) || gathers_elements(graph_, id)) return true;
        if (!moves_elements(graph_, id)) return false;
        return std::ranges::any_of(uses_[graph_.op(id).results[0].index], [&](OpId user) {
            if (takes_whole_tensors(graph_.op(user).kind)) return !is_view(id);
            return !computes_tensors(graph_, user) && !moves_elements(graph_, user) && !gathers_elements(graph_, user);
        });
    }
    // The same elements in another shape, of a tensor that is there: what takes whole tensors reads that one.
    bool is_view(OpId id) const {
        const Op& op = graph_.op(id);
        if (op.kind != OpKind::reshape || !is_tensor(graph_, op.results[0])) return false;
        const OpId from = graph_.value(op.operands.front()).op;
        return is_tensor(graph_, op.operands.front()) && (!from.valid() || !moves_elements(graph_, from));
    }

    // ---- spaces ----
    struct Node {
        std::vector<Dim> space;
        std::optional<size_t> axis;  // along which it combines
    };
    Node node_of(OpId id) const {
        const Op& op = graph_.op(id);
        if (op.kind != OpKind::reduce) return {long_extents(graph_.type(op.results[0])), {}};
        const AlongOp along(graph_, id);
        const Type& source = graph_.type(along.value());
        const auto axis = static_cast<size_t>(along.axis());
        if (source.shape[axis].constant_value() == 1) return {long_extents(source), {}};
        return {long_extents(source), long_axis(source, axis)};
    }

    // ---- dependences: on fusions, transitively ----
    using Set = std::set<size_t>;
    Set needs(OpId id) const {
        Set all;
        const auto add = [&](ValueId v) {
            const OpId from = graph_.value(v).op;
            if (!from.valid()) return;
            if (const auto in = out_.of.find(from); in != out_.of.end()) {
                all.insert(in->second);
                all.insert(behind_[in->second].begin(), behind_[in->second].end());
            } else if (const auto known = depends_.find(from); known != depends_.end()) {
                all.insert(known->second.begin(), known->second.end());
            }
        };
        for (ValueId v : graph_.op(id).operands) add(v);
        for (RegionId below : graph_.op(id).regions) {
            for_each_op(graph_, below, [&](OpId inner) {
                for (ValueId v : graph_.op(inner).operands) add(v);
            });
        }
        return all;
    }
    void add_dependences(size_t fusion, Set more) {
        more.erase(fusion);
        const auto extend = [&](Set& set, size_t self) {
            if (self != fusion && !set.contains(fusion)) return;
            set.insert(more.begin(), more.end());
        };
        for (size_t i = 0; i < behind_.size(); ++i) extend(behind_[i], i);
        for (auto& [op, set] : depends_) extend(set, SIZE_MAX);
    }

    // ---- joining ----
    // In an operation of the fusion: which fusion the value that an operand's elements come from stands in.
    std::optional<size_t> fusion_of(ValueId base) const {
        const OpId op = graph_.value(base).op;
        const auto found = op.valid() ? out_.of.find(op) : out_.of.end();
        return found == out_.of.end() ? std::nullopt : std::optional(found->second);
    }

    // What a value of the fusion is: of the whole space, or of what is left of it.
    bool is_whole(const Fusion& fusion, ValueId v) const {
        return long_extents(graph_.type(v)).size() == fusion.space.size();
    }

    // Whether a value of the fusion stands at the position itself for an operation over all axes, or those left.
    bool fits(const Fusion& fusion, const AxisMap& map, bool whole) const {
        const size_t rank = fusion.space.size();
        if (!map.takes_all()) return false;
        if (is_whole(fusion, map.base)) return whole && map.is_identity(rank);
        if (!whole) return map.is_identity(rank - 1);
        for (size_t i = 0; i < map.axes.size(); ++i) {
            if (map.axes[i] != i + (i >= *fusion.axis ? 1 : 0)) return false;
        }
        return true;
    }

    using Sources = std::vector<AxisMap>;  // of an operation

    // Whether what stands outside of the fusion lies between it and the operation.
    bool comes_back(const Sources& sources, size_t number) const {
        const auto lies_behind = [&](ValueId v) {
            if (const auto in = fusion_of(v)) return *in != number && behind_[*in].contains(number);
            const auto known = depends_.find(graph_.value(v).op);
            return known != depends_.end() && known->second.contains(number);
        };
        return std::ranges::any_of(sources, [&](const AxisMap& source) {
            return lies_behind(source.base) || std::ranges::any_of(source.starts, [&](const Start& start) {
                       return std::ranges::any_of(start.scalars,
                                                  [&](ValueId v) { return fusion_of(v) == number || lies_behind(v); });
                   });
        });
    }

    // The block of a product reads whole tensors along its own axes.
    bool suits_product(OpId id, const Sources& sources) const {
        if (moves_elements(graph_, id) || gathers_elements(graph_, id)) return false;
        return std::ranges::all_of(sources, [&](const AxisMap& source) {
            return source.takes_all() && !defined_by(graph_, source.base, OpKind::positions);
        });
    }

    // At the fusion's own positions, or near them.
    bool reads_here(OpId id, const AxisMap& source, const Fusion& fusion) const {
        return source.is_identity(fusion.space.size()) || gathers_elements(graph_, id);
    }

    bool takes_from(const Sources& sources, size_t number) const {
        return std::ranges::any_of(sources, [&](const AxisMap& source) { return fusion_of(source.base) == number; });
    }

    // Takes a value of the fusion, or a tensor that the fusion reads at the same positions.
    bool meets(OpId id, const Node& node, const Sources& sources, size_t number) const {
        const Fusion& fusion = out_.all[number];
        return std::ranges::any_of(sources, [&](const AxisMap& source) {
            if (fusion_of(source.base) == number) return true;
            return reads_[number].contains(source.base) && is_tensor(graph_, source.base) &&
                   node.space == fusion.space && reads_here(id, source, fusion);
        });
    }

    // The fusions that compute what an operation takes through `anew`: it is done again, not there.
    std::set<size_t> not_again_in(OpId id) const {
        std::set<size_t> found;
        for (ValueId v : graph_.op(id).operands) {
            bool anew = false;
            for (OpId op = graph_.value(v).op; op.valid() && only_renames(graph_.op(op).kind);
                 op = graph_.value(v).op) {
                anew = anew || graph_.op(op).attrs.has(Attr::anew);
                v = graph_.op(op).operands.front();
            }
            const auto in = fusion_of(v);
            if (anew && in) found.insert(*in);
        }
        return found;
    }
    static bool only_renames(OpKind kind) {
        return kind == OpKind::reshape || kind == OpKind::expand || kind == OpKind::transpose;
    }

    // Why an operation can be no part of a fusion; nothing where it can.
    std::optional<std::string> hindrance(OpId id, const Node& node, const Sources& sources, size_t number) const {
        const Fusion& fusion = out_.all[number];
        const OpKind kind = graph_.op(id).kind;
        if (takes_whole_tensors(kind)) return fmt::format("`{}` takes whole tensors", name(kind));
        if (fusion.alone) return "the operation there has kernels of its own";
        if (fusion.product && node.axis) return "a thread block of the product has not all of the axis";
        if (fusion.product && !suits_product(id, sources))
            return "a product is computed with at its own elements alone";
        // What goes through the positions of its result takes other elements of its operands than those at its own
        // position.
        if (gathers_elements(graph_, id) && (!fusion.gathers || takes_from(sources, number)))
            return fmt::format("`{}` takes elements at other positions", name(kind));
        if (!gathers_elements(graph_, id) && fusion.gathers && node.axis)
            return "what finds elements by their position combines none";
        const bool whole = node.space == fusion.space;
        const bool left = !whole && fusion.axis && !node.axis && node.space == without(fusion.space, *fusion.axis);
        if (!whole && !left)
            return fmt::format("it goes through {}, this through {}", text(fusion.space), text(node.space));
        if (node.axis && fusion.axis && *node.axis != *fusion.axis)
            return fmt::format("it combines along {}, this along {}", axis_text(fusion, *fusion.axis),
                               axis_text(fusion, *node.axis));
        if (comes_back(sources, number)) return "an operation between the two needs it, and this needs that operation";
        const bool here = std::ranges::all_of(sources, [&](const AxisMap& source) {
            return fusion_of(source.base) != number || fits(fusion, source, whole);
        });
        if (!here) return "this takes other elements than those at its own position";
        return std::nullopt;
    }

    struct Refusal {
        std::string why;
        bool must = false;  // no order changes it
    };
    // Why an operation is no part of a fusion that it could be a part of. `ordered`: it is put there by the schedule.
    std::optional<Refusal> refusal(OpId id, const Node& node, const Sources& sources, size_t number,
                                   bool ordered = false) const {
        if (auto why = hindrance(id, node, sources, number)) return Refusal{std::move(*why), true};
        if (!ordered && out_.all[number].ops.size() >= kMostOps && !unlimited_.contains(number))
            return Refusal{fmt::format("it has {} operations already", kMostOps), false};
        if (takes_stored(sources, number)) return Refusal{"the schedule stores what it takes", false};
        return std::nullopt;
    }

    static std::string text(const std::vector<Dim>& space) {
        std::string all;
        for (const Dim& extent : space) all += (all.empty() ? "" : ", ") + extent.text();
        return "(" + all + ")";
    }
    static std::string axis_text(const Fusion& fusion, size_t axis) {
        return fmt::format("axis {} of {}", axis, text(fusion.space));
    }

    // ---- orders ----
    // A value of the fusion that the schedule stores.
    bool takes_stored(const Sources& sources, size_t number) const {
        return std::ranges::any_of(sources, [&](const AxisMap& source) {
            return fusion_of(source.base) == number && orders_.stored.contains(source.base);
        });
    }

    // The fusion that the schedule puts the operation into, if that is possible.
    std::optional<size_t> ordered(OpId id, const Node& node, const Sources& sources) {
        for (size_t order = 0; order < orders_.together.size(); ++order) {
            const std::vector<OpId>& ops = orders_.together[order];
            if (std::ranges::find(ops, id) == ops.end()) continue;
            const auto with = std::ranges::find_if(ops, [&](OpId op) { return out_.of.contains(op); });
            if (with == ops.end()) continue;
            const size_t number = out_.of.at(*with);
            auto why = refusal(id, node, sources, number, true);
            if (!why) {
                if (out_.all[number].ops.size() >= kMostOps) unlimited_.insert(number);
                return number;
            }
            out_.refused.push_back({order, id, *with, std::move(why->why)});
        }
        return std::nullopt;
    }

    // What one order put into a fusion another one may want elsewhere.
    void check_orders() {
        for (size_t order = 0; order < orders_.together.size(); ++order) {
            const std::vector<OpId>& ops = orders_.together[order];
            const auto told = [&](const RefusedOrder& refused) { return refused.order == order; };
            if (std::ranges::any_of(out_.refused, told)) continue;
            for (const OpId id : ops) {
                if (!out_.of.contains(id) || !out_.of.contains(ops.front())) continue;
                if (out_.of.at(id) == out_.of.at(ops.front())) continue;
                out_.refused.push_back({order, id, ops.front(), "another line puts it into another kernel"});
                break;
            }
        }
    }

    // Of a fusion from which the operation takes nothing there is nothing to tell.
    void stands_apart(OpId id, const Sources& sources, size_t number, Refusal why) {
        if (takes_from(sources, number)) out_.apart.push_back({id, number, std::move(why.why), why.must});
    }

    void place(OpId id) {
        const Node node = node_of(id);
        const Sources sources = sources_of(graph_, id);
        const auto given = ordered(id, node, sources);
        const std::set<size_t> early = not_again_in(id);
        // What is done again is done as late as possible, beside what takes it.
        const auto may_join = [&](size_t fusion) {
            if (early.empty()) return meets(id, node, sources, fusion);
            return !early.contains(fusion) && out_.all[fusion].space == node.space;
        };
        const Refusal elsewhere{
            given ? "the schedule puts it elsewhere" : "it stands with the last of those that it may stand with",
            false};
        size_t number = out_.all.size();
        for (; number > 0 && number - 1 != given; --number) {
            if (!given && !may_join(number - 1)) continue;  // most of them
            std::optional<Refusal> why = refusal(id, node, sources, number - 1);
            if (!why && !given) break;
            stands_apart(id, sources, number - 1, why.value_or(elsewhere));
        }
        for (size_t other = number; other > 1; --other)
            stands_apart(id, sources, other - 2, refusal(id, node, sources, other - 2).value_or(elsewhere));
        Set behind = needs(id);
        if (number == 0) {
            number = out_.all.size();
            out_.all.push_back({.product = graph_.op(id).kind == OpKind::contract,
                                .gathers = gathers_elements(graph_, id),
                                .alone = stands_alone(graph_.op(id).kind),
                                .space = node.space});
            behind_.emplace_back();
            reads_.emplace_back();
        } else {
            --number;
        }
        Fusion& fusion = out_.all[number];
        fusion.ops.push_back(id);
        if (node.axis) fusion.axis = node.axis;
        out_.of[id] = number;
        add_dependences(number, std::move(behind));
        if (node.space != fusion.space) return;
        for (const AxisMap& map : sources) {
            const bool outside = fusion_of(map.base) != number && is_tensor(graph_, map.base);
            if (outside && reads_here(id, map, fusion)) reads_[number].insert(map.base);
        }
    }

    const Function& graph_;
    RegionId region_;
    const FusionOrders& orders_;
    std::vector<std::vector<OpId>> uses_;
    Fusions out_;
    Set unlimited_;                         // fusions that orders made longer than others become
    std::vector<Set> behind_;               // of each fusion: those that it needs
    std::map<OpId, Set> depends_;           // of each other operation
    std::vector<std::set<ValueId>> reads_;  // of each fusion: tensors that it reads at its own positions
};

}  // namespace

bool computes_tensors(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::reduce || takes_whole_tensors(op.kind)) return true;
    return is_element(op.kind) && is_tensor(graph, op.results[0]);
}

Fusions choose_fusions(const Function& graph, RegionId region, const FusionOrders& orders) {
    return FusionChooser(graph, region, orders).run();
}

}  // namespace tsr::ir
