#include "ir/core/plan.h"

#include <fmt/format.h>

namespace tsr::ir {

int64_t parts_of(const Plan& plan) {
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
