// Tuned kernels on their way to code: which points launches name, and which of them are compiled.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/options.h"
#include "ir/pipeline.h"

namespace tsr::driver {

// The kernels that are points of a launch.
std::set<std::string> launched_points(const ir::Module& module);

// What tells the code of a kernel from that of another: its tasks without their names.
std::string code_text(const std::vector<ir::CpuVariant>& variants);

// The points that launches of host functions name together, each list once. `code` is the text of each kernel's code:
// of kernels with the same the first one stands for all.
// `known`: records of winners, of any kernels.
std::vector<codegen::Tuning> tunings_of(const ir::Module& module, const std::map<std::string, std::string>& code,
                                        const std::string& known, const Options& options);

}  // namespace tsr::driver
