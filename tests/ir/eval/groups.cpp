// What the tiles of a group share: buffers, copies, collectives, atomics, grid loops, text.
#include <cmath>
#include <numeric>

#include "harness.h"

namespace tsr::ir::eval {
namespace {

// A kernel over groups of `size` tiles with the usual constants in front of `body`.
std::string kernel(const std::string& params, int size, const std::string& body) {
    return "kernel @k" + params + " group [" + std::to_string(size) +
           "] {\n"
           "  %c0 = constant 0 : index\n  %c1 = constant 1 : index\n  %c2 = constant 2 : index\n"
           "  %size = group_size : index\n  %group = group_id : index\n" +
           body + "}\n";
}

TEST_CASE("reductions go by warps of 32, pairwise, then in order") {
    const std::string text = kernel("<n>(%x: f32[n], %out: mut f32[4])", 80, R"(
  %v = lanes %c0, %size, %c1 {over = tiles} : lanes f32 (%i: index) {
    %e = read %x[%i] : f32
    yield %e
  }
  %sum = group_reduce %v {op = add} : f32
  %max = group_reduce %v {op = max} : f32
  %product = group_reduce %v {op = mul} : f32
  %c3 = constant 3 : index
  write %out[%c0], %sum
  write %out[%c1], %max
  write %out[%c2], %product
  %s = group_scan %v {op = add} : lanes f32
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %p = lane_read %s : f32
    %last = constant 79 : index
    %is = eq %j, %last : bool
    if %is {
      write %out[%c3], %p
    }
  }
)");
    std::vector<float> x(80);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0F + 0.1F * static_cast<float>(i);
    std::vector<float> out(4);
    const auto outcome = run(text, {tensor(x), tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    float sum = 0;
    float product = 1;
    for (size_t w = 0; w < 80; w += 32) {
        std::vector<float> warp(x.begin() + static_cast<long>(w),
                                x.begin() + static_cast<long>(std::min<size_t>(w + 32, 80)));
        std::vector<float> factors = warp;
        for (size_t d = 16; d > 0; d /= 2) {
            for (size_t i = 0; i < d && i + d < warp.size(); ++i) {
                warp[i] += warp[i + d];
                factors[i] *= factors[i + d];
            }
        }
        sum = w == 0 ? warp[0] : sum + warp[0];
        product = w == 0 ? factors[0] : product * factors[0];
    }
    CHECK(out[0] == sum);
    CHECK(out[1] == x[79]);
    CHECK(out[2] == product);
    CHECK(out[3] == std::accumulate(x.begin() + 1, x.end(), x[0]));
}

TEST_CASE("shuffle, broadcast and ballot stay in their warp") {
    const std::string text = kernel("(%out: mut i32[3, 48])", 48, R"(
  %v = lanes %c0, %size, %c1 {over = tiles} : lanes i32 (%i: index) {
    %e = cast %i {type = i32} : i32
    yield %e
  }
  %src = lanes %c0, %size, %c1 {over = tiles} : lanes index (%i2: index) {
    %s = add %i2, %c1 : index
    yield %s
  }
  %odd = lanes %c0, %size, %c1 {over = tiles} : lanes bool (%i3: index) {
    %m = mod %i3, %c2 : index
    %b = eq %m, %c1 : bool
    yield %b
  }
  %next = shuffle %v, %src : lanes i32
  %second = broadcast %v, %c2 : lanes i32
  %bits = ballot %odd : lanes u32
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %a = lane_read %next : i32
    write %out[%c0, %j], %a
    %c = lane_read %second : i32
    write %out[%c1, %j], %c
    %d = lane_read %bits : u32
    %f = cast %d {type = i32} : i32
    write %out[%c2, %j], %f
  }
)");
    std::vector<int32_t> out(3 * 48);
    const auto outcome = run(text, {tensor(out, {3, 48})}, groups(1));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (int i = 0; i < 48; ++i) {
        const int warp = i / 32 * 32;
        const int next = warp + (i + 1) % 32;
        CHECK(out[static_cast<size_t>(i)] == (next < 48 ? next : i));
        CHECK(out[static_cast<size_t>(48 + i)] == warp + 2);
        CHECK(static_cast<uint32_t>(out[static_cast<size_t>(96 + i)]) == (i < 32 ? 0xAAAAAAAAU : 0xAAAAU));
    }
}

TEST_CASE("atomics happen once per tile, in order; compare_exchange compares") {
    const std::string text = kernel("(%count: mut i32[2], %order: mut i32[96], %slot: mut i32[1])", 48, R"(
  %one = constant 1 : i32
  %zero = constant 0 : i32
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %parity = mod %i, %c2 : index
    %odd = eq %parity, %c1 : bool
    %old = atomic %count[%c0], %one {op = add} : i32
    write %order[%old], %old
    if %odd {
      %t = atomic %count[%c1], %one {op = add} : i32
    }
    %n = cast %i {type = i32} : i32
    %m = add %n, %one : i32
    %u = atomic %slot[%c0], %m, %zero {op = compare_exchange} : i32
  }
)");
    std::vector<int32_t> count(2);
    std::vector<int32_t> order(96, -1);
    std::vector<int32_t> slot(1);
    const auto outcome = run(text, {tensor(count), tensor(order), tensor(slot)}, groups(2), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(count == std::vector<int32_t>{96, 48});
    for (int32_t i = 0; i < 96; ++i) CHECK(order[static_cast<size_t>(i)] == i);
    CHECK(slot[0] == 1);
}

constexpr const char* kDoubleBuffer = R"(
  %n = dim {dim = n} : index
  %c4 = constant 4 : index
  %zero = constant 0.0 : f32
  %b = buffer {type = f32, shape = [64], count = 2, name = "ring"} : shared f32[64]
  %b0 = stage %b, %c0 : shared f32[64]
  copy_async %b0, %x[%c0]
  commit
  %acc0 = lanes %c0, %size, %c1 {over = tiles} : lanes f32 (%i0: index) {
    yield %zero
  }
  %acc = for %c0, %c4, %c1, %acc0 : lanes f32 (%t: index, %a: lanes f32) {
    %t1 = add %t, %c1 : index
    %at = mod %t1, %c2 : index
    %start = mul %t1, %size : index
    %next = stage %b, %at : shared f32[64]
    copy_async %next, %x[%start]
    commit
    WAIT
    %cur = mod %t, %c2 : index
    %here = stage %b, %cur : shared f32[64]
    %sum = lanes %c0, %size, %c1 {over = tiles} : lanes f32 (%i: index) {
      %p = lane_read %a : f32
      %e = read %here[%i] : f32
      %q = add %p, %e : f32
      yield %q
    }
    barrier
    yield %sum
  }
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %r = lane_read %acc : f32
    write %out[%j], %r
  }
)";

