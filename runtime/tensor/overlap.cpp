#include "runtime/tensor/overlap.h"

#include <numeric>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

// Positions of bits, relative to address 0; memory of a process ends at 2^47 bytes.
struct Extent {
    int64_t first, last;
};

int64_t first_bit(const TsrTensor& t) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(t.dl.data)) * 8 + t.phase * bits(t.dtype);
}

Extent extent(const TsrTensor& t) {
    Extent e{first_bit(t), first_bit(t)};
    for (int32_t axis = 0; axis < t.dl.ndim; ++axis) {
        int64_t span = (t.shape[axis] - 1) * t.strides[axis] * bits(t.dtype);
        (span < 0 ? e.first : e.last) += span;
    }
    e.last += bits(t.dtype) - 1;
    return e;
}

// All positions of t are first_bit(t) modulo this (0: there is one position).
int64_t modulus(const TsrTensor& t) {
    int64_t result = 0;
    for (int32_t axis = 0; axis < t.dl.ndim; ++axis) {
        if (t.shape[axis] > 1) result = std::gcd(result, t.strides[axis] * bits(t.dtype));
    }
    return result;
}

// Two views of one tensor, as slices make them: same strides. They meet where the sum over the axes of shift * stride
// is the distance of their first elements; an axis that leaves no shift, or one outside both, keeps them apart.
bool separate_by_axis(const TsrTensor& a, const TsrTensor& b) {
    if (a.dtype != b.dtype || a.dl.ndim != b.dl.ndim || a.dl.ndim == 0) return false;
    int64_t rest = (first_bit(b) - first_bit(a)) / bits(a.dtype);
    for (int32_t axis = 0; axis < a.dl.ndim; ++axis) {
        if (a.strides[axis] <= 0 || b.strides[axis] != a.strides[axis]) return false;
    }
    for (int32_t axis = 0; axis < a.dl.ndim; ++axis) {
        int64_t stride = a.strides[axis];
        int64_t below_a = 0, below_b = 0;
        for (int32_t inner = axis + 1; inner < a.dl.ndim; ++inner) {
            below_a += (a.shape[inner] - 1) * a.strides[inner];
            below_b += (b.shape[inner] - 1) * b.strides[inner];
        }
        // More than one shift here, and nothing is said: the strides are not those of a dense tensor.
        int64_t low = rest - below_a, high = rest + below_b;
        auto floor_div = [](int64_t x, int64_t y) { return x / y - (x % y != 0 && x < 0 ? 1 : 0); };
        int64_t first = -floor_div(-low, stride), last = floor_div(high, stride);
        if (first > last) return true;
        if (first != last) return false;
        if (first >= a.shape[axis] || -first >= b.shape[axis]) return true;
        rest -= first * stride;
    }
    return rest != 0;
}

}  // namespace

Overlap overlap(const TsrTensor& a, const TsrTensor& b) {
    if (size(a) == 0 || size(b) == 0) return Overlap::none;
    Extent ea = extent(a), eb = extent(b);
    if (ea.last < eb.first || eb.last < ea.first) return Overlap::none;
    if (a.dtype == b.dtype) {
        int64_t m = std::gcd(modulus(a), modulus(b));
        int64_t distance = first_bit(b) - first_bit(a);
        if (m == 0 ? distance != 0 : distance % m != 0) return Overlap::none;
        if (separate_by_axis(a, b)) return Overlap::none;
    }
    return Overlap::some;
}

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" void tsr_check_overlap(const char* function, const TsrTensor* a, const char* name_a, const TsrTensor* b,
                                  const char* name_b, const TsrPlace* place) {
    if (overlap(*a, *b) == Overlap::none) return;
    fail(place, "%s: argument `%s` is written and shares memory with argument `%s`; pass a copy of one of them",
         function, name_a, name_b);
}
