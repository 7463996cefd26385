// Graph functions: axes, views, control flow, calls, failures.
#include <cmath>
#include <limits>

#include "graph_harness.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tsr::ir::eval::graphs {
namespace {

using Numbers = std::vector<double>;

HostTensor f32s(const Shape& shape, const Numbers& values) { return HostTensor::of(DType::f32, shape, values); }
HostTensor counting(const Shape& shape) {
    Numbers values;
    for (int64_t i = 0; i < count(shape); ++i) values.push_back(static_cast<double>(i));
    return f32s(shape, values);
}
TsrIndexItem slice(int64_t start, int64_t stop, int64_t step) { return {TSR_INDEX_SLICE, 7, start, stop, step}; }
HostTensor view(const HostTensor& of, const std::vector<TsrIndexItem>& items) {
    return HostTensor(api().view(of.get(), items.data(), static_cast<int32_t>(items.size()), nullptr));
}

// A program that fails leaves its values to the end of the process.
#ifdef __SANITIZE_ADDRESS__
using MayLeak = __lsan::ScopedDisabler;
#else
struct MayLeak {};
#endif

ProgramOutcome run_failing(const std::string& text, const std::vector<TsrSlot>& arguments) {
    [[maybe_unused]] const MayLeak no_leak;
    return run_checked(text, arguments);
}

std::string failure(const std::string& text, const std::vector<TsrSlot>& arguments) {
    const ProgramOutcome outcome = run_failing(text, arguments);
    return outcome.failure ? outcome.failure->function + ": " + outcome.failure->message : "";
}

TEST_CASE("a row's sum, and what it is taken from") {
    const std::string text = called("<n, m>", "%x: f32[n, m]", "%x", "f32[n]",
                                    "  %0 = mul %x, %x : f32[n, m]\n"
                                    "  %1 = reduce %0 {op = add, axis = 1} : f32[n]\n  yield %1\n");
    const HostTensor x = f32s({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(tensor_from(text, {x.slot()}).values() == Numbers{14, 77});
    CHECK(x.get()->refs == 1);
    // No rows, and rows of nothing, which give 0: not -0, which a sum starts from.
    CHECK(tensor_from(text, {HostTensor(DType::f32, {0, 3}).slot()}).shape() == Shape{0});
    const HostTensor nothing = tensor_from(text, {HostTensor(DType::f32, {2, 0}).slot()});
    CHECK(nothing.values() == Numbers{0, 0});
    CHECK_FALSE(std::signbit(nothing.values()[0]));
}

TEST_CASE("expand repeats what its type says to be 1, and axes that are not there") {
    const std::string text = called(
        "<n, m>", "%column: f32[n, 1], %row: f32[m]", "%column, %row", "f32[n, m]",
        "  %0 = expand %column {shape = [n, m], axes = [0, 1]} : f32[n, m]\n"
        "  %1 = expand %row {shape = [n, m], axes = [1]} : f32[n, m]\n  %2 = sub %0, %1 : f32[n, m]\n  yield %2\n");
    const HostTensor row = f32s({3}, {10, 20, 30});
    const HostTensor column = f32s({2, 1}, {1, 2});
    CHECK(tensor_from(text, {column.slot(), row.slot()}).values() == Numbers{-9, -19, -29, -8, -18, -28});
    const HostTensor one = f32s({1}, {5});
    CHECK(tensor_from(text, {column.slot(), one.slot()}).values() == Numbers{-4, -3});
    CHECK(tensor_from(text, {column.slot(), HostTensor(DType::f32, {0}).slot()}).shape() == Shape{2, 0});
}

TEST_CASE("an extent of 1 that the type does not know of repeats nothing") {
    const std::string text = called(
        "<n, m, k>", "%x: f32[n, m], %y: f32[k]", "%x, %y", "f32[n, m]",
        "  %0 = expand %y {shape = [n, m], axes = [1]} : f32[n, m]\n  %1 = add %x, %0 : f32[n, m]\n  yield %1\n");
    const HostTensor x = counting({2, 3});
    CHECK(tensor_from(text, {x.slot(), f32s({3}, {1, 1, 1}).slot()}).values() == Numbers{1, 2, 3, 4, 5, 6});
    CHECK(failure(text, {x.slot(), f32s({1}, {1}).slot()}) ==
          "f: f32[1] does not expand to [2, 3]: axis 0 does not fit");
    const std::string sum =
        called("<n, m>", "%x: f32[n], %y: f32[m]", "%x, %y", "f32[n]", "  %0 = add %x, %y : f32[n]\n  yield %0\n");
    CHECK(failure(sum, {f32s({2}, {1, 2}).slot(), f32s({3}, {1, 2, 3}).slot()}) ==
          "f: the operands of 'add' are f32[2] and f32[3], need one shape");
}

TEST_CASE("full fills, also packed elements and nothing") {
    for (const DType type : kEveryType) {
        const std::string name(tsr::name(type));
        const std::string result = name + "[n, 5]";
        const std::string text = called("<n>", "%a: " + name + ", %n: index as dimension 0", "%a, %n", result,
                                        "  %0 = full %a {shape = [n, 5]} : " + result + "\n  yield %0\n");
        CAPTURE(name);
        const TsrSlot value = slot(int64_t{type == DType::boolean ? 1 : 3});
        const HostTensor made = tensor_from(text, {value, slot(int64_t{3})});
        REQUIRE(made.shape() == Shape{3, 5});
        for (int64_t i = 0; i < 15; ++i) CHECK(made.at(i) == canonical(type, value.bits));
        CHECK(tensor_from(text, {value, slot(int64_t{0})}).shape() == Shape{0, 5});
    }
}

TEST_CASE("the last two axes swapped, of every element type") {
    for (const DType type : kEveryType) {
        const std::string name(tsr::name(type));
        const HostTensor x = HostTensor::at_random(type, {2, 3, 5}, 3);
        const std::string result = name + "[b, m, n]";
        const HostTensor turned = tensor_from(called("<b, n, m>", "%x: " + name + "[b, n, m]", "%x", result,
                                                     "  %0 = transpose %x : " + result + "\n  yield %0\n"),
                                              {x.slot()});
        CAPTURE(name);
        REQUIRE(turned.shape() == Shape{2, 5, 3});
        for (int64_t at = 0; at < 30; ++at) {
            const Shape p = position_of(x.shape(), at);
            CHECK(turned.at({p[0], p[2], p[1]}) == x.at(at));
        }
    }
}

// Takes any element type and reads each element through the strides of the argument.
std::string twice_turned(DType type) {
    const std::string name(tsr::name(type));
    const std::string result = name + "[n, m]";
    return called("<n, m>", "%x: " + result, "%x", result,
                  "  %0 = transpose %x : " + name + "[m, n]\n  %1 = transpose %0 : " + result + "\n  yield %1\n");
}

TEST_CASE("operands that are views are read where they stand, of every element type") {
    for (const DType type : kEveryType) {
        CAPTURE(tsr::name(type));
        const HostTensor x = HostTensor::at_random(type, {6, 11}, 5);
        std::vector<HostTensor> views;
        views.push_back(view(x, {slice(1, 6, 2), slice(3, 10, 3)}));
        views.push_back(view(x, {slice(5, 0, -2), slice(9, 1, -1)}));
        views.emplace_back(api().swap_last(x.get(), nullptr));
        views.push_back(view(views.back(), {slice(1, 11, 2), slice(4, 0, -1)}));
        const Shape repeated{4, 11};
        const HostTensor row = view(x, {slice(2, 3, 1)});
        views.emplace_back(api().broadcast_to(row.get(), repeated.data(), 2, nullptr));
        for (const HostTensor& each : views) {
            const HostTensor read = tensor_from(twice_turned(type), {each.slot()});
            REQUIRE(read.shape() == each.shape());
            for (int64_t i = 0; i < read.elements(); ++i) CHECK(read.at(i) == each.at(i));
        }
    }
}

TEST_CASE("a turned view in an element operation and in a reduction") {
    const HostTensor x = counting({2, 3});
    const HostTensor turned(api().swap_last(x.get(), nullptr));
    const std::string text = called("<n, m>", "%x: f32[n, m], %y: f32[n, m]", "%x, %y", "f32[m]",
                                    "  %0 = add %x, %y : f32[n, m]\n"
                                    "  %1 = reduce %0 {op = add, axis = 0} : f32[m]\n  yield %1\n");
    CHECK(tensor_from(text, {turned.slot(), counting({3, 2}).slot()}).values() == Numbers{3 + 6, 12 + 9});
}

TEST_CASE("a reduction of the last axis gives a scalar; NaN and -0 pass on") {
    const auto reduced = [](const std::string& op, const Numbers& values) {
        const HostTensor x = f32s({static_cast<int64_t>(values.size())}, values);
        const Bits given = bits_from(called("<n>", "%x: f32[n]", "%x", "f32",
                                            "  %0 = reduce %x {op = " + op + ", axis = 0} : f32\n  yield %0\n"),
                                     {x.slot()});
        return api().bits_to_f64(given, TSR_F32);
    };
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    CHECK(reduced("add", {1, 2, 3.5}) == 6.5);
    CHECK(reduced("mul", {2, 3, 4}) == 24);
    CHECK(std::isnan(reduced("add", {1, kNan, 3})));
    CHECK(std::isnan(reduced("max", {1, kNan, 3})));
    CHECK(std::isnan(reduced("min", {kNan, 1, 3})));
    CHECK(std::signbit(reduced("add", {-0.0, -0.0})));
    CHECK(!std::signbit(reduced("add", {-0.0, 0.0})));
    CHECK(!std::signbit(reduced("max", {-0.0, 0.0, -0.0})));
    CHECK(std::signbit(reduced("min", {0.0, -0.0, 0.0})));
    CHECK(reduced("max", {}) == -HUGE_VAL);
    CHECK(reduced("min", {}) == HUGE_VAL);
    // Each partial sum is rounded.
    CHECK(reduced("add", {0x1p24, 1, 1}) == 0x1p24);
}

TEST_CASE("tensors of rank 0 are tensors of one element") {
    const HostTensor x = f32s({}, {3});
    const HostTensor result =
        tensor_from(called("", "%x: f32[]", "%x", "f32[]", "  %0 = add %x, %x : f32[]\n  yield %0\n"), {x.slot()});
    CHECK(result.values() == Numbers{6});
}

TEST_CASE("loops carry tensors and scalars, branches give them") {
    const std::string text = R"(
graph @f<n>(%x: f32[n], %k: i32, %half: bool) -> f32[n], i32 {
  %zero = constant 0 : i32
  %one = constant 1 : i32
  %y, %s = for %zero, %k, %one, %x, %zero : f32[n], i32 (%i: i32, %t: f32[n], %c: i32) {
    %u = add %t, %x : f32[n]
    %d = add %c, %i : i32
    yield %u, %d
  }
  %z, %w = while %y, %s : f32[n], i32 (%v: f32[n], %g: i32) {
    %m = reduce %v {op = max, axis = 0} : f32
    %limit = constant 100.0 : f32
    %more = lt %m, %limit : bool
    yield %more
  } do (%q: f32[n], %h: i32) {
    %b = add %q, %q : f32[n]
    %e = add %h, %one : i32
    yield %b, %e
  }
  %r = if %half : f32[n] {
    %point = constant 0.5 : f32
    %hs = full %point {shape = [n]} : f32[n]
    %p = mul %z, %hs : f32[n]
    yield %p
  } else {
    yield %x
  }
  yield %r, %w
}
host @main<n>(%x: f32[n], %k: i32, %half: bool) -> f32[n], i32 {
  %r, %w = call %x, %k, %half {callee = "f"} : f32[n], i32
  yield %r, %w
})";
    const HostTensor x = f32s({2}, {1, 3});
    for (const bool half : {false, true}) {
        const ProgramOutcome outcome = run_checked(text, {x.slot(), slot(int64_t{3}), slot(int64_t{half})});
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
        const HostTensor result(outcome.results[0].tensor);
        CHECK(result.values() == (half ? Numbers{32, 96} : Numbers{1, 3}));
        CHECK(result.get() != x.get());
        CHECK(outcome.results[1].integer == 0 + 1 + 2 + 4);
        CHECK(x.get()->refs == 1);
    }
    CHECK(failure(text, {x.slot(), slot(int64_t{-1}), slot(int64_t{0})}).empty());
}

TEST_CASE("one condition chooses whole tensors, a tensor of conditions elements") {
    const std::string text = called("<n>", "%c: bool, %x: f32[n], %y: f32[n]", "%c, %x, %y", "f32[n]",
                                    "  %0 = select %c, %x, %y : f32[n]\n  %1 = lt %0, %y : bool[n]\n"
                                    "  %2 = select %1, %0, %y : f32[n]\n  yield %2\n");
    const HostTensor x = f32s({3}, {1, 5, 9});
    const HostTensor y = f32s({3}, {2, 4, 10});
    CHECK(tensor_from(text, {slot(int64_t{1}), x.slot(), y.slot()}).values() == Numbers{1, 4, 9});
    CHECK(tensor_from(text, {slot(int64_t{0}), x.slot(), y.slot()}).values() == Numbers{2, 4, 10});
}

TEST_CASE("a graph calls a graph; dimensions come from shapes and from numbers") {
    const std::string text = R"(
graph @scaled<n>(%x: f32[n], %a: f32) -> f32[n] {
  %s = full %a {shape = [n]} : f32[n]
  %y = mul %x, %s : f32[n]
  yield %y
}
graph @f<n, m>(%x: f32[n], %m: index as dimension 1) -> f32[n + m], index {
  %two = constant 2.0 : f32
  %y = call %x, %two {callee = "scaled"} : f32[n]
  %sum = reduce %y {op = add, axis = 0} : f32
  %long = full %sum {shape = [n + m]} : f32[n + m]
  %d = dim {dim = 2*n + m} : index
  yield %long, %d
}
host @main<n, j>(%x: f32[n], %k: index) -> f32[j], index {
  %r, %d = call %x, %k {callee = "f"} : f32[j], index
  yield %r, %d
})";
    const ProgramOutcome outcome = run_checked(text, {f32s({2}, {1, 3}).slot(), slot(int64_t{1})});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(HostTensor(outcome.results[0].tensor).values() == Numbers{8, 8, 8});
    CHECK(outcome.results[1].integer == 5);
}

TEST_CASE("results are tensors of their own: arguments passed on and results given twice are copied") {
    const std::string text = R"(
graph @f<n>(%x: f32[n]) -> f32[n], f32[n], f32[n] {
  %y = neg %x : f32[n]
  yield %x, %y, %y
}
host @main<n>(%x: f32[n]) -> f32[n], f32[n], f32[n] {
  %a, %b, %c = call %x {callee = "f"} : mut f32[n], mut f32[n], mut f32[n]
  %zero = constant 0 : index
  %v = constant 7.0 : f32
  write %a[%zero], %v
  write %b[%zero], %v
  yield %a, %b, %c
})";
    const HostTensor x = f32s({2}, {1, 3});
    const HostTensor back = view(x, {slice(1, -3, -1)});
    const ProgramOutcome outcome = run_checked(text, {back.slot()});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    std::vector<HostTensor> results;
    for (const TsrSlot& result : outcome.results) results.emplace_back(result.tensor);
    CHECK(x.values() == Numbers{1, 3});
    CHECK(results[0].values() == Numbers{7, 1});
    CHECK(results[1].values() == Numbers{7, -1});
    CHECK(results[2].values() == Numbers{-3, -1});
    for (const HostTensor& result : results) CHECK(result.get()->refs == 1);
}

