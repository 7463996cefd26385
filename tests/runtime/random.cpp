// Philox against the known answers of its authors; what the random tensors promise.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "helpers.h"

namespace tsr::runtime::tests {

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
    struct Known {
        std::array<uint32_t, 4> counter;
        std::array<uint32_t, 2> key;
        std::array<uint32_t, 4> out;
    };
    const Known known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const Known& k : known) {
        std::array<uint32_t, 4> out{};
        tsr_philox4x32_10(k.counter.data(), k.key.data(), out.data());
        CHECK(out == k.out);
    }
}

TEST_CASE("keys count the runs of a site, and begin again with a new seed") {
    tsr_set_seed(5);
    TsrRandomKey a, b, c, d;
    tsr_next_key(3, nullptr, &a);
    tsr_next_key(3, nullptr, &b);
    tsr_next_key(4, nullptr, &c);
    CHECK(a.seed == 5);
    CHECK(a.count == 0);
    CHECK(b.count == 1);
    CHECK(c.count == 0);
    uint64_t own = 9;
    tsr_next_key(4, &own, &d);
    CHECK(d.seed == 9);
    tsr_set_seed(5);
    tsr_next_key(3, nullptr, &b);
    CHECK(b.count == 0);
}

TEST_CASE("rand and randn follow their formula word by word") {
    TsrRandomKey key{0x123456789abcdef0, 7, 2};
    int64_t shape[] = {3, 3};
    auto word = [&](uint32_t number) {
        uint32_t counter[] = {number / 4, 0, key.count, key.site};
        uint32_t half[] = {0x9abcdef0, 0x12345678}, out[4];
        tsr_philox4x32_10(counter, half, out);
        return out[number % 4];
    };
    TensorRef uniform(tsr_rand(TSR_F32, shape, 2, &key, nullptr));
    TensorRef normal(tsr_randn(TSR_F32, shape, 2, &key, nullptr));
    for (uint32_t i = 0; i < 9; ++i) {
        CHECK(static_cast<float*>(uniform->dl.data)[i] == static_cast<float>(word(i) >> 8) * 0x1p-24f);
        double u = (static_cast<double>(word(i & ~1u)) + 1) * 0x1p-32, v = static_cast<double>(word(i | 1u)) * 0x1p-32;
        double angle = 2 * M_PI * v;
        double expected = std::sqrt(-2 * std::log(u)) * (i % 2 ? std::sin(angle) : std::cos(angle));
        CHECK(static_cast<float*>(normal->dl.data)[i] == doctest::Approx(expected).epsilon(1e-7));
    }
}

TEST_CASE("randn in f64 agrees with the mathematics library to the last digits") {
    TsrRandomKey key{11, 1, 0};
    int64_t count = 20000;
    TensorRef normal(tsr_randn(TSR_F64, &count, 1, &key, nullptr));
    double sum = 0, squares = 0;
    auto word = [&](uint64_t number) {
        uint32_t counter[] = {static_cast<uint32_t>(number / 4), 0, 0, 1};
        uint32_t half[] = {11, 0}, out[4];
        tsr_philox4x32_10(counter, half, out);
        return uint64_t{out[number % 4]};
    };
    for (int64_t i = 0; i < count; ++i) {
        double value = static_cast<double*>(normal->dl.data)[i];
        sum += value;
        squares += value * value;
        auto even = static_cast<uint64_t>(i - i % 2);
        uint64_t a = word(2 * even) << 32 | word(2 * even + 1), b = word(2 * even + 2) << 32 | word(2 * even + 3);
        double r = std::sqrt(-2 * std::log(static_cast<double>((a >> 11) + 1) * 0x1p-53));
        double angle = 2 * M_PI * (static_cast<double>(b >> 11) * 0x1p-53);
        double expected = r * (i % 2 ? std::sin(angle) : std::cos(angle));
        REQUIRE(std::fabs(value - expected) <= 4e-15 * (1 + r));
    }
    CHECK(std::fabs(sum / static_cast<double>(count)) < 0.03);
    CHECK(std::fabs(squares / static_cast<double>(count) - 1) < 0.05);
}

TEST_CASE("rand stays below one in every format, randint within its range") {
    TsrRandomKey key{1, 1, 1};
    int64_t count = 10000;
    for (int32_t dtype : {TSR_F64, TSR_F32, TSR_F16, TSR_BF16}) {
        TensorRef t(tsr_rand(dtype, &count, 1, &key, nullptr));
        for (double value : values(*t)) REQUIRE((value >= 0 && value < 1));
    }
    TensorRef t(tsr_randint(TSR_I32, &count, 1, -3, 4, &key, nullptr));
    int seen[7] = {};
    for (double value : values(*t)) {
        REQUIRE((value >= -3 && value <= 3));
        ++seen[static_cast<int>(value) + 3];
    }
    for (int n : seen) CHECK(n > count / 9);
    TensorRef wide(tsr_randint(TSR_I64, &count, 1, INT64_MIN, INT64_MAX, &key, nullptr));
    CHECK(failure([&] { tsr_randint(TSR_I32, &count, 1, 4, 4, &key, nullptr); }) ==
          "randint(4, 4) has no numbers to choose from");
    CHECK(failure([&] { tsr_randn(TSR_I32, &count, 1, &key, nullptr); }).starts_with("randn makes f64"));
}

}  // namespace tsr::runtime::tests
