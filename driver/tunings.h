// Tuned kernels on their way to code: which points launches name, and which of them are compiled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/options.h"
#include "ir/pipeline.h"

namespace tsr::driver {

// The kernels that are points of a launch, each with the first one of the points it stands beside.
std::map<std::string, std::string> launched_points(const ir::Module& module);

// The text of a kernel in group form without its name and, unless they count, without the stages that it asks for: only
// GPUs have them.
std::string form_text(const ir::Function& kernel, bool with_stages);

// What is known of a point when it has been lowered to the machines.
struct PointCode {
    std::string text;     // tells its code from that of another: its tasks without their names
    int64_t scratch = 0;  // bytes that a worker needs at most
};
// `threads`: its code for GPUs, as far as points are told apart by it.
PointCode point_code(const std::vector<ir::CpuVariant>& variants, const std::vector<ir::Function>& threads);

// The points that launches of host functions name together, each list once. Of points with the same code the first one
// stands for all; one whose workers need far more memory than a cache has, and than another's, is left out. `known`:
// records of winners, of any kernels.
std::vector<codegen::Tuning> tunings_of(const ir::Module& module, const std::map<std::string, PointCode>& code,
                                        const std::string& known, const Options& options);

}  // namespace tsr::driver
