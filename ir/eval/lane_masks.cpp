// Loops over masks and offsets: what lets some lanes touch memory and others not.
#include <cstring>

#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

size_t mask_and(uint8_t* result, const uint8_t* a, const uint8_t* b, size_t n) {
    uint32_t count = 0;
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        const uint8_t both = a[i] & b[i];
        result[i] = both;
        count += both;
    }
    return count;
}

size_t mask_and_not(uint8_t* result, const uint8_t* a, const uint8_t* b, size_t n) {
    uint32_t count = 0;
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        const auto left = static_cast<uint8_t>(a[i] & (b[i] ^ 1));
        result[i] = left;
        count += left;
    }
    return count;
}

template <bool first>
bool advance(int64_t* offsets, const int64_t* index, int64_t base, int64_t stride, int64_t extent, const uint8_t* mask,
             size_t n) {
    const auto end = static_cast<uint64_t>(extent);
    uint8_t outside = 0;
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        // Unsigned: an index that is far outside may wrap, it is not used then.
        const uint64_t step = static_cast<uint64_t>(index[i]) * static_cast<uint64_t>(stride);
        offsets[i] = static_cast<int64_t>(static_cast<uint64_t>(first ? base : offsets[i]) + step);
        outside |= static_cast<uint8_t>(static_cast<uint8_t>(static_cast<uint64_t>(index[i]) >= end) & mask[i]);
    }
    return outside != 0;
}

bool offsets(int64_t* offsets, const int64_t* index, int64_t base, int64_t stride, int64_t extent, const uint8_t* mask,
             size_t n) {
    return advance<true>(offsets, index, base, stride, extent, mask, n);
}
bool add_offsets(int64_t* offsets, const int64_t* index, int64_t stride, int64_t extent, const uint8_t* mask,
                 size_t n) {
    return advance<false>(offsets, index, 0, stride, extent, mask, n);
}

bool consecutive(const int64_t* offsets, size_t n) {
    if (n == 0) return false;
    uint64_t odd = 0;
    for (size_t i = 0; i < n; ++i) {
        odd |= static_cast<uint64_t>(offsets[i]) - static_cast<uint64_t>(offsets[0]) - static_cast<uint64_t>(i);
    }
    return odd == 0;
}

template <typename T>
void gather_elements(void* result, const void* memory, const int64_t* offsets, const uint8_t* mask, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* from = static_cast<const T*>(memory);
    for (size_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? from[offsets[i]] : T{0};
}

template <typename T>
void scatter_elements(void* memory, const void* values, const int64_t* offsets, const uint8_t* mask, size_t n) {
    auto* to = static_cast<T*>(memory);
    const auto* value = static_cast<const T*>(values);
    for (size_t i = 0; i < n; ++i) {
        if (mask[i] != 0) to[offsets[i]] = value[i];
    }
}

void gather(void* result, const void* memory, const int64_t* offsets, const uint8_t* mask, size_t size, size_t n) {
    if (size == 1)
        gather_elements<uint8_t>(result, memory, offsets, mask, n);
    else if (size == 2)
        gather_elements<uint16_t>(result, memory, offsets, mask, n);
    else if (size == 4)
        gather_elements<uint32_t>(result, memory, offsets, mask, n);
    else
        gather_elements<uint64_t>(result, memory, offsets, mask, n);
}

void scatter(void* memory, const void* values, const int64_t* offsets, const uint8_t* mask, size_t size, size_t n) {
    if (size == 1)
        scatter_elements<uint8_t>(memory, values, offsets, mask, n);
    else if (size == 2)
        scatter_elements<uint16_t>(memory, values, offsets, mask, n);
    else if (size == 4)
        scatter_elements<uint32_t>(memory, values, offsets, mask, n);
    else
        scatter_elements<uint64_t>(memory, values, offsets, mask, n);
}

void iota(int64_t* result, int64_t start, int64_t step, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        const uint64_t distance = static_cast<uint64_t>(i) * static_cast<uint64_t>(step);
        result[i] = static_cast<int64_t>(static_cast<uint64_t>(start) + distance);
    }
}

}  // namespace

void set_mask_loops(LaneOps& ops) {
    ops.mask_and = &mask_and;
    ops.mask_and_not = &mask_and_not;
    ops.offsets = &offsets;
    ops.add_offsets = &add_offsets;
    ops.consecutive = &consecutive;
    ops.gather = &gather;
    ops.scatter = &scatter;
    ops.iota = &iota;
}

}  // namespace tsr::ir::eval::TSR_ISA
