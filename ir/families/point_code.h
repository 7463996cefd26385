// Points of tuned kernels: which of them launches name, and what tells their code from that of another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/pipeline.h"

namespace tsr::ir {

// The points that launches of host functions name together, each list once.
std::vector<std::vector<std::string>> points_named_together(const Module& module);
// The kernels that are points of a launch, each with the first one of the points it stands beside.
std::map<std::string, std::string> launched_points(const Module& module);

// The text of a kernel in group form without its name and, unless they count, without the stages that it asks for: only
// GPUs have them.
std::string form_text(const Function& kernel, bool with_stages);

// What is known of a point when it has been lowered to the machines.
struct PointCode {
    std::string text;     // tells its code from that of another: its tasks without their names
    int64_t scratch = 0;  // bytes that a worker needs at most
};
// `threads`: its code for GPUs, as far as points are told apart by it.
PointCode point_code(const std::vector<CpuVariant>& variants, const std::vector<Function>& threads);

}  // namespace tsr::ir