std::string double_buffer(const std::string& wait) {
    std::string body = kDoubleBuffer;
    body.replace(body.find("WAIT"), 4, wait);
    return kernel("<n>(%x: f32[n], %out: mut f32[64])", 64, body);
}

TEST_CASE("copies arrive at the wait that covers them and a barrier; outside the tensor is 0") {
    std::vector<float> x(200);
    std::iota(x.begin(), x.end(), 1.0F);
    std::vector<float> out(64);
    for (Sanitizers sanitizers : {Sanitizers{}, kRace}) {
        const auto outcome = run(double_buffer("wait_group {count = 1}\n    barrier"), {tensor(x), tensor(out)},
                                 groups(1), sanitize(sanitizers));
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
        for (size_t i = 0; i < 64; ++i) {
            float sum = 0;
            for (size_t t = 0; t < 4; ++t) sum += t * 64 + i < x.size() ? x[t * 64 + i] : 0.0F;
            CHECK(out[i] == sum);
        }
    }
}

TEST_CASE("a copy that no wait, or no barrier, covers is reported") {
    std::vector<float> x(200);
    std::vector<float> out(64);
    for (const char* wait : {"wait_group {count = 2}\n    barrier", "wait_group {count = 1}", "barrier"}) {
        const auto outcome = run(double_buffer(wait), {tensor(x), tensor(out)}, groups(1), sanitize(kRace));
        REQUIRE(!outcome.failure);
        REQUIRE(!outcome.reports.empty());
        CHECK(outcome.reports[0].kind == ReportKind::copy);
        CHECK(outcome.reports[0].message.find("'ring'[0][0] is read by tile 0 of group 0") == 0);
    }
}

