// Memory that tensors leave to others: the same block comes again, zeros are zeros.
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "helpers.h"
#include "runtime/tensor/kept_pages.h"

namespace tsr::runtime::tests {

namespace {

TensorRef floats(int64_t count) { return TensorRef(tsr_empty(TSR_F32, &count, 1, nullptr)); }

}  // namespace

TEST_CASE("what a large tensor leaves the next one of its size gets") {
    constexpr int64_t kCount = 1 << 20;
    const void* first = nullptr;
    {
        const TensorRef x = floats(kCount);
        first = x->dl.data;
        static_cast<float*>(x->dl.data)[kCount - 1] = 7;
    }
    const int64_t kept = kept_bytes();
    CHECK(kept >= kCount * 4);
    const TensorRef again = floats(kCount - 100);
    CHECK(again->dl.data == first);
    CHECK(kept_bytes() <= kept - kCount * 4);
    // Another size has memory of its own.
    const TensorRef other = floats(kCount * 2);
    CHECK(other->dl.data != first);
}

TEST_CASE("zeros are zeros in memory that was used before") {
    constexpr int64_t kCount = 100'000;
    {
        const TensorRef x = floats(kCount);
        std::memset(x->dl.data, 1, kCount * 4);
    }
    const TensorRef zeros(tsr_zeros(TSR_F32, &kCount, 1, nullptr));
    const auto* data = static_cast<const float*>(zeros->dl.data);
    int64_t wrong = 0;
    for (int64_t i = 0; i < kCount; ++i) wrong += data[i] != 0;
    CHECK(wrong == 0);
}

TEST_CASE("blocks are aligned and begin at different places of a page") {
    limit_kept_bytes(limit_kept_bytes(0));  // new blocks, none that was kept
    std::vector<TensorRef> all;
    for (int i = 0; i < 4; ++i) all.push_back(floats(2 << 20));
    for (const TensorRef& x : all) {
        const auto at = reinterpret_cast<uintptr_t>(x->dl.data);
        CHECK(at % 64 == 0);
        for (const TensorRef& y : all) {
            if (x.get() != y.get()) CHECK(at % 4096 != reinterpret_cast<uintptr_t>(y->dl.data) % 4096);
        }
    }
}

TEST_CASE("a limit of what is kept: the block that waits longest goes") {
    constexpr int64_t kMiB = 1 << 20;
    const int64_t before = limit_kept_bytes(0);
    CHECK(kept_bytes() == 0);
    (void)floats(kMiB);
    CHECK(kept_bytes() == 0);
    limit_kept_bytes(7 * kMiB);
    const void* last = nullptr;
    for (const int64_t count : {kMiB, kMiB / 2, kMiB / 4}) {
        const TensorRef x = floats(count);
        last = x->dl.data;
    }
    CHECK(kept_bytes() > 2 * kMiB);
    CHECK(kept_bytes() <= 7 * kMiB);
    const TensorRef x = floats(kMiB / 4);
    CHECK(x->dl.data == last);
    limit_kept_bytes(before);
}

}  // namespace tsr::runtime::tests
