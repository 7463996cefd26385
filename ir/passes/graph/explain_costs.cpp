#include "ir/passes/graph/explain_costs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/machine/memory_rate.h"
#include "ir/ops/effects.h"
#include "ir/ops/graph.h"
#include "ir/ops/record.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

// A multiply-add for each choice of the letters.
Dim of_product(const Function& graph, OpId id) {
    const ContractOp op(graph, id);
    const ContractOp::Letters letters = op.letters();
    std::map<char, Dim> extents;
    const auto add = [&](std::string_view names, const Type& type) {
        for (size_t i = 0; i < names.size(); ++i) extents.emplace(names[i], type.shape[i]);
    };
    add(letters.a, graph.type(op.a()));
    add(letters.b, graph.type(op.b()));
    Dim count = Dim::constant(2);
    for (const auto& [letter, extent] : extents) count = count * extent;
    return count;
}

Dim operations_of(const Function& graph, OpId id) {
    const Op& op = graph.op(id);
    if (op.kind == OpKind::contract) return of_product(graph, id);
    const bool along_axis = op.kind == OpKind::reduce || takes_whole_tensors(op.kind);
    const Cost cost = record(op.kind).cost;
    return element_count(graph.type(along_axis ? op.operands.front() : op.results[0]).shape) *
           Dim::constant(cost == Cost::unsaid ? 1 : instructions(cost));
}

Dim bytes_of_all(const Function& graph, const std::vector<ValueId>& values) {
    Dim bytes;
    for (const ValueId v : values) {
        if (graph.type(v).kind == TypeKind::tensor) bytes = bytes + bytes_of(graph.type(v));
    }
    return bytes;
}

// Operations that a multiprocessor does in a cycle of what the function does most: products of 16 bits or fewer by the
// fastest unit for them, all else by threads. Two for each multiply-add.
double arithmetic_rate(const Function& graph, const std::vector<OpId>& ops, const GpuMachine& machine) {
    double rate = machine.rates.of_threads;
    for (const OpId id : ops) {
        if (graph.op(id).kind != OpKind::contract) continue;
        const DType factor = graph.type(ContractOp(graph, id).a()).elem;
        if (bits(factor) <= 16) rate = std::max({rate, machine.rates.of_groups, machine.rates.of_warps});
    }
    return 2 * rate;
}

// Where each dimension is 1024.
std::optional<double> example_of(const Dim& count) {
    const auto known = count.evaluate([](const std::string&) { return std::optional(kExampleExtent); });
    return known ? std::optional(static_cast<double>(*known)) : std::nullopt;
}

std::optional<double> intensity(const FusionCost& cost) {
    const auto did = example_of(cost.operations), moved = example_of(cost.bytes);
    if (!did || !moved || *moved <= 0) return std::nullopt;
    return *did / *moved;
}

// "2.15 G": three digits, and the unit's prefix.
std::string scaled(double number) {
    constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t prefix = 0;
    for (; number >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) number /= 1000;
    return fmt::format("{:.3g} {}", number, kPrefixes[prefix]);
}

}  // namespace

FusionCost cost_of(const Function& graph, const FormedFusions::Fused& fused) {
    FusionCost cost;
    for (const OpId id : fused.ops) cost.operations = cost.operations + operations_of(graph, id);
    cost.bytes = bytes_of_all(graph, fused.inputs) + bytes_of_all(graph, fused.outputs);
    return cost;
}

PartCosts::PartCosts(const Function& graph, const GpuMachine& machine)
    : graph_(graph), machine_(machine), uses_(graph.value_count()) {
    for_each_op(graph, graph.body, [&](OpId id) {
        for (const ValueId v : graph.op(id).operands) uses_[v.index].push_back(id);
    });
}

bool PartCosts::leaves(ValueId v, const std::set<OpId>& ops) const {
    return std::ranges::any_of(uses_[v.index], [&](OpId user) {
        if (ops.contains(user)) return false;
        return !moves_elements(graph_, user) || leaves(graph_.op(user).results[0], ops);
    });
}

FusionCost PartCosts::cost(const std::vector<OpId>& ops) const {
    const std::set<OpId> inside(ops.begin(), ops.end());
    std::set<ValueId> moved;
    FusionCost cost;
    for (const OpId id : ops) {
        cost.operations = cost.operations + operations_of(graph_, id);
        for (const AxisMap& source : sources_of(graph_, id)) {
            const OpId from = graph_.value(source.base).op;
            const bool there = !from.valid() || !(inside.contains(from) || graph_.op(from).kind == OpKind::positions);
            if (there) moved.insert(source.base);
        }
        for (const ValueId v : graph_.op(id).results) {
            if (leaves(v, inside)) moved.insert(v);
        }
    }
    cost.bytes = bytes_of_all(graph_, {moved.begin(), moved.end()});
    return cost;
}

double KernelTime::seconds() const { return std::max(operations / operation_rate, bytes / byte_rate) + kLaunchSeconds; }

std::string KernelTime::text() const {
    return fmt::format("{}: {}op at {}op/s, {}B at {}B/s, {} for the launch", microseconds(seconds()),
                       scaled(operations), scaled(operation_rate), scaled(bytes), scaled(byte_rate),
                       microseconds(kLaunchSeconds));
}

std::optional<KernelTime> PartCosts::time(const std::vector<OpId>& ops, const FusionCost& cost) const {
    const auto did = example_of(cost.operations), moved = example_of(cost.bytes);
    const GpuCard* card = card_of(machine_);
    if (!did || !moved || card == nullptr) return std::nullopt;
    const double cycles = card->multiprocessors * card->gigahertz * 1e9;
    return KernelTime{.operations = *did,
                      .operation_rate = arithmetic_rate(graph_, ops, machine_) * cycles,
                      .bytes = *moved,
                      .byte_rate = card->gigabytes * 1e9};
}

std::string microseconds(double seconds) { return fmt::format("{:.4g} µs", seconds * 1e6); }

std::string intensity_text(const FusionCost& cost) {
    const auto operations = intensity(cost);
    if (!operations) return {};
    return fmt::format("{:.3g} operations for a byte{}", *operations,
                       cost.bytes.symbols().empty() ? "" : fmt::format(" where each dimension is {}", kExampleExtent));
}

std::string limit_text(const Function& graph, const FormedFusions::Fused& fused, const GpuMachine& machine) {
    const auto operations = intensity(cost_of(graph, fused));
    const double memory = memory_rate(machine);
    if (!operations || memory == 0) return {};
    const double share = *operations * memory / arithmetic_rate(graph, fused.ops, machine);
    if (share >= 1) return fmt::format("arithmetic limits it on {}", machine.name);
    return fmt::format("memory limits it to {:.2g} % of the arithmetic of {}", 100 * share, machine.name);
}

std::string explain_costs(const Function& graph, const FormedFusions& formed, const Sources& sources,
                          const GpuMachine& machine) {
    std::string all = fmt::format("{} ({}){}\n", graph.name, line_text(graph, graph.place, sources),
                                  formed.fused.empty() ? ": computes nothing by itself" : "");
    for (const FormedFusions::Fused& fused : formed.fused) {
        const FusionCost cost = cost_of(graph, fused);
        const std::string intensity = intensity_text(cost);
        const std::string limit = limit_text(graph, fused, machine);
        all +=
            fmt::format("  {}: {} operations, {} B{}{}{}{}\n", fused.function.name, cost.operations.text(),
                        cost.bytes.text(), intensity.empty() ? "" : "; ", intensity, limit.empty() ? "" : "; ", limit);
    }
    return all;
}

}  // namespace tsr::ir