TEST_CASE("in a kernel without commits the next barrier ends a copy; leading axes are single positions") {
    const std::string text = kernel("(%x: f32[3, 4, 5], %out: mut f32[2, 8])", 16, R"(
  %cm1 = constant -1 : index
  %c8 = constant 8 : index
  %b = buffer {type = f32, shape = [2, 8]} : shared f32[2, 8]
  copy_async %b, %x[%c1, %c2, %cm1]
  barrier
  lanes %c0, %c2, %c1, %c0, %c8, %c1 {over = loop} (%i: index, %j: index) {
    %v = read %b[%i, %j] : f32
    write %out[%i, %j], %v
  }
)");
    std::vector<float> x(60);
    std::iota(x.begin(), x.end(), 0.0F);
    std::vector<float> out(16, -1.0F);
    const auto outcome = run(text, {tensor(x, {3, 4, 5}), tensor(out, {2, 8})}, groups(1), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < 2; ++i) {
        for (size_t j = 0; j < 8; ++j) {
            CHECK(out[i * 8 + j] == (j >= 1 && j <= 5 ? static_cast<float>(20 + (2 + i) * 5 + j - 1) : 0.0F));
        }
    }
}

TEST_CASE("a buffer is summed in sixteen partials") {
    const std::string text = kernel("(%x: f32[37], %out: mut f32[1])", 37, R"(
  %b = buffer {type = f32, shape = [37]} : shared f32[37]
  copy_async %b, %x[%c0]
  barrier
  %sum = buffer_reduce %b {op = add} : f32
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %is = eq %i, %c2 : bool
    if %is {
      %again = buffer_reduce %b {op = add} : f32
      %d = sub %sum, %again : f32
      %e = add %sum, %d : f32
      write %out[%c0], %e
    }
  }
)");
    std::vector<float> x(37);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0F / static_cast<float>(i + 1);
    std::vector<float> out(1);
    const auto outcome = run(text, {tensor(x), tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    std::vector<float> partial(16);
    for (size_t i = 0; i < x.size(); ++i) partial[i % 16] += x[i];
    for (size_t d = 8; d > 0; d /= 2) {
        for (size_t i = 0; i < d; ++i) partial[i] += partial[i + d];
    }
    CHECK(out[0] == partial[0]);
}

TEST_CASE("a grid loop gives round q to group q % groups") {
    const std::string text = kernel("<M, N>(%out: mut i32[M, N])", 4, R"(
  %m = dim {dim = M} : index
  %n = dim {dim = N} : index
  %g = cast %group {type = i32} : i32
  grid %c0, %m, %c2, %c0, %n, %c1 (%i: index, %j: index) {
    lanes %c0, %c2, %c1 {over = loop} (%k: index) {
      %row = add %i, %k : index
      %in = lt %row, %m : bool
      if %in {
        write %out[%row, %j], %g
      }
    }
  }
)");
    std::vector<int32_t> out(5 * 3, -1);
    const auto outcome = run(text, {tensor(out, {5, 3})}, groups(4), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 3; ++j) CHECK(out[static_cast<size_t>(i * 3 + j)] == (i / 2 * 3 + j) % 4);
    }
}

