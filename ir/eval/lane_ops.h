// The loops over lanes: one element operation on arrays of one element type, for every operation and type.
// They are compiled once per instruction set; `lane_ops` chooses the best that this machine runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "ir/core/opkind.h"

namespace tsr::ir::eval {

// result[i] = op(a[i], b[i], c[i]) for i < n. `result` may be one of the operands, but not overlap one otherwise.
// Elements stand as `stored_size` says; packed types take a byte each.
using LaneFn = void (*)(void* result, const void* a, const void* b, const void* c, size_t n);

struct ProductSize {
    size_t rows = 0, columns = 0, inner = 0;
};
// result[i, j] becomes result[i, j] + a[i, k] * b[k, j] for each k in order, product and sum rounded once together
// (floats) or wrapping. All three are dense and row-major; `scratch` has `kPanelBytes` for each k.
using ProductFn = void (*)(void* result, const void* a, const void* b, void* scratch, const ProductSize& size);
inline constexpr size_t kPanelBytes = 128;

struct LaneOps {
    // The operation on operands of `type`; null where the operation does not take it, or has no exact result: those
    // within a bound are expanded into these first.
    LaneFn (*element)(OpKind op, DType type);
    LaneFn (*cast)(DType from, DType to);  // null to and from c64
    // `cut` and `dither` of floats to the values of a narrower type; null where there are none.
    LaneFn (*rounding)(OpKind op, DType from, DType to);
    LaneFn nearest_tf32;  // an f32 to 11 bits of significand, to nearest, halves away from zero
    // result[i] = a[0] for i < n, elements of 1, 2, 4 or 8 bytes.
    LaneFn (*fill)(size_t size);
    // result[i] = c[i] ? a[i] : b[i], c an array of bools.
    LaneFn (*blend)(size_t size);

    // result[i] = b[a[i] & c[0]]: elements of 1, 2, 4 or 8 bytes at integers of 1, 2, 4 or 8, c one of 8.
    LaneFn (*table)(size_t index_size, size_t size);

    // result = a and b (a and not b); gives the number of true ones.
    size_t (*mask_and)(uint8_t* result, const uint8_t* a, const uint8_t* b, size_t n);
    size_t (*mask_and_not)(uint8_t* result, const uint8_t* a, const uint8_t* b, size_t n);

    // offsets[i] = base + index[i] * stride (add: offsets[i] += …). True when the index of a lane with mask[i] is
    // outside [0, extent).
    bool (*offsets)(int64_t* offsets, const int64_t* index, int64_t base, int64_t stride, int64_t extent,
                    const uint8_t* mask, size_t n);
    bool (*add_offsets)(int64_t* offsets, const int64_t* index, int64_t stride, int64_t extent, const uint8_t* mask,
                        size_t n);
    bool (*consecutive)(const int64_t* offsets, size_t n);  // offsets[i] == offsets[0] + i
    // result[i] = memory[offsets[i]] where mask[i], elsewhere 0; memory is not touched there.
    void (*gather)(void* result, const void* memory, const int64_t* offsets, const uint8_t* mask, size_t size,
                   size_t n);
    // In lane order: of two lanes with one offset the later one stays.
    void (*scatter)(void* memory, const void* values, const int64_t* offsets, const uint8_t* mask, size_t size,
                    size_t n);
    // result[i] = start + i * step.
    void (*iota)(int64_t* result, int64_t start, int64_t step, size_t n);

    // a and b as elements of `factor`, which is f32, f64 or i32; null where it does not widen to such a sum.
    ProductFn (*product)(DType factor, DType sum);
    // result[j, i] = from[i, j], elements of 1, 2, 4 or 8 bytes.
    void (*transpose)(void* result, const void* from, size_t size, size_t rows, size_t columns);
    // result[i * to] = from[i * step] for i < n.
    void (*copy_strided)(void* result, int64_t to, const void* from, int64_t step, size_t size, size_t n);
};

const LaneOps& lane_ops();

// Bytes of one element in lanes, scalars and buffers: bool and types of fewer than 8 bits take one.
size_t stored_size(DType type);

// The tables by instruction set.
namespace baseline {
const LaneOps& lane_ops();
}
namespace avx2 {
const LaneOps& lane_ops();
}
namespace avx512 {
const LaneOps& lane_ops();
}

}  // namespace tsr::ir::eval
