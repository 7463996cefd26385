#include "ir/passes/graph/fusion_orders.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/record.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/value_names.h"

namespace tsr::ir {

void refuse_name(const GivenFusion::Named& named, const std::string& graph, const std::vector<std::string>& known,
                 Diagnostics& diagnostics) {
    // A value of which there are several now.
    const auto several = std::ranges::find_if(known, [&](const std::string& other) {
        return other.starts_with(named.name + "@") || other.starts_with(named.name + ".");
    });
    const auto meant = several == known.end() ? nearest(named.name, known) : std::optional(*several);
    diagnostics.error("E0009", named.place,
                      fmt::format("`{}` computes no value `{}`{}", graph, named.name,
                                  meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
}

GivenOrders::GivenOrders(const Function& graph, const GivenFusions& given, Diagnostics& diagnostics)
    : graph_(graph), diagnostics_(diagnostics) {
    const auto lines = given.of_graphs.find(graph.name);
    if (lines == given.of_graphs.end()) return;
    if (lines->second.empty()) return;
    const ValueNames names(graph, *given.sources);
    for (const GivenFusion& line : lines->second) add(line, names);
}

bool GivenOrders::is_movement(OpId op) const { return !computes_tensors(graph_, op) && !gathers_elements(graph_, op); }

void GivenOrders::refuse(const GivenFusion::Named& named, const std::string& why) {
    diagnostics_.error("E0010", named.place, fmt::format("no kernel computes `{}`: it {}", named.name, why));
}

void GivenOrders::add(const GivenFusion& line, const ValueNames& names) {
    std::vector<OpId> ops;
    for (const GivenFusion::Named& named : line.values) {
        const auto op = names.find(named.name);
        if (!op && names.has(named.name)) {
            refuse(named, "is a parameter, or a variable of a loop");
        } else if (!op) {
            refuse_name(named, graph_.name, names.computed(), diagnostics_);
        } else if (is_movement(*op) && !moves_elements(graph_, *op) && !reshapes(graph_, *op)) {
            refuse(named, fmt::format("comes from `{}`", name(graph_.op(*op).kind)));
        } else if (line.kind == GivenFusion::Kind::fuse && !ops.empty() &&
                   graph_.op(*op).parent != graph_.op(ops.front()).parent) {
            diagnostics_.error("E0010", named.place,
                               fmt::format("`{}` and `{}` can not stand in one kernel: an `if` or a loop is between",
                                           line.values.front().name, named.name));
        } else {
            ops.push_back(*op);
        }
    }
    if (ops.size() != line.values.size()) return;
    if (line.kind == GivenFusion::Kind::store) {
        for (const OpId op : ops) orders_.stored.insert(graph_.op(op).results[0]);
        stored_.push_back({&line, std::move(ops)});
        return;
    }
    orders_.together.push_back(ops);
    fused_.push_back({&line, std::move(ops)});
}

void GivenOrders::check(const FormedFusions& formed) {
    for (const RefusedOrder& refused : formed.refused) {
        const Line& line = fused_[refused.order];
        const auto named = [&](OpId op) -> const GivenFusion::Named& {
            return line.given->values[static_cast<size_t>(std::ranges::find(line.ops, op) - line.ops.begin())];
        };
        const GivenFusion::Named& one = named(refused.op);
        diagnostics_.error("E0010", one.place,
                           fmt::format("`{}` can not stand in the kernel of `{}`: {}", one.name,
                                       named(refused.with).name, refused.why));
    }
    std::set<OpId> done;
    for (const FormedFusions::Fused& fused : formed.fused) done.insert(fused.ops.begin(), fused.ops.end());
    for (const std::vector<Line>* lines : {&fused_, &stored_}) {
        for (const Line& line : *lines) {
            for (size_t i = 0; i < line.ops.size(); ++i) {
                if (done.contains(line.ops[i]) || !is_movement(line.ops[i])) continue;
                refuse(line.given->values[i], "has the elements of another tensor, which its takers read");
            }
        }
    }
}

}  // namespace tsr::ir
