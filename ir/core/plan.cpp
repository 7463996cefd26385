#include "ir/core/plan.h"

#include <fmt/format.h>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

template <typename Part, typename Parts>
auto& part_of(Parts& parts, const std::string& machine, const char* kind) {
    auto* part = std::get_if<Part>(&parts);
    if (part == nullptr) internal_error(fmt::format("the plan for `{}` is read as one for a {}", machine, kind));
    return *part;
}

}  // namespace

const CpuPlan& Plan::cpu() const { return part_of<CpuPlan>(part_, machine, "CPU"); }
CpuPlan& Plan::cpu() { return part_of<CpuPlan>(part_, machine, "CPU"); }
const GpuPlan& Plan::gpu() const { return part_of<GpuPlan>(part_, machine, "GPU"); }
GpuPlan& Plan::gpu() { return part_of<GpuPlan>(part_, machine, "GPU"); }

int64_t parts_of(const GpuPlan& plan) {
    int64_t product = 1;
    for (int64_t parts : plan.parts) product *= parts;
    return product;
}

bool same_tile(const ProductPanel& a, const ProductPanel& b) {
    return a.elem == b.elem && a.tile_rows == b.tile_rows && a.tile_columns == b.tile_columns;
}

std::string spell(const ProductPanel& panel) {
    return fmt::format("{}[{}, {}] {} x {}", name(panel.elem), panel.tile_rows, panel.tile_columns, panel.rows,
                       panel.vectors);
}

}  // namespace tsr::ir
