#include "sema/program/tuning_points.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::sema {

std::string point_text(const TuningPoint& point) {
    std::string text;
    for (const auto& [name, value] : point)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.text());
    return text;
}

std::string point_suffix(const TuningPoint& point) {
    std::string suffix;
    for (const auto& [name, value] : point) {
        suffix += "." + name;
        for (const char c : value.text()) suffix += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return suffix;
}

std::vector<PointGroup> points_by_extents(const Program& program, const Instance& header) {
    std::vector<PointGroup> groups;
    const auto& dimensions = header.kernel.tuned_dimensions;
    for (const InstanceId id : header.points) {
        std::vector<int64_t> extents;
        for (const auto& [name, value] : program.instance(id).kernel.tuning) {
            if (std::ranges::find(dimensions, name) != dimensions.end()) extents.push_back(value.integer().value_or(0));
        }
        auto found = std::ranges::find(groups, extents, &PointGroup::extents);
        if (found == groups.end()) found = groups.insert(groups.end(), {extents, {}});
        found->points.push_back(id);
    }
    return groups;
}

}  // namespace tsr::sema
