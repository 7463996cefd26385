#include "ir/passes/graph/explain_fusions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/ops/record.h"
#include "ir/passes/graph/fused_kernel.h"
#include "ir/passes/graph/fusion_decisions.h"
#include "ir/passes/graph/gathered_kernel.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/packed_results.h"
#include "ir/passes/graph/product_kernel.h"
#include "ir/passes/graph/value_names.h"

namespace tsr::ir {

namespace {

using Fused = FormedFusions::Fused;

std::string joined(const std::vector<std::string>& parts, std::string_view between = ", ") {
    return fmt::format("{}", fmt::join(parts, between));
}

class Explanation {
public:
    Explanation(const Function& graph, const FormedFusions& formed, const Sources& sources, const GpuMachine& machine)
        : graph_(graph),
          formed_(formed),
          sources_(sources),
          machine_(machine),
          names_(graph, sources),
          costs_(graph, machine),
          decisions_(fusion_decisions(graph, formed, machine)) {}

    std::string text() const {
        std::string all = fmt::format("{} ({})", graph_.name, where(graph_.place));
        if (formed_.fused.empty()) return all + ": computes nothing by itself\n";
        all += fmt::format(": {} {}; {}\n", formed_.fused.size(), formed_.fused.size() == 1 ? "fusion" : "fusions",
                           conditions());
        for (size_t number = 0; number < formed_.fused.size(); ++number) all += text_of(number);
        return all;
    }

    std::string plans() const {
        std::string all = fmt::format("graph @{}\n  # {}; {}\n", graph_.name, where(graph_.place), conditions());
        for (size_t number = 0; number < formed_.fused.size(); ++number) all += plan_of(number);
        return all;
    }

private:
    std::string conditions() const {
        return fmt::format("times on {} where each dimension is {}", machine_.name, kExampleExtent);
    }

    std::string text_of(size_t number) const {
        const Fused& fused = formed_.fused[number];
        std::string all = fmt::format("  {}: {}\n", fused.function.name, form(fused));
        for (const auto& [line, names] : by_line(fused)) all += fmt::format("    {}: {}\n", line, joined(names));
        all += fmt::format("    reads {}; writes {}\n", tensors(fused.inputs), tensors(fused.outputs));
        if (const auto time = time_of(fused)) all += fmt::format("    takes {}\n", time->text());
        for (const FusionDecision& decision : decisions_) {
            if (decision.to != number) continue;
            if (decision.fused()) {
                all += fmt::format("    fused {}{}\n", members(decision), gain(decision, ": "));
                continue;
            }
            const OpId op = decision.takers.front();
            all +=
                fmt::format("    apart from {}: {}, {}: {}; {} written and read{}\n",
                            formed_.fused[decision.from].function.name, where(graph_.op(op).place),
                            operation_text(graph_, op), decision.why, tensors(decision.values), gain(decision, "; "));
        }
        return all;
    }

    std::string plan_of(size_t number) const {
        const Fused& fused = formed_.fused[number];
        std::vector<std::string> held;
        for (const OpId id : fused.ops) held.push_back(name_of(id));
        std::string all = fmt::format("  region {}: {}\n    # {}\n", fused.function.name, joined(held), form(fused));
        if (const auto time = time_of(fused)) all += fmt::format("    # {}\n", time->text());
        std::set<ValueId> taken_inside;
        for (const FusionDecision& decision : decisions_) {
            if (decision.to != number || !decision.fused()) continue;
            taken_inside.insert(decision.values.front());
            all += fmt::format("    fuse {}{}\n", members(decision), gain(decision, "  # "));
        }
        for (const ValueId v : fused.outputs) {
            for (const FusionDecision& decision : decisions_) {
                if (decision.from != number || decision.fused()) continue;
                if (std::ranges::find(decision.values, v) == decision.values.end()) continue;
                const std::string why =
                    fmt::format("{}, {}: {}{}", formed_.fused[decision.to].function.name,
                                name_of(decision.takers.front()), decision.why, gain(decision, "; "));
                // What one taker has in its own kernel is no order for all of them; nor is what can not be otherwise.
                const bool order = !decision.must && !taken_inside.contains(v);
                all += order ? fmt::format("    store {}  # {}\n", names_.of(v), why)
                             : fmt::format("    # {} is stored for {}\n", names_.of(v), why);
            }
        }
        return all;
    }

