// What the instructions on register tiles are given: shapes, places, loops. A tile stands in the frame as a dense array
// of its elements, row-major; being the group's it has one place, not one per lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/core/attribute.h"
#include "ir/eval/lane_ops.h"

namespace tsr::ir::eval {

using Slot = uint32_t;  // a byte offset in the frame

// A view of memory with a tile's shape.
struct TileViewData {
    uint32_t view = 0;
    std::vector<Slot> starts;    // 64 bits, one per axis of the memory
    std::vector<int64_t> axes;   // the tile's axis i runs along the memory's axis axes[i]
    std::vector<int64_t> shape;  // of the tile
    size_t elements = 0;
    DType elem = DType::f32;
    size_t size = 0;  // bytes of an element in the frame
    Slot tile = 0;
    Slot fill = 0;  // of a load: what stands outside
    AtomicOp atomic = AtomicOp::exchange;
    LaneFn combine = nullptr;  // of an atomic: new = combine(old, value); null: the value itself
};

// Nested loops over the result, the outermost first. Where `repeats`, all rounds give the same.
struct ExpandData {
    struct Loop {
        size_t extent = 1;
        size_t inner = 1;  // elements that one round gives
        size_t step = 0;   // elements of the operand from round to round
        [[nodiscard]] bool repeats() const { return step == 0; }
    };
    std::vector<Loop> loops;
    size_t size = 0;
};

// A tile as [outer, length, inner]: an operation goes along `length`.
struct AlongData {
    size_t outer = 1, length = 1, inner = 1;
    size_t size = 0;
    DType elem = DType::f32;
    LaneFn combine = nullptr;
    Slot turned =
        0;  // room for the operand as [length, outer, inner], where loops over `inner` would be short; 0: none
};

// Elements in other places: of each element of the result the operand's, by its number.
struct MoveData {
    std::vector<uint32_t> sources;
    size_t size = 0;  // bytes of an element
};

// One operand of a product.
struct FactorData {
    bool buffer = false;
    uint32_t view = 0;  // of a buffer
    Slot tile = 0;
    bool transposed = false;
    size_t rows = 0, columns = 0;  // as it stands there
    DType elem = DType::f32;
    LaneFn round = nullptr;  // before they are widened; none where they stay
    Slot rounded = 0;        // room for it
    LaneFn widen = nullptr;
    Slot wide = 0;    // room for the widened elements, where that changes them
    Slot turned = 0;  // room for the transposed ones
};

struct ProductData {
    FactorData a, b;
    Slot accumulator = 0;  // 0: zeros
    DType sum = DType::f32;
    size_t factor_size = 0;
    ProductSize size;
    ProductFn run = nullptr;
    Slot scratch = 0;
};

struct TileTables {
    std::vector<TileViewData> views;
    std::vector<ExpandData> expands;
    std::vector<AlongData> alongs;
    std::vector<MoveData> moves;
    std::vector<ProductData> products;
};

}  // namespace tsr::ir::eval
