#include "sema/elaborate/host_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/bound_dim.h"
#include "sema/elaborate/graph_expressions.h"
#include "sema/elaborate/trees.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Instance;

namespace {

ir::Type in_caller(ir::Type type, const Dims& dims) {
    type.mut = false;
    for (ir::Dim& extent : type.shape) extent = extent.substitute(dims);
    return type;
}

// An axis of a result whose extent only the run knows.
struct OpenExtent {
    size_t result;
    size_t axis;
    ir::Dim symbol;
};

// Gives each of them a symbol of the function.
std::vector<OpenExtent> name_open_extents(Body& b, std::vector<ir::Type>& results) {
    std::vector<OpenExtent> open;
    for (size_t i = 0; i < results.size(); ++i) {
        for (size_t axis = 0; axis < results[i].rank(); ++axis) {
            if (!is_known_extent(b, results[i].shape[axis])) open.push_back({i, axis, {}});
        }
    }
    for (OpenExtent& one : open) {
        one.symbol = ir::make_symbol(b.function(), "extent");
        results[one.result].shape[one.axis] = one.symbol;
    }
    return open;
}

}  // namespace

bool is_known_extent(Body& b, const ir::Dim& extent) {
    return std::ranges::all_of(extent.symbols(), [&](const std::string& name) {
        const std::vector<std::string>& symbols = b.function().symbols;
        if (std::ranges::find(symbols, name) != symbols.end()) return true;
        if (!b.operands) return false;
        const std::vector<sema::SymbolInfo>& of_host = b.operands->host.instance().symbols;
        return std::ranges::find(of_host, name, &sema::SymbolInfo::name) != of_host.end();
    });
}

std::vector<ir::Type> results_in_caller(const Instance& of, const Dims& dims) {
    std::vector<ir::Type> results;
    tree_types(of.result, results);
    for (ir::Type& type : results) type = in_caller(type, dims);
    return results;
}

std::vector<ValueId> call_of_host(Body& b, const Instance& callee, std::vector<ValueId> arguments, const Dims& dims) {
    std::vector<ir::Type> results = results_in_caller(callee, dims);
    const std::vector<OpenExtent> open = name_open_extents(b, results);
    if (!open.empty() && b.emit.region() != b.function().body) {
        b.error("E0601", b.emit.span(),
                fmt::format(
                    "`{}`, which gives extents that only the run knows, is not compiled yet in an `if` or loop of a "
                    "graph function that only the run decides",
                    b.program.function(callee.function).name));
    }
    const ir::OpId op = b.emit.op_giving(OpKind::call, std::move(arguments), results, {{Attr::callee, callee.name}});
    const std::vector<ValueId> given = b.function().op(op).results;
    for (const OpenExtent& one : open) {
        const ValueId extent =
            b.emit.inferred(OpKind::shape_of, {given[one.result]}, {{Attr::axis, static_cast<int64_t>(one.axis)}});
        b.emit.inferred(OpKind::dim, {extent}, {{Attr::dim, one.symbol}});
        b.late_symbols.emplace(one.symbol.symbol_name().value(), extent);
    }
    return given;
}

}  // namespace tsr::elaborate