    const std::string& name_of(OpId op) const { return names_.of(graph_.op(op).results[0]); }

    // "h + exp@4 + mul@4"
    std::string members(const FusionDecision& decision) const {
        std::vector<std::string> all{names_.of(decision.values.front())};
        for (const OpId op : decision.takers) all.push_back(name_of(op));
        return joined(all, " + ");
    }

    // "saves 7.9 µs: 43.3 µs in one kernel, 51.2 µs in two, which move 8*m*n B more".
    static std::string gain(const FusionDecision& decision, std::string_view before) {
        const std::string bytes = decision.bytes_less.text();
        const bool known = decision.one && decision.two;
        const std::string moved = decision.bytes_less == Dim() ? std::string()
                                  : decision.fused()           ? fmt::format(", which move {} B more", bytes)
                                                               : fmt::format(", which would move {} B less", bytes);
        if (!known) return moved.empty() ? moved : fmt::format("{}two kernels{}", before, moved);
        const std::string one = microseconds(*decision.one), two = microseconds(*decision.two);
        const double saved = decision.fused() ? *decision.two - *decision.one : *decision.one - *decision.two;
        const auto told =
            fmt::format("{}{} {}: ", before, saved < 0 ? "costs" : "saves", microseconds(saved < 0 ? -saved : saved));
        if (decision.fused()) return fmt::format("{}{} in one kernel, {} in two{}", told, one, two, moved);
        return fmt::format("{}{} in two kernels, {} in one{}", told, two, one, moved);
    }

    std::optional<KernelTime> time_of(const Fused& fused) const {
        return costs_.time(fused.ops, costs_.cost(fused.ops));
    }

    // How the kernel goes through the elements.
    static std::string form(const Fused& fused) {
        const Function& fn = fused.function;
        if (product_in(fn).valid()) return "a product, by blocks of its result";
        if (const OpId alone = alone_in(fn); alone.valid())
            return fmt::format("`{}`, which has kernels of its own", name(fn.op(alone).kind));
        if (packs_codes(fn)) return "codes of a byte each, packed by pieces of rows";
        if (gathers(fn)) return "elements that are found by their position, one by one";
        const FusedAxes axes = fused_axes(fn);
        switch (row_work(fn, axes)) {
            case RowWork::block:
                return fmt::format("elements, by blocks of {} x {}: a tensor has its axes in another order", kBlock,
                                   kBlock);
            case RowWork::lane:
                if (!axes.axis) return "elements, one by one";
                return "sums and their kin along an axis, a tile for each row";
            case RowWork::group:
                return "sums and their kin along the last axis, a thread block for each row";
            case RowWork::chunks:
                return fmt::format("sums and their kin of all elements, a thread block for {} of them", kChunk);
        }
        __builtin_unreachable();
    }

    // In the order of the program.
    std::vector<std::pair<std::string, std::vector<std::string>>> by_line(const Fused& fused) const {
        std::vector<std::pair<std::string, std::vector<std::string>>> lines;
        for (const OpId id : fused.ops) {
            std::string line = where(graph_.op(id).place);
            if (lines.empty() || lines.back().first != line)
                lines.emplace_back(std::move(line), std::vector<std::string>{});
            lines.back().second.push_back(operation_text(graph_, id));
        }
        return lines;
    }

    std::string tensors(const std::vector<ValueId>& values) const {
        std::vector<std::string> all;
        for (const ValueId v : values) {
            const Type& type = graph_.type(v);
            if (type.kind != TypeKind::tensor) continue;
            all.push_back(fmt::format("{} ({} B)", names_.of(v), bytes_of(type).text()));
        }
        return all.empty() ? "no tensor" : joined(all);
    }

    std::string where(PlaceId place) const { return line_text(graph_, place, sources_); }

    const Function& graph_;
    const FormedFusions& formed_;
    const Sources& sources_;
    const GpuMachine& machine_;
    ValueNames names_;
    PartCosts costs_;
    std::vector<FusionDecision> decisions_;
};

}  // namespace

std::string explain_fusions(const Function& graph, const FormedFusions& formed, const Sources& sources,
                            const GpuMachine& machine) {
    return Explanation(graph, formed, sources, machine).text();
}

std::string fusion_plans(const Function& graph, const FormedFusions& formed, const Sources& sources,
                         const GpuMachine& machine) {
    return Explanation(graph, formed, sources, machine).plans();
}

}  // namespace tsr::ir
