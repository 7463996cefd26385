// Host programs with the runtime behind them.
#include <cmath>

#include "harness.h"

namespace tsr::ir::eval {
namespace {

const TsrHostApi& api() { return *tsr_host_api(); }

TsrSlot slot(TsrTensor* tensor) {
    TsrSlot made{};
    made.tensor = tensor;
    return made;
}
TsrSlot slot(int64_t value) {
    TsrSlot made{};
    made.integer = value;
    return made;
}
TsrSlot slot(float value) {
    TsrSlot made{};
    made.f32 = value;
    return made;
}

TsrTensor* vector_of(const std::vector<float>& values) {
    const auto n = static_cast<int64_t>(values.size());
    return api().from_values(TSR_F32, &n, 1, values.data(), nullptr);
}
float element(const TsrTensor* tensor, size_t i) { return static_cast<const float*>(tensor->dl.data)[i]; }

ProgramOutcome run_main(const std::string& text, const std::vector<TsrSlot>& arguments,
                        const EvalOptions& options = {}) {
    const Module module = module_of(text);
    return run_program(module, "main", arguments, api(), options);
}

constexpr const char* kSaxpyText = R"(
kernel @saxpy<n>(%kx: f32[n], %ky: mut f32[n], %ka: f32) flat {
  %kn = dim {dim = n} : index
  %k0 = constant 0 : index
  %k1 = constant 1 : index
  lanes %k0, %kn, %k1 {over = domain} (%ki: index) {
    %ia = read %kx[%ki] : f32
    %ib = read %ky[%ki] : f32
    %is = fma %ka, %ia, %ib : f32
    write %ky[%ki], %is
  }
} launch {
  %ln = dim {dim = n} : index
  yield %ln
}
)";

TEST_CASE("main launches a kernel in a loop on copies, and returns a tensor") {
    const std::string text = std::string(kSaxpyText) + R"(
host @main<n>(%x: f32[n], %y: f32[n], %alpha: f32) -> f32[n], index {
  %c = host %y {callee = "copy"} : mut f32[n]
  %r0 = constant 0 : i32
  %r3 = constant 3 : i32
  %r1 = constant 1 : i32
  for %r0, %r3, %r1 (%k: i32) {
    %d = host %c {count = 1, callee = "kernel_argument", names = ["saxpy", "ky"]} : mut f32[n]
    launch %x, %d, %alpha {callee = "saxpy", count = 0}
  }
  %n = shape_of %c {axis = 0} : index
  yield %c, %n
})";
    TsrTensor* x = vector_of({1, 2, 3});
    TsrTensor* y = vector_of({10, 20, 30});
    const auto outcome = run_main(text, {slot(x), slot(y), slot(2.0F)});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    REQUIRE(outcome.results.size() == 2);
    TsrTensor* result = outcome.results[0].tensor;
    CHECK(element(result, 0) == 16.0F);
    CHECK(element(result, 2) == 48.0F);
    CHECK(element(y, 0) == 10.0F);
    CHECK(outcome.results[1].integer == 3);
    CHECK(result->refs == 1);
    CHECK(x->refs == 1);
    for (TsrTensor* tensor : {x, y, result}) api().tensor_release(tensor);
}

TEST_CASE("a lowered launch brings its symbols and its total; explicit groups too") {
    const std::string kernel = R"(
kernel @mark<n>(%out: mut i32[m]) group [2] {
  %g = group_id : index
  %all = group_count : index
  %y = group_id {axis = 1} : index
  %n = dim {dim = n} : index
  %s = add %all, %n : index
  %t = add %s, %y : index
  %v = cast %t {type = i32} : i32
  write %out[%g], %v
}
)";
    const std::string lowered = kernel + R"(
host @main<m>(%o: mut i32[m], %n: index, %gx: index, %gy: index, %gz: index, %total: index) {
  launch %o, %n, %gx, %gy, %gz, %total {callee = "mark", count = 0, lowered, names = ["n"]}
})";
    const int64_t six = 6;
    TsrTensor* out = api().zeros(TSR_I32, &six, 1, nullptr);
    auto outcome = run_main(lowered, {slot(out), slot(int64_t{100}), slot(int64_t{3}), slot(int64_t{2}),
                                      slot(int64_t{1}), slot(int64_t{6})});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    const auto* values = static_cast<const int32_t*>(out->dl.data);
    for (int i = 0; i < 6; ++i) CHECK(values[i] == 106 + i / 3);

    const std::string given = kernel + R"(
host @main<m>(%o: mut i32[m], %n: index, %gx: index) {
  launch %o, %n, %gx {callee = "mark", count = 1, names = ["n"]}
})";
    outcome = run_main(given, {slot(out), slot(int64_t{1}), slot(int64_t{4})});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(values[3] == 5);
    CHECK(values[4] == 107);
    api().tensor_release(out);
}

