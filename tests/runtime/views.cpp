// Views, copies and assignments against what Python's own slices and NumPy's rules give.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <doctest/doctest.h>

#include "helpers.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/overlap.h"

namespace tsr::runtime::tests {

namespace {

TsrIndexItem integer(int64_t i) { return {TSR_INDEX_INTEGER, 0, i, 0, 0}; }
TsrIndexItem slice(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t> step = {}) {
    int given = (start ? 1 : 0) | (stop ? 2 : 0) | (step ? 4 : 0);
    return {TSR_INDEX_SLICE, given, start.value_or(0), stop.value_or(0), step.value_or(0)};
}
const TsrIndexItem kNewAxis{TSR_INDEX_NEWAXIS, 0, 0, 0, 0};
const TsrIndexItem kEllipsis{TSR_INDEX_ELLIPSIS, 0, 0, 0, 0};

TensorRef view(const TensorRef& base, const std::vector<TsrIndexItem>& items) {
    return TensorRef(tsr_view(base.get(), items.data(), static_cast<int32_t>(items.size()), nullptr));
}

// Python's slice.indices(n), as its documentation defines it, by walking.
std::vector<double> walked(int64_t n, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step) {
    auto clip = [&](int64_t value) {
        if (value < 0) value += n;
        if (value < 0) return int64_t{step < 0 ? -1 : 0};
        return value >= n ? (step < 0 ? n - 1 : n) : value;
    };
    int64_t from = start ? clip(*start) : step < 0 ? n - 1 : 0;
    int64_t to = stop ? clip(*stop) : step < 0 ? -1 : n;
    std::vector<double> result;
    for (int64_t i = from; step < 0 ? i > to : i < to; i += step) result.push_back(static_cast<double>(i));
    return result;
}

std::vector<int64_t> extents(const TensorRef& t) { return {shape(*t).begin(), shape(*t).end()}; }

}  // namespace

TEST_CASE("slices take the elements that Python's slices take") {
    for (int64_t n : {0, 1, 5}) {
        TensorRef base = counting(TSR_I32, {n});
        for (int64_t start = -7; start <= 7; ++start) {
            for (int64_t stop = -7; stop <= 7; ++stop) {
                for (int64_t step : {1, 2, 3, 9, -1, -2, -9}) {
                    CAPTURE(start);
                    CAPTURE(stop);
                    CAPTURE(step);
                    REQUIRE(values(*view(base, {slice(start, stop, step)})) == walked(n, start, stop, step));
                    REQUIRE(values(*view(base, {slice({}, stop, step)})) == walked(n, {}, stop, step));
                    REQUIRE(values(*view(base, {slice(start, {}, step)})) == walked(n, start, {}, step));
                }
            }
        }
        REQUIRE(values(*view(base, {slice({}, {}, INT64_MIN)})).size() == (n > 0 ? 1 : 0));
    }
}

TEST_CASE("integers, new axes and ellipses") {
    TensorRef base = counting(TSR_F32, {2, 3, 4});
    CHECK(values(*view(base, {integer(-1), integer(0)})) == std::vector<double>{12, 13, 14, 15});
    TensorRef spread = view(base, {integer(1), kNewAxis, kEllipsis, slice(1, 3), kNewAxis});
    CHECK(extents(spread) == std::vector<int64_t>{1, 3, 2, 1});
    CHECK(values(*spread) == std::vector<double>{13, 14, 17, 18, 21, 22});
    CHECK(extents(view(base, {kEllipsis, integer(0), integer(0), integer(0)})).empty());
    CHECK(failure([&] { view(base, {integer(2)}); }) == "index 2 is outside axis 0 of f32[2, 3, 4]");
    CHECK(failure([&] { view(base, {integer(0), integer(0), integer(0), integer(0)}); }) ==
          "4 indices for f32[2, 3, 4], which has rank 3");
    CHECK(failure([&] { view(base, {kEllipsis, kEllipsis}); }) == "an index can only have a single ellipsis ('...')");
    CHECK(failure([&] { view(base, {slice({}, {}, 0)}); }) == "a slice of f32[2, 3, 4] has step 0");
    std::vector<TsrIndexItem> many(14, kNewAxis);
    CHECK(failure([&] { view(base, many); }) == "a view of more than 16 axes");
}

TEST_CASE("views share storage; copies do not") {
    TensorRef base = counting(TSR_F32, {3, 4});
    TensorRef turned(tsr_swap_last(view(base, {slice({}, {}, -1)}).get(), nullptr));
    CHECK(values(*turned) == std::vector<double>{8, 4, 0, 9, 5, 1, 10, 6, 2, 11, 7, 3});
    TensorRef copy(tsr_copy(turned.get(), nullptr));
    int64_t at[] = {-1, -1};
    tsr_set_f64(turned.get(), at, 2, 99, nullptr);
    CHECK(tsr_get_f64(base.get(), std::vector<int64_t>{0, 3}.data(), 2, nullptr) == 99);
    CHECK(tsr_get_i64(copy.get(), at, 2, nullptr) == 3);
    CHECK(tsr_is_dense(copy.get()));
    CHECK(!tsr_is_dense(turned.get()));
    int64_t outside[] = {0, 3};
    CHECK(failure([&] { tsr_get(turned.get(), outside, 2, nullptr); }) ==
          "index [0, 3] is outside f32[4, 3]: axis 1 has size 3");
    CHECK(failure([&] { tsr_item(base.get(), nullptr); }) == "item() needs a tensor of one element; this is f32[3, 4]");
}

TEST_CASE("packed types: rows padded to whole packs, views at any element") {
    for (int32_t dtype : {TSR_I4, TSR_FP4_E2M1, TSR_FP6_E3M2, TSR_FP6_E2M3}) {
        CAPTURE(name(dtype));
        // 0 … 3 are values of all four types.
        std::vector<double> numbers;
        for (int i = 0; i < 15; ++i) numbers.push_back(i % 4);
        TensorRef base = tensor(dtype, {3, 5}, numbers);
        CHECK(base->strides[0] == (pack_elements(dtype) == 4 ? 8 : 6));
        CHECK(values(*base) == numbers);
        TensorRef part = view(base, {slice(1, {}), slice(3, 0, -1)});
        CHECK(values(*part) == std::vector<double>{0, 3, 2, 1, 0, 3});
        int64_t at[] = {0, 1};
        tsr_set_f64(part.get(), at, 2, 1, nullptr);
        numbers[7] = 1;
        CHECK(values(*base) == numbers);
        TensorRef turned(tsr_reshape(base.get(), std::vector<int64_t>{5, -1}.data(), 2, nullptr));
        CHECK(values(*turned) == numbers);
        CHECK(extents(turned) == std::vector<int64_t>{5, 3});
    }
}

TEST_CASE("assignment broadcasts, and survives overlapping memory") {
    TensorRef base = counting(TSR_I32, {3, 4});
    tsr_assign(view(base, {slice(1, {})}).get(), counting(TSR_I32, {4}).get(), nullptr);
    CHECK(values(*base) == std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    TensorRef line = counting(TSR_I32, {6});
    tsr_assign(view(line, {slice(1, {})}).get(), view(line, {slice({}, -1)}).get(), nullptr);
    CHECK(values(*line) == std::vector<double>{0, 0, 1, 2, 3, 4});
    tsr_assign(line.get(), view(line, {slice({}, {}, -1)}).get(), nullptr);
    CHECK(values(*line) == std::vector<double>{4, 3, 2, 1, 0, 0});
    tsr_fill(view(line, {slice({}, {}, 2)}).get(), 7, nullptr);
    CHECK(values(*line) == std::vector<double>{7, 3, 7, 1, 7, 0});
    CHECK(failure([&] { tsr_assign(line.get(), counting(TSR_I32, {4}).get(), nullptr); }) ==
          "i32[4] does not broadcast to the shape i32[6]");
    CHECK(failure([&] { tsr_assign(line.get(), counting(TSR_I64, {6}).get(), nullptr); }) ==
          "i64[6] can not be assigned to i32[6]: the element types differ");
}

TEST_CASE("reshape and transpose") {
    TensorRef base = counting(TSR_F64, {2, 6});
    TensorRef view(tsr_reshape(base.get(), std::vector<int64_t>{3, -1}.data(), 2, nullptr));
    CHECK(view->dl.data == base->dl.data);
    TensorRef of_turned(
        tsr_reshape(TensorRef(tsr_swap_last(base.get(), nullptr)).get(), std::vector<int64_t>{12}.data(), 1, nullptr));
    CHECK(values(*of_turned) == std::vector<double>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
    CHECK(failure([&] { tsr_reshape(base.get(), std::vector<int64_t>{5, -1}.data(), 2, nullptr); }) ==
          "f64[2, 6] has 12 elements and can not be reshaped to f64[5, -1]");
    int32_t axes[] = {1, 1};
    CHECK(failure([&] { tsr_transpose(base.get(), axes, nullptr); }).starts_with("the axes of a transpose"));
}

TEST_CASE("making: counts, ends, limits") {
    CHECK(values(*TensorRef(tsr_arange_i64(TSR_I32, 5, -4, -3, nullptr))) == std::vector<double>{5, 2, -1});
    CHECK(values(*TensorRef(tsr_arange_f64(TSR_F64, 0, 1, 0.25, nullptr))) == std::vector<double>{0, .25, .5, .75});
    CHECK(values(*TensorRef(tsr_linspace(TSR_F64, 1, 2, 3, nullptr))) == std::vector<double>{1, 1.5, 2});
    CHECK(values(*TensorRef(tsr_linspace(TSR_F64, 1, 2, 1, nullptr))) == std::vector<double>{1});
    CHECK(values(*TensorRef(tsr_ones(TSR_FP8_E4M3, std::vector<int64_t>{2}.data(), 1, nullptr))) ==
          std::vector<double>{1, 1});
    CHECK(failure([] { tsr_arange_i64(TSR_I32, 0, 1, 0, nullptr); }) == "arange() with step 0");
    int64_t negative[] = {2, -1}, huge[] = {int64_t{1} << 40, int64_t{1} << 40}, large[] = {int64_t{1} << 50};
    CHECK(failure([&] { tsr_zeros(TSR_F32, negative, 2, nullptr); }) == "axis 1 has the negative size -1");
    CHECK(failure([&] { tsr_zeros(TSR_F32, huge, 2, nullptr); }).ends_with("has more than 2^58 bytes"));
    CHECK(failure([&] {
              tsr_zeros(TSR_F32, large, 1, nullptr);
          }).starts_with("out of memory: asked for 4194304.00 GiB, free are "));
}

TEST_CASE("from lists") {
    TsrList* outer = tsr_list("LLe", 2);
    for (int64_t row = 0; row < 2; ++row) {
        TsrList* inner = tsr_list("Le", 0);
        for (int64_t i = 0; i < 3; ++i) tsr_list_append(inner, TsrSlot{.integer = 10 * row + i});
        tsr_list_append(outer, TsrSlot{.list = inner});
        tsr_list_release(inner);
    }
    TensorRef t(tsr_from_list(TSR_F32, outer, nullptr));
    CHECK(extents(t) == std::vector<int64_t>{2, 3});
    CHECK(values(*t) == std::vector<double>{0, 1, 2, 10, 11, 12});
    tsr_list_append(outer->items[1].list, TsrSlot{.integer = 4});
    CHECK(failure([&] { tsr_from_list(TSR_F32, outer, nullptr); }) ==
          "a list of 4 items among lists of 3: not the rows of a tensor");
    CHECK(failure([&] { tsr_list_get(outer, -3, nullptr); }) == "index -3 is outside a list of 2 items");
    tsr_list_release(outer);
}

TEST_CASE("comparison") {
    TensorRef a = tensor(TSR_F32, {3}, {1, 2, std::nan("")}), b = tensor(TSR_F32, {3}, {1, 2.001, std::nan("")});
    CHECK(!tsr_equal(a.get(), a.get()));
    CHECK(tsr_equal(counting(TSR_I32, {2, 2}).get(), counting(TSR_I32, {2, 2}).get()));
    CHECK(!tsr_equal(counting(TSR_I32, {4}).get(), counting(TSR_I32, {2, 2}).get()));
    CHECK(tsr_allclose(a.get(), b.get(), 1e-3, 0, 1, nullptr));
    CHECK(!tsr_allclose(a.get(), b.get(), 1e-3, 0, 0, nullptr));
    CHECK(!tsr_allclose(a.get(), b.get(), 1e-4, 1e-4, 1, nullptr));
    CHECK(tsr_allclose(tensor(TSR_F32, {2}, {INFINITY, 1}).get(),
                       tensor(TSR_F32, {2, 2}, {INFINITY, 1, INFINITY, 1}).get(), 0, 0, 0, nullptr));
}

TEST_CASE("overlap is exact for slices, and never misses a shared element") {
    Dice dice(3);
    for (int32_t dtype : {TSR_F32, TSR_I4, TSR_FP6_E3M2}) {
        TensorRef base = counting(dtype, {6, 7, 5});
        auto random_view = [&](bool forward) {
            std::vector<TsrIndexItem> items;
            for (int64_t extent : {6, 7, 5}) {
                int64_t low = dice.below(extent), high = low + 1 + dice.below(std::min<int64_t>(3, extent - low));
                int64_t step = 1 + dice.below(3);
                bool backward = !forward && dice.below(3) == 0;
                std::optional<int64_t> before = low > 0 ? std::optional(low - 1) : std::nullopt;
                items.push_back(backward ? slice(high - 1, before, -step) : slice(low, high, step));
            }
            TensorRef result = view(base, items);
            if (!forward && dice.below(2)) result = TensorRef(tsr_transpose(result.get(), nullptr, nullptr));
            return result;
        };
        auto elements = [&](const TensorRef& t) {
            std::set<int64_t> result;
            int64_t first =
                (static_cast<uint8_t*>(t->dl.data) - static_cast<uint8_t*>(base->dl.data)) * 8 + t->phase * bits(dtype);
            for (int64_t i = 0; i < t->shape[0]; ++i) {
                for (int64_t j = 0; j < t->shape[1]; ++j) {
                    for (int64_t k = 0; k < t->shape[2]; ++k) {
                        result.insert(first +
                                      (i * t->strides[0] + j * t->strides[1] + k * t->strides[2]) * bits(dtype));
                    }
                }
            }
            return result;
        };
        int apart = 0, missed = 0;
        for (int i = 0; i < 4000; ++i) {
            TensorRef a = random_view(i % 2), b = random_view(i % 2);
            std::set<int64_t> in_a = elements(a);
            bool shared = false;
            for (int64_t element : elements(b)) shared |= in_a.contains(element);
            bool told = overlap(*a, *b) == Overlap::some;
            if (shared) REQUIRE(told);
            apart += !shared && size(*a) > 0 && size(*b) > 0;
            missed += !shared && told;
        }
        CHECK(apart > 500);
        CHECK(missed < apart / 2);
    }
    TensorRef rows = counting(TSR_F32, {8, 8});
    CHECK(overlap(*view(rows, {slice({}, {}), slice(0, 4)}), *view(rows, {slice({}, {}), slice(4, 8)})) ==
          Overlap::none);
    CHECK(overlap(*view(rows, {slice(0, {}, 2)}), *view(rows, {slice(1, {}, 2)})) == Overlap::none);
    CHECK(overlap(*view(rows, {slice(0, 5)}), *view(rows, {slice(4, 8)})) == Overlap::some);
    CHECK(failure([&] { tsr_check_overlap("f", rows.get(), "a", rows.get(), "b", nullptr); }) ==
          "f: argument `a` is written and shares memory with argument `b`; pass a copy of one of them");
}

}  // namespace tsr::runtime::tests