TEST_CASE("vectors of a tile") {
    const std::string text = kernel("<n>(%x: mut f32[n])", 8, R"(
  %c4 = constant 4 : index
  %two = constant 2.0 : f32
  %pair = vector_build %two, %two : f32x2
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %at = mul %i, %c4 : index
    %v = read_vector %x[%at] {width = 4} : f32x4
    %w = mul %v, %v : f32x4
    %a = vector_extract %w {axis = 1} : f32
    %b = vector_extract %v {axis = 3} : f32
    %p = vector_build %a, %b : f32x2
    %q = mul %p, %pair : f32x2
    %odd = gt %a, %b : bool
    %r = select %odd, %q, %p : f32x2
    write_vector %x[%at], %r
  }
  %g = read_vector %x[%c0] {width = 2} : f32x2
  %h = add %g, %pair : f32x2
  write_vector %x[%c0], %h
)");
    std::vector<float> x(32);
    std::iota(x.begin(), x.end(), 0.0F);
    const std::vector<float> before = x;
    const auto outcome = run(text, {tensor(x)}, groups(1), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < 8; ++i) {
        const float a = before[i * 4 + 1] * before[i * 4 + 1];
        const float b = before[i * 4 + 3];
        const float by = a > b ? 2.0F : 1.0F;
        const float more = i == 0 ? 2.0F : 0.0F;
        CHECK(x[i * 4] == a * by + more);
        CHECK(x[i * 4 + 1] == b * by + more);
        CHECK(x[i * 4 + 2] == before[i * 4 + 2]);
    }
}

TEST_CASE("lane arrays of vectors, carried by a loop of the group") {
    const std::string text = kernel("(%out: mut f32[16])", 8, R"(
  %c3 = constant 3 : index
  %one = constant 1.0 : f32
  %ones = vector_build %one, %one : f32x2
  %v = lanes %c0, %size, %c1 {over = tiles} : lanes f32x2 (%i: index) {
    %f = cast %i {type = f32} : f32
    %p = vector_build %f, %one : f32x2
    yield %p
  }
  %w = for %c0, %c3, %c1, %v : lanes f32x2 (%k: index, %a: lanes f32x2) {
    %n = lanes %c0, %size, %c1 {over = tiles} : lanes f32x2 (%j: index) {
      %old = lane_read %a : f32x2
      %new = add %old, %ones : f32x2
      yield %new
    }
    yield %n
  }
  lanes %c0, %size, %c1 {over = tiles} (%m: index) {
    %r = lane_read %w : f32x2
    %at = mul %m, %c2 : index
    write_vector %out[%at], %r
  }
)");
    std::vector<float> out(16);
    const auto outcome = run(text, {tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < 8; ++i) {
        CHECK(out[2 * i] == static_cast<float>(i) + 3.0F);
        CHECK(out[2 * i + 1] == 4.0F);
    }
}

TEST_CASE("elements of fewer than 8 bits are packed in tensors, not in buffers") {
    const std::string text = kernel("(%x: fp6_e2m3[2, 5], %n: mut i8[2, 5])", 10, R"(
  %c5 = constant 5 : index
  %m2 = constant -2 : i32
  %b = buffer {type = fp6_e2m3, shape = [5]} : shared fp6_e2m3[5]
  copy_async %b, %x[%c1, %c0]
  barrier
  lanes %c0, %c5, %c1 {over = loop} (%i: index) {
    %e = read %b[%i] : fp6_e2m3
    %f = cast %e {type = i32} : i32
    %g = mul %f, %m2 : i32
    %h = cast %g {type = i8} : i8
    write %n[%c1, %i], %h
  }
)");
    // 1.0, 2.0, 3.0, 4.0 (and 5.0 in the next pack) as 0x08, 0x10, 0x14, 0x18, 0x1a; rows of two packs of three bytes.
    std::vector<uint8_t> x(12);
    const uint32_t pack = 0x08U | 0x10U << 6 | 0x14U << 12 | 0x18U << 18;
    for (size_t k = 0; k < 3; ++k) x[6 + k] = static_cast<uint8_t>(pack >> (8 * k));
    x[9] = 0x1A;
    std::vector<int8_t> n(10, 1);
    const auto outcome =
        run(text, {TensorRef{x.data(), DType::fp6_e2m3, {2, 5}}, TensorRef{n.data(), DType::i8, {2, 5}}}, groups(1),
            sanitize(kRace));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(n == std::vector<int8_t>{1, 1, 1, 1, 1, -2, -4, -6, -8, -10});
}

TEST_CASE("lines come by group and tile; a failed assert ends the run") {
    const std::string text = kernel("(%limit: i32)", 3, R"(
  %g = cast %group {type = i32} : i32
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %odd = mod %i, %c2 : index
    %even = eq %odd, %c0 : bool
    %f = cast %i {type = f32} : f32
    if %even {
      print %i, %group, %f {text = "tile {} of {}: {} {{}}"}
    }
    %n = cast %i {type = i32} : i32
    %s = add %n, %g : i32
    %ok = lt %s, %limit : bool
    assert %ok, %s {text = "sum {} is too large"}
  }
)");
    const auto fine = run(text, {scalar(int32_t{100})}, groups(2));
    REQUIRE_MESSAGE(fine.clean(), why(fine));
    CHECK(fine.printed == std::vector<std::string>{"tile 0 of 0: 0.0 {}", "tile 2 of 0: 2.0 {}", "tile 0 of 1: 0.0 {}",
                                                   "tile 2 of 1: 2.0 {}"});
    const auto failed = run(text, {scalar(int32_t{3})}, groups(2));
    REQUIRE(failed.failure.has_value());
    CHECK(failed.failure->message == "assertion failed: sum 3 is too large, in tile 2 of group 1");
    CHECK(failed.failure->function == "k");
}

