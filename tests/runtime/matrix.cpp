// Products by the matrix unit, where this processor has one, against plain sums.
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/abi.h"

namespace {

constexpr uint64_t kTiles = TSR_CPU_AMX_TILE | TSR_CPU_AMX_BF16 | TSR_CPU_AMX_INT8;

float from_bf16(uint16_t bits) {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

// Elements of b in panels of 32 columns, `per_word` rows to a word.
template <typename T>
std::vector<T> in_panels(const std::vector<T>& b, int64_t k, int64_t n) {
    constexpr int64_t kPerWord = 4 / sizeof(T);
    const int64_t panels = (n + 31) / 32;
    std::vector<T> out(static_cast<size_t>(panels * 32 * k));
    for (int64_t row = 0; row < k; ++row) {
        for (int64_t column = 0; column < n; ++column) {
            const int64_t word = (column / 32 * (k / kPerWord) + row / kPerWord) * 32 + column % 32;
            out[static_cast<size_t>(word * kPerWord + row % kPerWord)] = b[static_cast<size_t>(row * n + column)];
        }
    }
    return out;
}

template <typename T, typename U, typename Sum, typename A, typename B>
void check_product(TsrProduct* product, A a_value, B b_value) {
    std::mt19937 random(7);
    constexpr int64_t kSizes[][3] = {{64, 64, 64}, {1, 1, 64}, {17, 33, 128}, {47, 48, 64}, {33, 20, 192}};
    for (const auto& [m, n, k] : kSizes) {
        std::vector<T> a(static_cast<size_t>(m * k));
        std::vector<U> b(static_cast<size_t>(k * n));
        for (T& v : a) v = static_cast<T>(random());
        for (U& v : b) v = static_cast<U>(random());
        if constexpr (sizeof(T) == 2) {  // small whole numbers: every sum is exact
            for (T& v : a) v = v % 2 != 0 ? 0x3F80 : 0xC040;
            for (U& v : b) v = v % 2 != 0 ? 0x4000 : 0xBF80;
        }
        const int64_t row = (n + 15) / 16 * 16;
        for (const auto& [from_zero, stored] : {std::pair(true, false), {false, false}, {true, true}, {false, true}}) {
            std::vector<Sum> c(static_cast<size_t>(m * row), Sum{3});
            const int64_t to_row = row + 5;
            std::vector<Sum> to(static_cast<size_t>(m * to_row), Sum{4});
            const auto packed = in_panels(b, k, n);
            product(a.data(), packed.data(), c.data(), k * static_cast<int64_t>(sizeof(T)),
                    k * 32 * static_cast<int64_t>(sizeof(T)), row * 4, m, n, k * static_cast<int64_t>(sizeof(T)),
                    from_zero ? 1 : 0, to.data(), to_row * 4, stored ? 1 : 0);
            bool same = true;
            for (int64_t i = 0; i < m; ++i) {
                for (int64_t j = 0; j < n; ++j) {
                    Sum sum = from_zero ? Sum{0} : Sum{3};
                    for (int64_t at = 0; at < k; ++at) {
                        sum +=
                            a_value(a[static_cast<size_t>(i * k + at)]) * b_value(b[static_cast<size_t>(at * n + j)]);
                    }
                    const Sum in_c = c[static_cast<size_t>(i * row + j)];
                    const Sum in_to = to[static_cast<size_t>(i * to_row + j)];
                    same = same && (stored ? in_to == sum && in_c == Sum{3} : in_c == sum && in_to == Sum{4});
                }
                for (int64_t j = row; j < to_row; ++j) same = same && to[static_cast<size_t>(i * to_row + j)] == Sum{4};
            }
            CHECK_MESSAGE(same, m << " x " << n << " x " << k << (from_zero ? " from zero" : "")
                                  << (stored ? " stored elsewhere" : ""));
        }
    }
}

}  // namespace

TEST_CASE("products of the matrix unit are what plain sums are") {
    if ((tsr_cpu_features() & kTiles) != kTiles) {
        MESSAGE("skipped: this processor has no matrix unit");
        return;
    }
    auto whole = [](auto v) { return static_cast<int32_t>(v); };
    check_product<uint16_t, uint16_t, float>(tsr_product_bf16, from_bf16, from_bf16);
    check_product<int8_t, int8_t, int32_t>(tsr_product_i8_i8, whole, whole);
    check_product<int8_t, uint8_t, int32_t>(tsr_product_i8_u8, whole, whole);
    check_product<uint8_t, int8_t, int32_t>(tsr_product_u8_i8, whole, whole);
    check_product<uint8_t, uint8_t, int32_t>(tsr_product_u8_u8, whole, whole);
}
