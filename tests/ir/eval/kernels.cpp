// Whole kernels against plain C++.
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "harness.h"

namespace tsr::ir::eval {
namespace {

constexpr const char* kSaxpy = R"(
kernel @saxpy<n>(%x: f32[n], %y: mut f32[n], %alpha: f32) flat {
  %n = dim {dim = n} : index
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %tiles = group_count : index
  lanes %c0, %tiles, %c1 {over = domain} (%i: index) {
    %in = lt %i, %n : bool
    if %in {
      %a = read %x[%i] : f32
      %b = read %y[%i] : f32
      %s = fma %alpha, %a, %b : f32
      write %y[%i], %s
    }
  }
})";

TEST_CASE("saxpy over more tiles than elements") {
    for (int64_t n : {0, 1, 1000, 1024, 5000}) {
        std::vector<float> x(static_cast<size_t>(n));
        std::iota(x.begin(), x.end(), 0.1F);
        std::vector<float> y(x.size(), 0.7F);
        const std::vector<float> before = y;
        const auto outcome = run(kSaxpy, {tensor(x), tensor(y), scalar(1.3F)}, tiles(n + 77));
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
        for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == std::fma(1.3F, x[i], before[i]));
    }
}

// A barrier in a uniform while, and a value of each tile that lives across it.
constexpr const char* kGroupSum = R"(
kernel @group_sum<n, g>(%x: f32[n], %out: mut f32[g]) group [128] {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c64 = constant 64 : index
  %c128 = constant 128 : index
  %n = dim {dim = n} : index
  %stride = dim {dim = 128*g} : index
  %zero = constant 0.0 : f32
  %group = group_id : index
  %base = mul %group, %c128 : index
  %s = buffer {type = f32, shape = [128]} : shared f32[128]
  %own = lanes %c0, %c128, %c1 {over = tiles} : lanes f32 (%i: index) {
    %first = add %base, %i : index
    %r = for %first, %n, %stride, %zero : f32 (%k: index, %acc: f32) {
      %e = read %x[%k] : f32
      %b = add %acc, %e : f32
      yield %b
    }
    write %s[%i], %r
    yield %r
  }
  barrier
  %last = while %c64 : index (%dt: index) {
    %go = gt %dt, %c0 : bool
    yield %go
  } do (%d: index) {
    lanes %c0, %c128, %c1 {over = tiles} (%j: index) {
      %in = lt %j, %d : bool
      if %in {
        %other = add %j, %d : index
        %p = read %s[%j] : f32
        %q = read %s[%other] : f32
        %pq = add %p, %q : f32
        write %s[%j], %pq
      }
    }
    barrier
    %half = floordiv %d, %c2 : index
    yield %half
  }
  %sum = read %s[%c0] : f32
  lanes %c0, %c128, %c1 {over = tiles} (%m: index) {
    %mine = lane_read %own : f32
    %zeroth = eq %m, %c0 : bool
    if %zeroth {
      %rest = sub %sum, %mine : f32
      %all = add %rest, %mine : f32
      write %out[%group], %all
    }
  }
})";

TEST_CASE("group_sum: barriers in a uniform loop, lane arrays across them") {
    constexpr size_t kGroups = 5;
    std::vector<float> x(3000);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);  // sums are exact
    std::vector<float> out(kGroups);
    const auto outcome = run(kGroupSum, {tensor(x), tensor(out)}, groups(kGroups), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t g = 0; g < kGroups; ++g) {
        float sum = 0;
        for (size_t i = 0; i < x.size(); ++i) sum += i / 128 % kGroups == g ? x[i] : 0.0F;
        CHECK(out[g] == sum);
    }
}

TEST_CASE("group_sum without one of its barriers is a race that is found") {
    const std::string whole = kGroupSum;
    const std::string barrier = "barrier\n";
    size_t dropped = 0;
    for (size_t at = whole.find(barrier); at != std::string::npos; at = whole.find(barrier, at + 1)) {
        std::string text = whole;
        text.erase(at, barrier.size());
        std::vector<float> x(3000);
        std::vector<float> out(5);
        const auto outcome = run(text, {tensor(x), tensor(out)}, groups(5), sanitize(kRace));
        REQUIRE(!outcome.failure);
        REQUIRE(!outcome.reports.empty());
        CHECK(outcome.reports[0].kind == ReportKind::race);
        ++dropped;
    }
    CHECK(dropped == 2);
}

constexpr const char* kMandelbrot = R"(
kernel @mandelbrot<H, W>(%img: mut i32[H, W], %limit: i32) flat {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %w = dim {dim = W} : index
  %h = dim {dim = H} : index
  %zero = constant 0.0 : f32
  %two = constant 2.0 : f32
  %four = constant 4.0 : f32
  %x0 = constant -2.0 : f32
  %y0 = constant -1.0 : f32
  %three = constant 3.0 : f32
  %i0 = constant 0 : i32
  %i1 = constant 1 : i32
  lanes %c0, %h, %c1, %c0, %w, %c1 {over = domain} (%py: index, %px: index) {
    %fx = cast %px {type = f32} : f32
    %fy = cast %py {type = f32} : f32
    %fw = cast %w {type = f32} : f32
    %fh = cast %h {type = f32} : f32
    %sx = div %three, %fw : f32
    %sy = div %two, %fh : f32
    %cx = fma %fx, %sx, %x0 : f32
    %cy = fma %fy, %sy, %y0 : f32
    %zr, %zi, %k = while %zero, %zero, %i0 : f32, f32, i32 (%ta: f32, %tb: f32, %tn: i32) {
      %a2 = mul %ta, %ta : f32
      %r2 = fma %tb, %tb, %a2 : f32
      %near = le %r2, %four : bool
      %more = lt %tn, %limit : bool
      %go = bit_and %near, %more : bool
      yield %go
    } do (%a: f32, %b: f32, %n: i32) {
      %b2 = mul %b, %b : f32
      %nb2 = neg %b2 : f32
      %d = fma %a, %a, %nb2 : f32
      %ar = add %d, %cx : f32
      %ab = mul %a, %b : f32
      %br = fma %two, %ab, %cy : f32
      %m = add %n, %i1 : i32
      yield %ar, %br, %m
    }
    write %img[%py, %px], %k
  }
})";

