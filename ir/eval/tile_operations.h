// What each operation on register tiles does, for both evaluators: one row for each. A way that one of them does not
// know does not compile.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ir/core/function.h"
#include "ir/core/total.h"

namespace tsr::ir::eval {

enum class TileWay : uint8_t {
    view,       // loads, stores and atomics of views of memory
    expand,     // scalars and tiles repeated
    iota,       // positions along an axis
    transpose,  // the last two axes swapped
    move,       // elements of the operand in other places
    reduce,     // elements along an axis in one
    scan,       // elements along an axis, each with those before it
    product,    // of matrices
    made_later  // by passes for machines: no evaluator's form has it
};

// Of what gives the elements of its operand in other places: from the coordinates in the result to those in the
// operand, which is of the type.
using Source = void (*)(std::span<size_t> at, const Type& operand, const Attrs& attrs);

inline void source_of_transpose(std::span<size_t> at, const Type&, const Attrs&) {
    std::swap(at[at.size() - 1], at[at.size() - 2]);
}
inline void source_of_flip(std::span<size_t> at, const Type& operand, const Attrs& attrs) {
    const auto axis = static_cast<size_t>(attrs.integer(Attr::axis));
    at[axis] = static_cast<size_t>(*operand.shape[axis].constant_value()) - 1 - at[axis];
}

struct TileRow {
    OpKind kind;
    TileWay way;
    Source source = nullptr;
};
inline constexpr TileRow kTileWays[]{
    {OpKind::load_tile, TileWay::view},
    {OpKind::store_tile, TileWay::view},
    {OpKind::atomic_tile, TileWay::view},
    {OpKind::expand, TileWay::expand},
    {OpKind::tile_iota, TileWay::iota},
    {OpKind::transpose, TileWay::transpose, source_of_transpose},
    {OpKind::flip, TileWay::move, source_of_flip},
    {OpKind::reduce, TileWay::reduce},
    {OpKind::scan, TileWay::scan},
    {OpKind::mma, TileWay::product},
    {OpKind::pack_rows, TileWay::made_later},
    {OpKind::mma_words, TileWay::made_later},
};
inline constexpr Total<kTileWays, kRegisterFamily> kTileWayOf;

// Of each element of the result, in row-major order: the number of the element of the operand.
inline std::vector<uint32_t> sources(const Function& function, const Op& op) {
    const auto extent = [](const Type& tile, size_t axis) {
        return static_cast<size_t>(*tile.shape[axis].constant_value());
    };
    const Type& from = function.type(op.operands.front());
    const Type& to = function.type(op.results[0]);
    size_t elements = 1;
    for (size_t axis = 0; axis < to.rank(); ++axis) elements *= extent(to, axis);
    std::vector<uint32_t> numbers;
    for (size_t element = 0; element < elements; ++element) {
        std::vector<size_t> at(to.rank());
        size_t rest = element;
        for (size_t axis = to.rank(); axis-- > 0; rest /= extent(to, axis)) at[axis] = rest % extent(to, axis);
        kTileWayOf[op.kind].source(at, from, op.attrs);
        size_t number = 0;
        for (size_t axis = 0; axis < from.rank(); ++axis) number = number * extent(from, axis) + at[axis];
        numbers.push_back(static_cast<uint32_t>(number));
    }
    return numbers;
}

}  // namespace tsr::ir::eval
