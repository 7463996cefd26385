#include "ir/passes/graph/explain_fusions.h"

#include <map>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/ops/record.h"
#include "ir/ops/reduction.h"
#include "ir/passes/graph/fused_kernel.h"
#include "ir/passes/graph/gathered_kernel.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/packed_results.h"
#include "ir/passes/graph/product_kernel.h"

namespace tsr::ir {

namespace {

using Fused = FormedFusions::Fused;

std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
    return all;
}

class Explanation {
public:
    Explanation(const Function& graph, const Sources& sources) : graph_(graph), sources_(sources) {}

    std::string of(const FormedFusions& formed) const {
        std::string all = fmt::format("{} ({})", graph_.name, where(graph_.place));
        if (formed.fused.empty()) return all + ": computes nothing by itself\n";
        all += fmt::format(": {} {}\n", formed.fused.size(), formed.fused.size() == 1 ? "fusion" : "fusions");
        for (const Fused& fused : formed.fused) all += of(fused);
        return all;
    }

private:
    std::string of(const Fused& fused) const {
        std::string all = fmt::format("  {}: {}\n", fused.function.name, form(fused));
        for (const auto& [line, names] : by_line(fused)) all += fmt::format("    {}: {}\n", line, joined(names));
        all += fmt::format("    reads {}; writes {}\n", tensors(fused.inputs), tensors(fused.outputs));
        for (const Fused::Apart& apart : fused.apart) {
            all += fmt::format("    apart from {}: {}, {}: {}; {} written and read\n", apart.from,
                               where(graph_.op(apart.op).place), operation(apart.op), apart.why, tensors(apart.taken));
        }
        return all;
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

    std::string operation(OpId id) const {
        const Op& op = graph_.op(id);
        if (op.kind != OpKind::reduce) return std::string(name(op.kind));
        return fmt::format("reduce {}", name(combining(static_cast<ReduceOp>(op.attrs.integer(Attr::op)))));
    }

    // In the order of the program.
    std::vector<std::pair<std::string, std::vector<std::string>>> by_line(const Fused& fused) const {
        std::vector<std::pair<std::string, std::vector<std::string>>> lines;
        for (const OpId id : fused.ops) {
            std::string line = where(graph_.op(id).place);
            if (lines.empty() || lines.back().first != line)
                lines.emplace_back(std::move(line), std::vector<std::string>{});
            lines.back().second.push_back(operation(id));
        }
        return lines;
    }

    std::string tensors(const std::vector<ValueId>& values) const {
        std::vector<std::string> all;
        for (const ValueId v : values) {
            const Type& type = graph_.type(v);
            if (type.kind != TypeKind::tensor) continue;
            const std::string& known = graph_.value(v).name;
            const OpId from = graph_.value(v).op;
            const std::string called = !known.empty() ? known
                                       : from.valid()
                                           ? fmt::format("{} of {}", operation(from), where(graph_.op(from).place))
                                           : std::string("a tensor");
            all.push_back(fmt::format("{} ({} B)", called, bytes_of(type).text()));
        }
        return all.empty() ? "no tensor" : joined(all);
    }

    std::string where(PlaceId place) const { return line_text(graph_, place, sources_); }

    const Function& graph_;
    const Sources& sources_;
};

}  // namespace

std::string explain_fusions(const Function& graph, const FormedFusions& formed, const Sources& sources) {
    return Explanation(graph, sources).of(formed);
}

}  // namespace tsr::ir
