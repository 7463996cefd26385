#include "ir/passes/graph/fusion_decisions.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

using Ops = std::vector<OpId>;

class Decisions {
public:
    Decisions(const Function& graph, const FormedFusions& formed, const GpuMachine& machine)
        : graph_(graph), formed_(formed), costs_(graph, machine) {
        for (size_t i = 0; i < formed.fused.size(); ++i) numbers_[formed.fused[i].function.name] = i;
    }

    std::vector<FusionDecision> run() {
        for (size_t number = 0; number < formed_.fused.size(); ++number) {
            inside(number);
            for (const FormedFusions::Fused::Apart& apart : formed_.fused[number].apart) stands_apart(number, apart);
        }
        return std::move(all_);
    }

private:
    bool takes(OpId op, ValueId v) const {
        return std::ranges::any_of(sources_of(graph_, op), [&](const AxisMap& source) { return source.base == v; });
    }

    // What is made of a value, or of the operation itself.
    Ops behind(const Ops& ops, const Ops& first) const {
        std::set<OpId> found(first.begin(), first.end());
        Ops all;
        for (const OpId id : ops) {  // in the order of the text
            const bool follows = std::ranges::any_of(sources_of(graph_, id), [&](const AxisMap& source) {
                const OpId from = graph_.value(source.base).op;
                return from.valid() && found.contains(from);
            });
            if (follows) found.insert(id);
            if (found.contains(id)) all.push_back(id);
        }
        return all;
    }

    void inside(size_t number) {
        const Ops& ops = formed_.fused[number].ops;
        for (size_t i = 0; i < ops.size(); ++i) {
            const ValueId v = graph_.op(ops[i]).results[0];
            const bool beside =
                i > 0 && std::ranges::none_of(Ops(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(i)),
                                              [&](OpId before) { return takes(ops[i], graph_.op(before).results[0]); });
            if (beside) add(number, graph_.op(ops.front()).results[0], {ops[i]});
            Ops takers;
            std::ranges::copy_if(ops, std::back_inserter(takers),
                                 [&](OpId op) { return op != ops[i] && takes(op, v); });
            if (!takers.empty()) add(number, v, std::move(takers));
        }
    }

    void add(size_t number, ValueId value, Ops takers) {
        const Ops& ops = formed_.fused[number].ops;
        const Ops later = behind(ops, takers);
        Ops earlier;
        std::ranges::copy_if(ops, std::back_inserter(earlier),
                             [&](OpId op) { return std::ranges::find(later, op) == later.end(); });
        FusionDecision made{.from = number, .to = number, .values = {value}, .takers = std::move(takers)};
        weigh(made, ops, earlier, later);
        all_.push_back(std::move(made));
    }

    void stands_apart(size_t number, const FormedFusions::Fused::Apart& apart) {
        FusionDecision made{
            .from = numbers_.at(apart.from), .to = number, .takers = {apart.op}, .why = apart.why, .must = apart.must};
        const FormedFusions::Fused& from = formed_.fused[made.from];
        const FormedFusions::Fused& to = formed_.fused[number];
        for (const ValueId v : from.outputs) {
            if (std::ranges::find(to.inputs, v) != to.inputs.end()) made.values.push_back(v);
        }
        Ops both = from.ops;
        both.insert(both.end(), to.ops.begin(), to.ops.end());
        weigh(made, both, from.ops, to.ops);
        all_.push_back(std::move(made));
    }

    void weigh(FusionDecision& made, const Ops& all, const Ops& earlier, const Ops& later) const {
        const FusionCost one = costs_.cost(all), first = costs_.cost(earlier), second = costs_.cost(later);
        made.bytes_less = first.bytes + second.bytes - one.bytes;
        const auto in_one = costs_.time(all, one);
        const auto in_first = costs_.time(earlier, first), in_second = costs_.time(later, second);
        if (!in_one || !in_first || !in_second) return;
        made.one = in_one->seconds();
        made.two = in_first->seconds() + in_second->seconds();
    }

    const Function& graph_;
    const FormedFusions& formed_;
    PartCosts costs_;
    std::map<std::string, size_t> numbers_;
    std::vector<FusionDecision> all_;
};

}  // namespace

std::vector<FusionDecision> fusion_decisions(const Function& graph, const FormedFusions& formed,
                                             const GpuMachine& machine) {
    return Decisions(graph, formed, machine).run();
}

}  // namespace tsr::ir
