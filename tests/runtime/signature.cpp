// Shapes against signatures: what is bound, what is told.
#include <doctest/doctest.h>

#include "helpers.h"
#include "runtime/program/dimensions.h"

namespace tsr::runtime::tests {

namespace {

constexpr TsrDimStep kN[] = {{TSR_DIM_SYMBOL, 0}};
constexpr TsrDimStep kM[] = {{TSR_DIM_SYMBOL, 1}};
constexpr TsrDimStep kEight[] = {{TSR_DIM_CONSTANT, 8}};
constexpr TsrDimStep kNHalves[] = {{TSR_DIM_SYMBOL, 0}, {TSR_DIM_CONSTANT, 2}, {TSR_DIM_EXACT_DIV, 0}};
constexpr TsrDimStep kNFloor[] = {{TSR_DIM_SYMBOL, 0}, {TSR_DIM_CONSTANT, 2}, {TSR_DIM_FLOOR_DIV, 0}};
constexpr TsrDimStep kTwoNPlusOne[] = {
    {TSR_DIM_CONSTANT, 2}, {TSR_DIM_SYMBOL, 0}, {TSR_DIM_MUL, 0}, {TSR_DIM_CONSTANT, 1}, {TSR_DIM_ADD, 0}};
constexpr TsrDimStep kTenMinusN[] = {{TSR_DIM_CONSTANT, 10}, {TSR_DIM_SYMBOL, 0}, {TSR_DIM_SUB, 0}};
constexpr TsrDimStep kNTimesM[] = {{TSR_DIM_SYMBOL, 0}, {TSR_DIM_SYMBOL, 1}, {TSR_DIM_MUL, 0}};
constexpr TsrDimension n{"n", kN, 1}, m{"m", kM, 1}, eight{"8", kEight, 1}, halves{"n/2", kNHalves, 3},
    floor_halves{"n//2", kNFloor, 3}, odd{"2*n + 1", kTwoNPlusOne, 5}, rest{"10 - n", kTenMinusN, 3},
    product{"n*m", kNTimesM, 3};
const char* const kSymbols[] = {"n", "m"};

// Binds f(a: f32[da], b: f32[db], k: i32), where k is the dimension n when `k_is_n`; the message, or the dimensions.
std::string bound(TsrDimension da, int64_t size_a, TsrDimension db, int64_t size_b, bool k_is_n = false,
                  int64_t k = 0) {
    TsrParameter parameters[] = {
        {"a", TSR_KIND_TENSOR, TSR_F32, 1, 0, &da, -1, 0, nullptr, 0, nullptr},
        {"b", TSR_KIND_TENSOR, TSR_F32, 1, 0, &db, -1, 0, nullptr, 0, nullptr},
        {"k", TSR_KIND_SCALAR, TSR_I32, 0, 0, nullptr, k_is_n ? 0 : -1, 0, nullptr, 0, nullptr}};
    TsrSignature signature{"f", 2, kSymbols, 3, parameters};
    TensorRef a = counting(TSR_F32, {size_a}), b = counting(TSR_F32, {size_b});
    TsrSlot arguments[] = {{.tensor = a.get()}, {.tensor = b.get()}, {.integer = k}};
    int64_t dims[2] = {};
    std::string message = failure([&] { tsr_check_arguments(&signature, arguments, dims, nullptr); });
    return message.empty() ? std::to_string(dims[0]) + " " + std::to_string(dims[1]) : message;
}

}  // namespace

TEST_CASE("dimensions are bound where a name stands alone, else by an expression that can be solved") {
    CHECK(bound(n, 4, n, 4) == "4 -1");
    CHECK(bound(halves, 4, n, 8) == "8 -1");
    CHECK(bound(halves, 4, m, 3) == "8 3");
    CHECK(bound(odd, 7, m, 1) == "3 1");
    CHECK(bound(rest, 7, m, 1) == "3 1");
    CHECK(bound(floor_halves, 3, n, 7) == "7 -1");
    CHECK(bound(floor_halves, 3, m, 7) == "-1 7");
    CHECK(bound(product, 12, eight, 8) == "-1 -1");
    CHECK(bound(product, 12, m, 4) == "3 4");
    CHECK(bound(product, 0, m, 0) == "f: argument `a` has size 0 where `n*m` stands: no `n` gives that");
    CHECK(bound(n, 0, m, 0) == "0 0");
    CHECK(bound(m, 5, eight, 8, true, 6) == "6 5");
}

TEST_CASE("what does not fit is told with both arguments, both dimensions, both values") {
    CHECK(bound(n, 4, n, 5) == "f: argument `b` has `n` = 5, but argument `a` has `n` = 4");
    CHECK(bound(eight, 7, n, 5) == "f: argument `a` has size 7 where 8 is needed");
    CHECK(bound(odd, 8, m, 1) == "f: argument `a` has size 8 where `2*n + 1` stands: no `n` gives that");
    CHECK(bound(rest, 11, m, 1) == "f: argument `a` has size 11 where `10 - n` stands: no `n` gives that");
    CHECK(bound(odd, 7, n, 2) ==
          "f: argument `a` has size 7 where `2*n + 1` stands, which is 5 (`n` = 2 from argument `b`)");
    CHECK(bound(halves, 3, n, 7) ==
          "f: argument `a`: the dimension `n/2` is no whole number (`n` = 7 from argument `b`)");
    CHECK(bound(n, 5, m, 1, true, 4) == "f: argument `k` has `k` = 4, but argument `a` has `n` = 5");
    CHECK(bound(m, 5, m, 5, true, -4) == "f: argument `k` is -4, but `n` is a dimension");
}

TEST_CASE("types, ranks and overlaps are checked") {
    TsrDimension one[] = {n}, two[] = {n, m};
    TsrParameter parameters[] = {{"a", TSR_KIND_TENSOR, TSR_F32, 2, 1, two, -1, 0, nullptr, 0, nullptr},
                                 {"b", TSR_KIND_TENSOR, TSR_F32, 1, 0, one, -1, 0, nullptr, 0, nullptr}};
    TsrSignature signature{"f", 2, kSymbols, 2, parameters};
    int64_t dims[2] = {};
    auto check = [&](const TensorRef& a, const TensorRef& b) {
        TsrSlot arguments[] = {{.tensor = a.get()}, {.tensor = b.get()}};
        return failure([&] { tsr_check_arguments(&signature, arguments, dims, nullptr); });
    };
    TensorRef square = counting(TSR_F32, {3, 3});
    CHECK(check(square, counting(TSR_F32, {3})).empty());
    CHECK(check(counting(TSR_F64, {3, 3}), counting(TSR_F32, {3})) ==
          "f: argument `a` must be f32[n, m], but it is f64[3, 3]");
    CHECK(check(square, counting(TSR_F32, {3, 1})) == "f: argument `b` must be f32[n], but it is f32[3, 1]");
    TsrIndexItem first{TSR_INDEX_INTEGER, 0, 0, 0, 0};
    TensorRef row(tsr_view(square.get(), &first, 1, nullptr));
    CHECK(check(square, row) ==
          "f: argument `a` is written and shares memory with argument `b`; pass a copy of one of them");
    TensorRef turned(tsr_swap_last(square.get(), nullptr));
    CHECK(failure([&] { tsr_kernel_argument(turned.get(), 1, "f", "a", nullptr); }) ==
          "f: argument `a` is written and must be dense in row-major order; it is a view of f32[3, 3]");
    TensorRef copied(tsr_kernel_argument(turned.get(), 0, "f", "a", nullptr));
    CHECK(copied->dl.data != square->dl.data);
    CHECK(values(*copied) == std::vector<double>{0, 3, 6, 1, 4, 7, 2, 5, 8});
}

}  // namespace tsr::runtime::tests