TEST_CASE("what is wrong in a graph ends the program at its place") {
    const std::string text = R"(
graph @f<n>(%x: f32[n]) -> f32[n] {
  %sum = reduce %x {op = add, axis = 0} : f32
  %zero = constant 0.0 : f32
  %right = gt %sum, %zero : bool
  assert %right, %sum {text = "the sum is {}"} !0:5-9
  yield %x
}
host @main<n>(%x: f32[n]) -> f32[n] {
  %r = call %x {callee = "f"} : f32[n]
  yield %r
})";
    const HostTensor x = f32s({2}, {1, -3});
    const ProgramOutcome outcome = run_failing(text, {x.slot()});
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->message == "assertion failed: the sum is -2.0");
    CHECK(outcome.failure->function == "f");
    CHECK(outcome.failure->place.span == Span{FileId(0), 5, 9});
    CHECK(x.get()->refs == 1);
    const std::string shapes =
        called("<n>", "%x: f32[n], %y: f32[n]", "%x, %y", "f32[n]", "  %0 = add %x, %y : f32[n]\n  yield %0\n");
    CHECK(failure(shapes, {x.slot(), f32s({3}, {}).slot()}) ==
          "main: main: argument `y` has `n` = 3, but argument `x` has `n` = 2");
}

TEST_CASE("a result whose extents are not those of its type is refused") {
    const Module module = module_of(called("<n>", "%x: f32[n]", "%x", "f32[n]",
                                           "  %0 = reduce %x {op = add, axis = 0} : f32\n"
                                           "  %1 = full %0 {shape = [n + 1]} : f32[n]\n  yield %1\n"));
    const HostTensor x = f32s({2}, {1, 2});
    const std::vector<TsrSlot> arguments{x.slot()};
    [[maybe_unused]] const MayLeak no_leak;
    const ProgramOutcome outcome = run_program(module, "main", arguments, api(), {});
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->message == "the result of 'full' is f32[3], its type says f32[n]");
}

TEST_CASE("a symbol that no argument binds is any extent") {
    const std::string text =
        called("<b, h>", "%x: f32[b*h]", "%x", "f32[b*h]", "  %0 = add %x, %x : f32[b*h]\n  yield %0\n");
    CHECK(tensor_from(text, {f32s({3}, {1, 2, 3}).slot()}).values() == Numbers{2, 4, 6});
    const std::string asked =
        called("<n, k>", "%x: f32[n]", "%x", "index", "  %d = dim {dim = k} : index\n  yield %d\n");
    CHECK(failure(asked, {f32s({3}, {1, 2, 3}).slot()}) == "f: the dimension k is no whole number here");
}

}  // namespace
}  // namespace tsr::ir::eval::graphs
