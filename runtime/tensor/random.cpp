// Random tensors; how a number follows from its key stands in abi.h. Every function used is written out here in basic
// operations, so that the numbers do not depend on the machine's mathematics library.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/tensor/random_counts.h"
#include "runtime/tensor/random_words.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

// ln(x) for 0 < x <= 1: x = m 2^e with sqrt(1/2) <= m < sqrt(2), ln m = 2 artanh((m - 1) / (m + 1)).
double natural_logarithm(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    double s = (m - 1) / (m + 1);
    double s2 = s * s;
    constexpr double kOddReciprocals[] = {1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                                          1.0 / 13, 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    double sum = 0;
    for (double reciprocal : kOddReciprocals) sum = (sum + reciprocal) * s2;
    return static_cast<double>(exponent) * 0.69314718055994530942 + 2 * (s + s * sum);
}

struct SineCosine {
    double sine, cosine;
};

// Of 2 pi v, 0 <= v < 1: quarter turns are taken off exactly, the rest is within pi/4 and summed by Taylor's series.
SineCosine turn(double v) {
    double quarters = std::floor(v * 4 + 0.5);
    double x = (v - quarters / 4) * 6.28318530717958647693;
    double x2 = x * x;
    // 1 / (k (k - 1)): from one term of the series to the next.
    constexpr double kSine[] = {1.0 / 342, 1.0 / 272, 1.0 / 210, 1.0 / 156, 1.0 / 110,
                                1.0 / 72,  1.0 / 42,  1.0 / 20,  1.0 / 6};
    constexpr double kCosine[] = {1.0 / 306, 1.0 / 240, 1.0 / 182, 1.0 / 132, 1.0 / 90,
                                  1.0 / 56,  1.0 / 30,  1.0 / 12,  1.0 / 2};
    double sine = 0, cosine = 0;
    for (double factor : kSine) sine = (1 - sine) * x2 * factor;
    for (double factor : kCosine) cosine = (1 - cosine) * x2 * factor;
    sine = x * (1 - sine);
    cosine = 1 - cosine;
    switch (static_cast<int>(quarters) % 4) {
        case 1:
            return {cosine, -sine};
        case 2:
            return {-sine, -cosine};
        case 3:
            return {-cosine, sine};
        default:
            return {sine, cosine};
    }
}

// As many digits as the type has, below 1.
class Uniforms {
public:
    Uniforms(const TsrRandomKey& key, int32_t dtype)
        : words_(key),
          two_words_(dtype == TSR_F64),
          digits_(float_format(dtype).digits),
          unit_(std::ldexp(1.0, -digits_)) {}

    double operator()(int64_t element) {
        const uint64_t digits =
            two_words_ ? words_.two(element) >> (64 - digits_) : words_.one(element) >> (32 - digits_);
        return static_cast<double>(digits) * unit_;
    }

private:
    ElementWords words_;
    bool two_words_;
    int digits_;
    double unit_;
};

// Normal numbers come in pairs; elements are asked for in order, so the second one of a pair is at hand.
class Normals {
public:
    Normals(const TsrRandomKey& key, int32_t dtype) : words_(key), dtype_(dtype) {}

    double operator()(int64_t element) {
        int64_t even = element - element % 2;
        if (even != pair_) make(even);
        return element == even ? first_ : second_;
    }

private:
    void make(int64_t even) {
        double u = 0, v = 0;
        if (dtype_ == TSR_F64) {
            u = static_cast<double>((words_.two(even) >> 11) + 1) * 0x1p-53;
            v = static_cast<double>(words_.two(even + 1) >> 11) * 0x1p-53;
        } else {
            u = (static_cast<double>(words_.one(even)) + 1) * 0x1p-32;
            v = static_cast<double>(words_.one(even + 1)) * 0x1p-32;
        }
        double r = std::sqrt(-2 * natural_logarithm(u));
        SineCosine direction = turn(v);
        first_ = r * direction.cosine;
        second_ = r * direction.sine;
        pair_ = even;
    }

    ElementWords words_;
    int32_t dtype_;
    int64_t pair_ = -1;
    double first_ = 0, second_ = 0;
};

// value(index) gives an element.
template <typename Value>
TensorRef random_floats(int32_t dtype, const int64_t* shape, int32_t rank, const char* function, Value value,
                        const TsrPlace* place) {
    if (dtype != TSR_F64 && dtype != TSR_F32 && dtype != TSR_F16 && dtype != TSR_BF16) {
        fail(place, "%s makes f64, f32, f16 or bf16, not %s", function, std::string(name(dtype)).c_str());
    }
    TensorRef result = make_tensor(dtype, {shape, static_cast<size_t>(rank)}, Contents::undefined, place);
    if (dtype == TSR_F32) {
        for_elements(*result, [&](int64_t index, int64_t offset) {
            write_bits(*result, offset, std::bit_cast<uint32_t>(static_cast<float>(value(index))));
        });
    } else {
        for_elements(*result, [&](int64_t index, int64_t offset) {
            write_bits(*result, offset, bits_of(Number::of(value(index)), dtype));
        });
    }
    return result;
}

// floor(word * range / 2^bits) by the upper half of the product; range 0 stands for 2^64.
uint64_t scale_word(ElementWords& words, int64_t element, uint64_t range) {
    if (range != 0 && range <= uint64_t{1} << 32) return words.one(element) * range >> 32;
    uint64_t word = words.two(element);
    if (range == 0) return word;
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(word) * range >> 64);
}

