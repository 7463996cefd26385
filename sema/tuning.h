// Points of tuning spaces as text.
#pragma once

#include <string>

#include "sema/tables.h"

namespace tsr::sema {

// What the name of a point's instance ends with: ".BM64.stages2"
std::string point_suffix(const TuningPoint& point);

}  // namespace tsr::sema