int32_t mandelbrot_at(int64_t px, int64_t py, int64_t w, int64_t h, int32_t limit, uint64_t& rounds) {
    const float cx = std::fma(static_cast<float>(px), 3.0F / static_cast<float>(w), -2.0F);
    const float cy = std::fma(static_cast<float>(py), 2.0F / static_cast<float>(h), -1.0F);
    float a = 0;
    float b = 0;
    int32_t n = 0;
    while (std::fma(b, b, a * a) <= 4.0F && n < limit) {
        const float next = std::fma(a, a, -(b * b)) + cx;
        b = std::fma(2.0F, a * b, cy);
        a = next;
        ++n;
    }
    rounds += static_cast<uint64_t>(n);
    return n;
}

TEST_CASE("mandelbrot: divergent loops; throughput") {
    constexpr int64_t kWidth = 317;
    constexpr int64_t kHeight = 203;
    std::vector<int32_t> image(kWidth * kHeight);
    const Module module = module_of(kMandelbrot);
    const std::vector<KernelArgument> arguments{tensor(image, {kHeight, kWidth}), scalar(int32_t{200})};
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = run_kernel(module.functions.front(), arguments, tiles(kWidth * kHeight), {});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    uint64_t rounds = 0;
    for (int64_t i = 0; i < kWidth * kHeight; ++i) {
        const int32_t expected = mandelbrot_at(i % kWidth, i / kWidth, kWidth, kHeight, 200, rounds);
        REQUIRE(image[static_cast<size_t>(i)] == expected);
    }
    // Twelve operations per round of a lane that is still at work.
    fmt::print("mandelbrot: {:.0f} million element operations per second\n",
               static_cast<double>(rounds) * 12 / seconds / 1e6);
}

TEST_CASE("loops whose bounds differ between lanes, carried values that swap") {
    constexpr const char* kText = R"(
kernel @fibonacci<n>(%out: mut i32[n]) flat {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %n = dim {dim = n} : index
  %i0 = constant 0 : i32
  %i1 = constant 1 : i32
  %m1 = constant -1 : i32
  lanes %c0, %n, %c1 {over = domain} (%i: index) {
    %end = cast %i {type = i32} : i32
    %a, %b = for %i0, %end, %i1, %i0, %i1 : i32, i32 (%k: i32, %p: i32, %q: i32) {
      %s = add %p, %q : i32
      yield %q, %s
    }
    %down = for %end, %i0, %m1, %i0 : i32 (%kd: i32, %pd: i32) {
      %next = add %pd, %kd : i32
      yield %next
    }
    %x, %y = for %i0, %end, %i1, %a, %down : i32, i32 (%ks: i32, %ps: i32, %qs: i32) {
      yield %qs, %ps
    }
    %two = add %x, %y : i32
    write %out[%i], %two
  }
})";
    std::vector<int32_t> out(40);
    const auto outcome = run(kText, {tensor(out)}, tiles(40));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    uint32_t a = 0;
    uint32_t b = 1;
    for (size_t i = 0; i < out.size(); ++i) {
        CHECK(out[i] == static_cast<int32_t>(a + i * (i + 1) / 2));
        const uint32_t next = a + b;
        a = b;
        b = next;
    }
}

TEST_CASE("branches that lanes take apart, with results") {
    constexpr const char* kText = R"(
kernel @branches<n>(%out: mut f32[n]) flat {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c3 = constant 3 : index
  %n = dim {dim = n} : index
  %f1 = constant 1.0 : f32
  %f2 = constant 2.0 : f32
  lanes %c0, %n, %c1 {over = domain} (%i: index) {
    %m = mod %i, %c3 : index
    %zero = eq %m, %c0 : bool
    %v, %w = if %zero : f32, f32 {
      yield %f1, %f2
    } else {
      %one = eq %m, %c1 : bool
      %inner = if %one : f32 {
        %f = cast %i {type = f32} : f32
        yield %f
      } else {
        yield %f2
      }
      yield %inner, %f1
    }
    %s = add %v, %w : f32
    write %out[%i], %s
  }
})";
    std::vector<float> out(3000);
    const auto outcome = run(kText, {tensor(out)}, tiles(3000));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < out.size(); ++i) {
        CHECK(out[i] == (i % 3 == 0 ? 3.0F : i % 3 == 1 ? static_cast<float>(i) + 1.0F : 3.0F));
    }
}

}  // namespace
}  // namespace tsr::ir::eval
