#include "ir/passes/target/cpu/tiles/homes.h"

#include <algorithm>

namespace tsr::ir {

std::vector<int64_t> home_strides(const Type& tile, int64_t lanes) {
    std::vector<int64_t> strides(tile.rank());
    const int64_t vector = std::max(lanes, lanes * 32 / bits(tile.elem));
    int64_t elements = 1;
    for (size_t axis = tile.rank(); axis-- > 0;) {
        strides[axis] = elements;
        const int64_t extent = *tile.shape[axis].constant_value();
        elements *= extent;
        if (axis + 1 < tile.rank() || tile.rank() == 1) continue;
        elements = padded(extent, vector);
        const int64_t bytes = elements * ((bits(tile.elem) + 7) / 8);
        if (bytes >= 256 && (bytes & (bytes - 1)) == 0) elements += padded(kCacheLine * 8 / bits(tile.elem), vector);
    }
    return strides;
}

}  // namespace tsr::ir
