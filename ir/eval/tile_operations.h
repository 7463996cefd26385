// What each operation on register tiles does, for both evaluators: one row for each. A way that one of them does not
// know does not compile.
#pragma once

#include "ir/core/total.h"

namespace tsr::ir::eval {

enum class TileWay : uint8_t {
    view,       // loads, stores and atomics of views of memory
    expand,     // scalars and tiles repeated
    iota,       // positions along an axis
    transpose,  // the last two axes swapped
    reduce,     // elements along an axis in one
    scan,       // elements along an axis, each with those before it
    product,    // of matrices
    made_later  // by passes for machines: no evaluator's form has it
};

inline constexpr Row<TileWay> kTileWays[]{
    {OpKind::load_tile, TileWay::view},       {OpKind::store_tile, TileWay::view},
    {OpKind::atomic_tile, TileWay::view},     {OpKind::expand, TileWay::expand},
    {OpKind::tile_iota, TileWay::iota},       {OpKind::transpose, TileWay::transpose},
    {OpKind::reduce, TileWay::reduce},        {OpKind::scan, TileWay::scan},
    {OpKind::mma, TileWay::product},          {OpKind::pack_rows, TileWay::made_later},
    {OpKind::mma_words, TileWay::made_later},
};
inline constexpr Total<kTileWays, kRegisterFamily> kTileWayOf;

}  // namespace tsr::ir::eval
