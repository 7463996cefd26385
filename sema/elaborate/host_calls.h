// Calls in graphs of functions that run on the host, and what a call in a graph gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What symbols of the callee are where it is called; one that is missing is itself.
using Dims = std::map<std::string, ir::Dim>;

// The types of what the instance gives, leaf by leaf, with the extents of the caller.
std::vector<ir::Type> results_in_caller(const sema::Instance& of, const Dims& dims);

// In a graph: whether symbols of it say the extent; of an expression's graph, those of the host function around it too.
[[nodiscard]] bool is_known_extent(Body& b, const ir::Dim& extent);

// In a graph: calls a function of the host between the graph's kernels. Extents of its results that only the run knows
// become symbols of the graph, bound behind the call.
std::vector<ir::ValueId> call_of_host(Body& b, const sema::Instance& callee, std::vector<ir::ValueId> arguments,
                                      const Dims& dims);

}  // namespace tsr::elaborate
