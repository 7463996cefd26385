// Points of tuning spaces: as text, and by the dimensions that they are for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

// "BM=64, stages=2"
std::string point_text(const TuningPoint& point);
// What the name of a point's instance ends with: ".BM64.stages2"
std::string point_suffix(const TuningPoint& point);

// Points that differ in nothing but parameters that are measured: those for the same extents of the header's tuned
// dimensions. All points in one group where it has none.
struct PointGroup {
    std::vector<int64_t> extents;
    std::vector<InstanceId> points;
};
std::vector<PointGroup> points_by_extents(const Program& program, const Instance& header);

}  // namespace tsr::sema
