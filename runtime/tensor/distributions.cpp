// Random integers, truth values and orders; how an element follows from its words stands in abi.h. Functions are
// written out in basic operations, so that the numbers do not depend on the machine's mathematics library.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/random_words.h"

namespace tsr::runtime {

namespace {

// exp(x) for -64 <= x <= 0: the series at x / 256, squared eight times.
double exponential(double x) {
    const double y = x / 256;
    double sum = 1;
    for (int k = 9; k >= 1; --k) sum = 1 + sum * y / k;
    for (int i = 0; i < 8; ++i) sum *= sum;
    return sum;
}

// The probability of `mode`, which is `rate` rounded down. From 16 on by Stirling's series:
// rate^m exp(-rate) / m! = exp(-correction - deviance) / sqrt(2 pi m), deviance = m f((rate - m) / m), f(x) = x - ln(1
// + x).
double mode_probability(double rate, double mode) {
    if (mode < 16) {
        double p = exponential(-rate);
        for (int k = 1; k <= static_cast<int>(mode); ++k) p *= rate / k;
        return p;
    }
    const double x = (rate - mode) / mode;  // below 1/16
    double f = 0;
    for (int k = 16; k >= 2; --k) f = (k % 2 == 0 ? 1.0 : -1.0) / k + x * f;
    const double m2 = mode * mode;
    const double correction = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / m2) / m2) / mode;
    return exponential(-correction - mode * x * x * f) / std::sqrt(6.28318530717958647693 * mode);
}

class PoissonLaw {
public:
    explicit PoissonLaw(double rate) : rate_(rate), mode_(std::floor(rate)), at_mode_(mode_probability(rate, mode_)) {}

    // The value for a uniform number.
    [[nodiscard]] double operator()(double uniform) const {
        double above = mode_, below = mode_;
        double p_above = at_mode_, p_below = at_mode_;
        uniform -= at_mode_;
        while (uniform >= 0) {
            p_above *= rate_ / ++above;
            uniform -= p_above;
            if (uniform < 0) return above;
            if (below > 0) {
                p_below *= below-- / rate_;
                uniform -= p_below;
                if (uniform < 0) return below;
            }
            // What rounding left over belongs to no value.
            if (p_above < 0x1p-70 && (below == 0 || p_below < 0x1p-70)) break;
        }
        return mode_;
    }

private:
    double rate_, mode_, at_mode_;
};

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrTensor* tsr_poisson(int32_t dtype, const int64_t* shape, int32_t rank, double rate, const TsrRandomKey* key,
                       const TsrPlace* place) {
    if (!(rate >= 0 && rate <= 1e9)) fail(place, "poisson() with a rate of %g: it is from 0 to 1e9", rate);
    TensorRef result = make_tensor(dtype, {shape, static_cast<size_t>(rank)}, before_writing(dtype), place);
    ElementWords words(*key);
    const PoissonLaw law(rate);
    for_elements(*result, [&](int64_t index, int64_t offset) {
        const double value = law(static_cast<double>(words.two(index) >> 11) * 0x1p-53);
        write_bits(*result, offset, bits_of(Number::of(value), dtype));
    });
    return result.give();
}

TsrTensor* tsr_bernoulli(const int64_t* shape, int32_t rank, double probability, const TsrRandomKey* key,
                         const TsrPlace* place) {
    if (!(probability >= 0 && probability <= 1)) {
        fail(place, "bernoulli() with a probability of %g: it is from 0 to 1", probability);
    }
    TensorRef result = make_tensor(TSR_BOOL, {shape, static_cast<size_t>(rank)}, before_writing(TSR_BOOL), place);
    ElementWords words(*key);
    for_elements(*result, [&](int64_t index, int64_t offset) {
        const bool holds = static_cast<double>(words.one(index)) * 0x1p-32 < probability;
        write_bits(*result, offset, holds ? 1 : 0);
    });
    return result.give();
}

TsrTensor* tsr_permutation(int32_t dtype, int64_t count, const TsrRandomKey* key, const TsrPlace* place) {
    TensorRef result = make_tensor(dtype, {&count, 1}, before_writing(dtype), place);
    ElementWords words(*key);
    std::vector<std::pair<uint64_t, int64_t>> order(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) order[static_cast<size_t>(i)] = {words.two(i), i};
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < count; ++i) {
        const int64_t number = order[static_cast<size_t>(i)].second;
        const uint64_t stored = bits_of(Number::of(number), dtype);
        if (to_i64(number_of(stored, dtype)) != number) {
            fail(place, "permutation() of %lld elements does not fit in %s", static_cast<long long>(count),
                 std::string(name(dtype)).c_str());
        }
        write_bits(*result, i, stored);
    }
    return result.give();
}
}
