// Tuned kernels on their way to code: which of the points that launches name are compiled.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "driver/options.h"
#include "ir/families/point_code.h"

namespace tsr::driver {

// The points that launches of host functions name together, each list once. Of points with the same code the first one
// stands for all; one whose workers need far more memory than a cache has, and than another's, is left out. `known`:
// records of winners, of any kernels.
std::vector<codegen::Tuning> tunings_of(const ir::Module& module, const std::map<std::string, ir::PointCode>& code,
                                        const std::string& known, const Options& options);

}  // namespace tsr::driver
