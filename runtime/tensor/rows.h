// Walks the elements of a shape in row-major order, a row of the last axis at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/abi.h"

namespace tsr::runtime {

// Where a row starts in each of N operands, counted in elements.
template <size_t N>
using Offsets = std::array<int64_t, N>;

// Calls visit(Offsets<N> starts, int64_t length, Offsets<N> steps). Each operand has one stride per axis of `shape`.
// Rank 0 is one row of one element; a size of 0 makes no row.
template <size_t N, typename Visit>
void for_rows(std::span<const int64_t> shape, const std::array<const int64_t*, N>& strides, Visit visit) {
    size_t rank = shape.size();
    for (int64_t extent : shape) {
        if (extent == 0) return;
    }
    Offsets<N> starts{};
    Offsets<N> steps{};
    if (rank == 0) {
        visit(starts, int64_t{1}, steps);
        return;
    }
    size_t last = rank - 1;
    for (size_t k = 0; k < N; ++k) steps[k] = strides[k][last];
    std::array<int64_t, TSR_MAX_RANK> index{};
    while (true) {
        visit(starts, shape[last], steps);
        size_t axis = last;
        while (axis-- > 0) {
            for (size_t k = 0; k < N; ++k) starts[k] += strides[k][axis];
            if (++index[axis] < shape[axis]) break;
            for (size_t k = 0; k < N; ++k) starts[k] -= strides[k][axis] * shape[axis];
            index[axis] = 0;
            if (axis == 0) return;
        }
        if (last == 0) return;
    }
}

}  // namespace tsr::runtime
