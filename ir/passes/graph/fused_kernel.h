// One fused function as the program of one tile.
//
// Without a combined axis every element is a round of a grid loop. With one the kernel goes over rows, a row being all
// positions along that axis. A row is done in phases, one behind the other: what needs the sum of the row stands in a
// later phase than the sum.
#pragma once

#include <limits>
#include <vector>

#include "ir/core/function.h"
#include "ir/passes/graph/fused_axes.h"

namespace tsr::ir {

// What does a row.
enum class RowWork : uint8_t {
    lane,    // one tile does it, element after element; without a combined axis one element
    block,   // no row: the group does a block of kBlock x kBlock elements with register tiles
    group,   // the group does it with register tiles
    chunks,  // as many groups as it has chunks of kChunk elements: they give partial results, one for each chunk
};
inline constexpr int64_t kChunk = 1 << 16;
inline constexpr int64_t kBlock = 64;
inline constexpr int64_t kShortRow = 32;  // rows with fewer elements are done by one tile each
inline constexpr int64_t kAnyLength = std::numeric_limits<int64_t>::max();  // of a row

// Elements of the register tiles in which a group goes through rows. A CPU keeps a sum of so few in vector registers;
// on a GPU each thread has some elements.
inline constexpr int64_t kRowTileOnCpu = 64;
inline constexpr int64_t kRowTile = 512;  // of GPUs, and of kernels for every machine

struct RowTile {
    int64_t width = kRowTile;
    bool holds = false;  // a tile has a whole row, which is no longer; else rows are done in pieces
    int64_t rows = 1;    // that a tile holds
};

struct FusedKernel {
    Function kernel;  // its parameters: those of the fused function without dimensions, then a tensor for each result
    // Shapes that the launch gives the tensors, over the symbols of the fused function; a scalar has none, its result
    // one element.
    std::vector<std::vector<Dim>> shapes;
    std::vector<Dim> symbols;  // what each symbol of the kernel is

    // Makes it a kernel of the fused function's place, still without parameters and body.
    void begin(const Function& fused, bool names_group);
    // An extent of the fused function in the kernel's own symbols.
    Dim renamed(const Dim& extent);
    // A parameter whose shape is given over the symbols of the fused function.
    ValueId add_parameter(const Type& type, bool mut, const std::string& name);
};

FusedKernel fused_kernel(const Function& fused, const FusedAxes& axes, RowWork work, RowTile tile = {});

// What does its rows: a tile where rows are shorter than kShortRow or their axis is not the last, and where nothing is
// combined, unless there are blocks.
RowWork row_work(const Function& fused, const FusedAxes& axes);

// Of a function that combines nothing: the joined axes that its blocks are taken from, the last one that is not short
// and another one that a tensor has behind it. Empty where no tensor has, or where the extents or the elements do not
// suit blocks.
std::vector<size_t> block_axes(const Function& fused, const FusedAxes& axes);

// Whether its results are single elements that a whole tensor is combined to, and nothing else depends on them: chunks
// can do it.
bool divides_into_chunks(const Function& fused, const FusedAxes& axes);

}  // namespace tsr::ir