TEST_CASE("calls, loops, elements and strings of host programs") {
    const std::string text = R"(
host @square(%v: i64) -> i64 {
  %w = mul %v, %v : i64
  yield %w
}
host @main(%n: i64) -> i64, f64, string {
  %z = constant 0 : i64
  %one = constant 1 : i64
  %sum = for %z, %n, %one, %z : i64 (%i: i64, %acc: i64) {
    %q = call %i {callee = "square"} : i64
    %more = add %acc, %q : i64
    yield %more
  }
  %half = while %sum : i64 (%a: i64) {
    %hundred = constant 100 : i64
    %big = gt %a, %hundred : bool
    yield %big
  } do (%b: i64) {
    %two = constant 2 : i64
    %c = floordiv %b, %two : i64
    yield %c
  }
  %len = constant 4 : index
  %t = host %len {callee = "zeros", type = f32} : mut f32[4]
  %at = constant -1 : index
  %f = constant 2.5 : f32
  write %t[%at], %f
  %e = read %t[%at] : f32
  %d = cast %e {type = f64} : f64
  %p = exp %d : f64
  %s = string {value = "half "} : string
  %h = host %half {callee = "format", text = "05d"} : string
  %all = host %s, %h {callee = "concat"} : string
  yield %sum, %p, %all
})";
    const auto outcome = run_main(text, {slot(int64_t{20})});
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(outcome.results[0].integer == 2470);
    CHECK(outcome.results[1].f64 == doctest::Approx(std::exp(2.5)).epsilon(1e-13));
    CHECK(std::string(outcome.results[2].string->text) == "half 00077");
    api().string_release(outcome.results[2].string);
}

TEST_CASE("failures are values: of the host, of the runtime, of a kernel") {
    const auto message = [](const std::string& body, const std::vector<TsrSlot>& arguments) {
        const auto outcome = run_main(body, arguments);
        return outcome.failure ? outcome.failure->function + ": " + outcome.failure->message : "";
    };
    CHECK(message("host @main(%a: i32, %b: i32) {\n  %c = floordiv %a, %b : i32\n}",
                  {slot(int64_t{1}), slot(int64_t{0})}) == "main: integer division by zero");
    CHECK(message("host @main(%a: i32) {\n  %c = constant false : bool\n  assert %c, %a {text = \"no {}\"}\n}",
                  {slot(int64_t{7})}) == "main: assertion failed: no 7");
    TsrTensor* x = vector_of({1, 2, 3});
    TsrTensor* y = vector_of({1, 2});
    const std::string outside = "host @main<n>(%x: f32[n]) {\n  %c = constant 3 : index\n  %e = read %x[%c] : f32\n}";
    CHECK(message(outside, {slot(x)}) == "main: index [3] is outside f32[3]: axis 0 has size 3");
    const std::string shapes = "host @main<n>(%x: f32[n], %y: f32[n]) {\n}";
    CHECK(message(shapes, {slot(x), slot(y)}) == "main: main: argument `y` has `n` = 2, but argument `x` has `n` = 3");
    CHECK(message(shapes, {slot(x), slot(x)}).empty());
    const std::string kernel = R"(
kernel @k<n>(%kx: mut f32[n]) group [8] {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %size = group_size : index
  %f = constant 1.0 : f32
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    write %kx[%i], %f
  }
}
host @main<n>(%x: mut f32[n]) {
  launch %x {callee = "k", count = 0}
})";
    CHECK(message(kernel, {slot(x)}) == "k: a write of 'kx' at [3] is outside of its shape [3], by tile 3 of group 0");
    CHECK(x->refs == 1);
    api().tensor_release(x);
    api().tensor_release(y);
}

TEST_CASE("two kernels are reported each for itself, launches of one kernel once") {
    const auto kernel = [](const std::string& name) {
        return "kernel @" + name + R"((%x: mut f32[2]) group [1] {
  %c0 = constant 0 : index
  %f = constant 1.0 : f32
  write %x[%c0], %f
}
)";
    };
    const std::string text = kernel("a") + kernel("b") + R"(
host @main(%x: mut f32[2]) {
  %g = constant 2 : index
  launch %x, %g {callee = "a", count = 1}
  launch %x, %g {callee = "b", count = 1}
  launch %x, %g {callee = "a", count = 1}
})";
    TsrTensor* x = vector_of({0, 0});
    const auto outcome = run_main(text, {slot(x)}, sanitize(kRace));
    REQUIRE(!outcome.failure);
    REQUIRE(outcome.reports.size() == 2);
    CHECK(outcome.reports[0].function == "a");
    CHECK(outcome.reports[1].function == "b");
    api().tensor_release(x);
}

TEST_CASE("lines of kernels are given when their launch is over, formatted by the runtime") {
    const std::string text = R"(
kernel @k(%a: f32) group [2] {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %size = group_size : index
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    print %i, %a {text = "{:>3}: {:.3f}"}
  }
}
host @main(%a: f32) {
  launch %a {callee = "k", count = 0}
})";
    std::vector<std::string> lines;
    EvalOptions options;
    options.print_line = [&](const std::string& line) { lines.push_back(line); };
    const auto outcome = run_main(text, {slot(1.5F)}, options);
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(lines == std::vector<std::string>{"  0: 1.500", "  1: 1.500"});
}

}  // namespace
}  // namespace tsr::ir::eval
