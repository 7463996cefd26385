// Random truth values and orders; how an element follows from its words stands in abi.h.
#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/random_words.h"

using namespace tsr::runtime;

extern "C" {

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
