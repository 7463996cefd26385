// Whole tensors compared.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/home.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

bool equal_elements(const TsrTensor& a, const TsrTensor& b, Offsets<2> at) {
    uint64_t x = read_bits(a, at[0]), y = read_bits(b, at[1]);
    if (family(a.dtype) != Family::floating && family(a.dtype) != Family::scale && a.dtype != TSR_C64) return x == y;
    Number p = number_of(x, a.dtype), q = number_of(y, b.dtype);
    return p.floating == q.floating && p.imaginary == q.imaginary;
}

// |a - b| <= atol + rtol * |b|; infinities are near only themselves.
bool near(const Number& a, const Number& b, double rtol, double atol, bool nan_equal) {
    double x = to_f64(a), y = to_f64(b);
    if (std::isnan(x) || std::isnan(y)) return nan_equal && std::isnan(x) && std::isnan(y);
    if (x == y && a.imaginary == b.imaginary) return true;
    if (std::isinf(x) || std::isinf(y)) return false;
    double difference = std::hypot(x - y, double{a.imaginary} - double{b.imaginary});
    return difference <= atol + rtol * std::hypot(y, double{b.imaginary});
}

// The shape both broadcast to.
Shape joined_shape(const TsrTensor& a, const TsrTensor& b, std::array<int64_t, TSR_MAX_RANK>& shape) {
    int32_t rank = std::max(a.dl.ndim, b.dl.ndim);
    for (int32_t axis = 0; axis < rank; ++axis) {
        auto extent = [&](const TsrTensor& t) {
            int32_t own = axis - (rank - t.dl.ndim);
            return own < 0 ? 1 : t.shape[own];
        };
        shape[static_cast<size_t>(axis)] = extent(a) == 1 ? extent(b) : extent(a);
    }
    return {shape.data(), static_cast<size_t>(rank)};
}

template <typename Same>
bool all_of_elements(const TsrTensor& a, const TsrTensor& b, Same same) {
    bool all = true;
    for_rows<2>(shape(a), {a.strides, b.strides}, [&](Offsets<2> start, int64_t length, Offsets<2> step) {
        for (int64_t i = 0; all && i < length; ++i) {
            all = same(Offsets<2>{start[0] + i * step[0], start[1] + i * step[1]});
        }
    });
    return all;
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

int32_t tsr_equal(const TsrTensor* a, const TsrTensor* b) {
    read_at_home(*a);
    read_at_home(*b);
    if (!same_storage(a->dtype, b->dtype) || !std::ranges::equal(shape(*a), shape(*b))) return 0;
    return all_of_elements(*a, *b, [&](Offsets<2> at) { return equal_elements(*a, *b, at); });
}

int32_t tsr_allclose(const TsrTensor* a, const TsrTensor* b, double rtol, double atol, int32_t nan_equal,
                     const TsrPlace* place) {
    read_at_home(*a);
    read_at_home(*b);
    std::array<int64_t, TSR_MAX_RANK> extents{};
    Shape joined = joined_shape(*a, *b, extents);
    TensorRef x(tsr_broadcast_to(a, joined.data(), static_cast<int32_t>(joined.size()), place));
    TensorRef y(tsr_broadcast_to(b, joined.data(), static_cast<int32_t>(joined.size()), place));
    return all_of_elements(*x, *y, [&](Offsets<2> at) {
        return near(number_of(read_bits(*x, at[0]), x->dtype), number_of(read_bits(*y, at[1]), y->dtype), rtol, atol,
                    nan_equal != 0);
    });
}
}