TEST_CASE("what a kernel returns is group 0's") {
    const auto outcome = run(kernel("()", 1, "  %r = add %group, %c2 : index\n  result %r\n"), {}, groups(3));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    REQUIRE(outcome.result.has_value());
    CHECK(outcome.result->type == DType::index);
    CHECK(outcome.result->bits == 2);
}

TEST_CASE("a kernel that can not be run is refused") {
    auto one_tile =
        run("kernel @k(%x: mut f32[4]) {\n  %i = tile_id : index\n  %e = read %x[%i] : f32\n  write %x[%i], %e\n}", {},
            groups(1));
    REQUIRE(one_tile.failure.has_value());
    CHECK(one_tile.failure->message == "the kernel is the program of one tile: the evaluator runs the group's form");
    const auto scan = run("kernel @k(%x: f32) {\n  %y = group_scan %x {op = add} : f32\n}", {}, groups(1));
    REQUIRE(scan.failure.has_value());
    CHECK(scan.failure->message == "'group_scan' of a value that is the same for all tiles");
}

TEST_CASE("a value that all tiles share is the same wherever it comes from") {
    const auto outcome = run("kernel @k(%x: f32, %l: index) {\n  %y = shuffle %x, %l : f32\n  result %y\n}",
                             {scalar(1.5F), scalar(int64_t{3})}, groups(1));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    CHECK(outcome.result->bits == 0x3FC00000);
}

TEST_CASE("exp and its kin are computed as every machine computes them") {
    const auto outcome = run("kernel @k(%x: f32) {\n  %y = tanh %x : f32\n  result %y\n}", {scalar(0.5F)}, groups(1));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    float y = 0;
    std::memcpy(&y, &outcome.result->bits, 4);
    CHECK(y == doctest::Approx(std::tanh(0.5)).epsilon(1e-6));
}

}  // namespace
}  // namespace tsr::ir::eval