// How often each site has run; sites are few.
struct Seeds {
    uint64_t seed = 0;
    std::unordered_map<uint32_t, uint32_t> counts;
};

Seeds& seeds() {
    static auto* instance = new Seeds;
    return *instance;
}

}  // namespace

std::string random_counts() {
    const std::map<uint32_t, uint32_t> sorted(seeds().counts.begin(), seeds().counts.end());
    std::string all;
    for (const auto& [site, count] : sorted) all += text("%s%u:%u", all.empty() ? "" : " ", site, count);
    return all;
}

bool set_random_counts(std::string_view text) {
    std::unordered_map<uint32_t, uint32_t> counts;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        uint32_t site = 0, count = 0;
        const auto number = std::from_chars(at, end, site);
        if (number.ec != std::errc() || number.ptr == end || *number.ptr != ':') return false;
        const auto times = std::from_chars(number.ptr + 1, end, count);
        if (times.ec != std::errc() || !counts.emplace(site, count).second) return false;
        at = times.ptr;
        if (at == end) break;
        if (*at != ' ' || at + 1 == end) return false;
        ++at;
    }
    seeds().counts = std::move(counts);
    return true;
}

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

uint64_t tsr_seed(void) { return seeds().seed; }

void tsr_set_seed(uint64_t seed) {
    seeds().seed = seed;
    seeds().counts.clear();
}

void tsr_next_key(uint32_t site, const uint64_t* seed, TsrRandomKey* key) {
    *key = {seed != nullptr ? *seed : seeds().seed, site, seeds().counts[site]++};
}

uint64_t tsr_random_stream(int32_t site) {
    TsrRandomKey key{};
    tsr_next_key(static_cast<uint32_t>(site), nullptr, &key);
    return static_cast<uint64_t>(key.site) << 32 | key.count;
}

TsrTensor* tsr_rand(int32_t dtype, const int64_t* shape, int32_t rank, const TsrRandomKey* key, const TsrPlace* place) {
    return random_floats(dtype, shape, rank, "rand", Uniforms(*key, dtype), place).give();
}

TsrTensor* tsr_randn(int32_t dtype, const int64_t* shape, int32_t rank, const TsrRandomKey* key,
                     const TsrPlace* place) {
    return random_floats(dtype, shape, rank, "randn", Normals(*key, dtype), place).give();
}

TsrTensor* tsr_randint(int32_t dtype, const int64_t* shape, int32_t rank, int64_t low, int64_t high,
                       const TsrRandomKey* key, const TsrPlace* place) {
    if (low >= high) {
        fail(place, "randint(%lld, %lld) has no numbers to choose from", static_cast<long long>(low),
             static_cast<long long>(high));
    }
    TensorRef result = make_tensor(dtype, {shape, static_cast<size_t>(rank)}, before_writing(dtype), place);
    ElementWords words(*key);
    uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    for_elements(*result, [&](int64_t index, int64_t offset) {
        auto value = static_cast<int64_t>(static_cast<uint64_t>(low) + scale_word(words, index, range));
        write_bits(*result, offset, bits_of(Number::of(value), dtype));
    });
    return result.give();
}
}
