#include "ir/passes/graph/value_names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/ops/record.h"
#include "ir/ops/reduction.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/fusions.h"

namespace tsr::ir {

namespace {

std::string without_blanks(std::string text) {
    std::ranges::replace(text, ' ', '_');
    return text;
}

// A sum that keeps its axis is named where the axis is put back.
std::string program_name(const Function& graph, ValueId value, const std::vector<std::vector<OpId>>& uses) {
    if (const std::string& own = graph.value(value).name; !own.empty()) return own;
    const std::vector<OpId>& users = uses[value.index];
    if (users.size() != 1 || graph.op(users.front()).kind != OpKind::expand) return {};
    return graph.value(graph.op(users.front()).results[0]).name;
}

std::string at_line(const Function& graph, OpId op, const std::string& name, const Sources& sources) {
    const std::string line = op.valid() ? line_text(graph, graph.op(op).place, sources) : std::string();
    return line.starts_with("line ") ? fmt::format("{}@{}", name, line.substr(5)) : name;
}

}  // namespace

ValueNames::ValueNames(const Function& graph, const Sources& sources) : graph_(graph) {
    std::vector<std::vector<OpId>> uses(graph.value_count());
    std::vector<ValueId> all(graph.params().begin(), graph.params().end());
    for_each_op(graph, graph.body, [&](OpId id) {
        for (const ValueId v : graph.op(id).operands) uses[v.index].push_back(id);
        for (const RegionId below : graph.op(id).regions) {
            for (const ValueId v : graph.region(below).args) all.push_back(v);
        }
        for (const ValueId v : graph.op(id).results) all.push_back(v);
    });
    const auto counts = [&](ValueId v) {
        const OpId op = graph.value(v).op;
        return !op.valid() || computes_tensors(graph, op) || gathers_elements(graph, op);
    };
    std::map<ValueId, std::string> known;
    std::map<std::string, size_t> owners;
    for (const ValueId v : all) {
        known[v] = program_name(graph, v, uses);
        if (!known[v].empty() && counts(v)) ++owners[known[v]];
    }
    for (const bool computed : {true, false}) {  // what moves elements takes the names that are left
        for (const ValueId v : all) {
            if (counts(v) != computed) continue;
            const OpId op = graph.value(v).op;
            std::string name = known[v];
            if (name.empty()) name = op.valid() ? without_blanks(operation_text(graph, op)) : "a tensor";
            const bool alone = !known[v].empty() && owners[name] < 2 && !values_.contains(name);
            if (!alone) name = at_line(graph, op, name, sources);
            std::string fresh = name;
            for (size_t number = 2; !values_.emplace(fresh, v).second; ++number)
                fresh = fmt::format("{}.{}", name, number);
            names_[v] = fresh;
        }
    }
}

std::optional<OpId> ValueNames::find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const OpId op = graph_.value(found->second).op;
    return op.valid() ? std::optional(op) : std::nullopt;
}

std::vector<std::string> ValueNames::computed() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : values_) {
        const OpId op = graph_.value(value).op;
        if (op.valid() && (computes_tensors(graph_, op) || gathers_elements(graph_, op))) all.push_back(name);
    }
    return all;
}

std::string operation_text(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    if (op.kind != OpKind::reduce) return std::string(name(op.kind));
    return fmt::format("reduce {}", name(combining(static_cast<ReduceOp>(op.attrs.integer(Attr::op)))));
}

}  // namespace tsr::ir
