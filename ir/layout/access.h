// What accesses through a layout cost: how many elements one access moves, and conflicts between banks.
#pragma once

#include <vector>

#include "ir/layout/layout.h"

namespace tsr::ir {

// One access of a thread moves 2^bits elements that follow each other in memory.
struct VectorAccess {
    int bits = 0;
    // registers[i][j]: the register of an atom that holds element j of access i.
    std::vector<std::vector<int64_t>> registers;
    [[nodiscard]] int64_t width() const { return int64_t{1} << bits; }
};

// The widest accesses of at most 2^max_bits elements for a map from (register, lane, warp, group) to (offset): those
// registers hold consecutive elements, and begin at multiples of their number, in every thread.
VectorAccess vector_access(const LinearMap& to_offset, int max_bits);
// The offset in memory of the atom's own extents, the last axis innermost: what an access to rows of larger memory
// looks like as far as it stays in a row, in the lowest `out_bits` of the last axis.
LinearMap row_offsets(const LinearMap& atom);

// Shared memory has 32 banks of 4 bytes. An access of 8 bytes is served by half warps, one of 16 bytes by quarter warps
// (CUDA C++ Programming Guide, "Shared Memory" of compute capabilities 5.x and later); within one, different words
// of one bank take a wavefront each. The number of wavefronts of one access of a warp, for elements of `bytes` bytes,
// 2^vector_bits of them at once.
int64_t wavefronts(const LinearMap& to_offset, int bytes, int vector_bits);

}  // namespace tsr::ir
