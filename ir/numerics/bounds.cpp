#include "ir/numerics/bounds.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/numerics/function_bounds.h"
#include "ir/ops/graph.h"

namespace tsr::ir {

std::string explain_bounds(const Module& module, const Sources& sources) {
    std::string all;
    std::map<std::string, double> units;
    std::set<std::string> told;  // points of a tuned kernel compute the same
    for (const Function& function : module.functions) {
        const bool graph = function.level == Level::graph && !function.name.ends_with(kDifferentiabilityCheck);
        if (!graph && !function.is_kernel) continue;
        if (is_library_text(sources, function.span().file)) continue;
        if (function.kernel.point && !told.insert(function.kernel.point->kernel).second) continue;
        all += (all.empty() ? "" : "\n") + FunctionBounds(function, sources).run(units);
    }
    if (all.empty()) return "no operator graphs and no kernels\n";
    if (units.empty()) return all;
    all += "\nTo first order, where nothing overflows or underflows; γ(n, T) = n u(T) / (1 - n u(T)).\n";
    for (const auto& [type, unit] : units) all += fmt::format("u({}) = {:.3g}\n", type, unit);
    return all;
}

}  // namespace tsr::ir
