// Register tiles through loops and branches, and what the sanitizers see of them.
#include <cmath>
#include <limits>

#include "any_tensor.h"
#include "ir/eval/program.h"

namespace tsr::ir::eval {
namespace {

TEST_CASE("a loop carries tiles that swap their places") {
    std::vector<int32_t> x{1, 2, 3, 4};
    std::vector<int32_t> y(8);
    const std::string text = one_group("(%x: i32[4], %y: mut i32[2, 4], %n: index)", R"(
  %c1 = constant 1 : index
  %a = load_tile %x, %z {axes = [0], shape = [4]} : tile i32[4]
  %b = neg %a : tile i32[4]
  %p, %q = for %z, %n, %c1, %a, %b {loop = in_order} : tile i32[4], tile i32[4] (%k: index, %l: tile i32[4], %r: tile i32[4]) {
    %s = add %l, %l : tile i32[4]
    yield %r, %s
  }
  store_tile %y, %p, %z, %z {axes = [1]}
  store_tile %y, %q, %c1, %z {axes = [1]}
)");
    for (int64_t n = 0; n < 6; ++n) {
        REQUIRE(run(text, {tensor(x), tensor(y, {2, 4}), scalar(n)}, groups(1), watched()).clean());
        for (int32_t i = 0; i < 4; ++i) {
            int32_t left = i + 1;
            int32_t right = -left;
            for (int64_t k = 0; k < n; ++k) {
                const int32_t twice = 2 * left;
                left = right;
                right = twice;
            }
            CHECK(y[static_cast<size_t>(i)] == left);
            CHECK(y[static_cast<size_t>(4 + i)] == right);
        }
    }
}

TEST_CASE("while and if carry tiles; what a branch does not touch stays") {
    std::vector<float> x{1, 2, 3, 4, 5, 6};
    std::vector<float> y(6);
    // Doubles where the round is odd, else adds the tile of the beginning; in branches of branches.
    const std::string text = one_group("(%x: f32[2, 3], %y: mut f32[2, 3], %n: i32)", R"(
  %c0 = constant 0 : i32
  %c1 = constant 1 : i32
  %c2 = constant 2 : i32
  %a = load_tile %x, %z, %z {axes = [0, 1], shape = [2, 3]} : tile f32[2, 3]
  %i, %t = while %c0, %a : i32, tile f32[2, 3] (%i.1: i32, %t.1: tile f32[2, 3]) {
    %more = lt %i.1, %n : bool
    yield %more
  } do (%i.2: i32, %t.2: tile f32[2, 3]) {
    %m = mod %i.2, %c2 : i32
    %odd = eq %m, %c1 : bool
    %u, %keep = if %odd : tile f32[2, 3], tile f32[2, 3] {
      %d = add %t.2, %t.2 : tile f32[2, 3]
      yield %d, %a
    } else {
      %big = gt %i.2, %c2 : bool
      %e = if %big : tile f32[2, 3] {
        yield %t.2
      } else {
        %f = add %t.2, %a : tile f32[2, 3]
        yield %f
      }
      yield %e, %t.2
    }
    %same = maximum %u, %keep : tile f32[2, 3]
    %next = add %i.2, %c1 : i32
    yield %next, %same
  }
  store_tile %y, %t, %z, %z {axes = [0, 1]}
)");
    for (int32_t n = 0; n < 7; ++n) {
        REQUIRE(run(text, {tensor(x, {2, 3}), tensor(y, {2, 3}), scalar(n)}, groups(1), watched()).clean());
        for (size_t e = 0; e < 6; ++e) {
            float t = x[e];
            for (int32_t i = 0; i < n; ++i) t = i % 2 == 1 ? 2 * t : i > 2 ? t : t + x[e];
            CHECK(y[e] == t);
        }
    }
}

TEST_CASE("tiles and lanes take turns: the group's statements stand in order with its tiles'") {
    std::vector<float> x(64);
    std::vector<float> y(64);
    for (size_t i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
    const std::string text = R"(kernel @k(%x: f32[64], %y: mut f32[64]) group [64] {
  %z = constant 0 : index
  %c1 = constant 1 : index
  %size = group_size : index
  %s = buffer {type = f32, shape = [64], name = "s"} : shared f32[64]
  lanes %z, %size, %c1 {over = tiles} (%i: index) {
    %v = read %x[%i] : f32
    write %s[%i], %v
  }
  %t = load_tile %s, %z {axes = [0], shape = [64]} : tile f32[64]
  %sum = reduce %t {axis = 0, op = add} : f32
  %all = expand %sum {axes = [], shape = [64]} : tile f32[64]
  %d = sub %all, %t : tile f32[64]
  store_tile %s, %d, %z {axes = [0]}
  lanes %z, %size, %c1 {over = tiles} (%j: index) {
    %last = sub %size, %c1 : index
    %k = sub %last, %j : index
    %w = read %s[%k] : f32
    write %y[%j], %w
  }
}
)";
    const auto outcome = run(text, {tensor(x), tensor(y)}, groups(1), watched());
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < 64; ++i) CHECK(y[i] == 2016.0F - static_cast<float>(63 - i));
}

TEST_CASE("the places of tiles are used again") {
    // Fifty tiles of 4 MiB, two alive at a time: one after the other would not fit a frame of 128 MiB.
    std::string body = load_all("%t0", "%x", DType::f32, {1024, 1024});
    for (int i = 0; i < 50; ++i) {
        body += fmt::format("  %t{} = add %t{}, %t{} : tile f32[1024, 1024]\n", i + 1, i, i);
    }
    body += "  %r = reduce %t50 {axis = 0, op = max} : tile f32[1024]\n" + store_all("%y", "%r", {1024});
    const Module module = module_of(one_group("(%x: f32[1024, 1024], %y: mut f32[1024])", body));
    const auto compiled = compile_kernel(module.functions.front(), {});
    REQUIRE(std::holds_alternative<Program>(compiled));
    CHECK(std::get<Program>(compiled).frame_bytes < 16U << 20U);
}

TEST_CASE("a tile that no frame holds, and one among the code of single tiles, are refused") {
    std::vector<float> y(4);
    const auto huge = run(one_group("(%y: mut f32[4])", R"(
  %c = constant 1.0 : f32
  %t = expand %c {axes = [], shape = [100000, 100000]} : tile f32[100000, 100000]
  %r = reduce %t {axis = 0, op = max} : tile f32[100000]
  store_tile %y, %r, %z {axes = [0]}
)"),
                          {tensor(y)}, groups(1));
    REQUIRE(huge.failure);
    CHECK(huge.failure->message == "tile f32[100000, 100000] does not fit a frame of 4 GiB");
    const auto inside = run(one_group("(%y: mut f32[4])", R"(
  %c = constant 1.0 : f32
  %c1 = constant 1 : index
  %size = group_size : index
  lanes %z, %size, %c1 {over = tiles} (%i: index) {
    %t = expand %c {axes = [], shape = [4]} : tile f32[4]
    store_tile %y, %t, %z {axes = [0]}
  }
)"),
                            {tensor(y)}, groups(1));
    REQUIRE(inside.failure);
    CHECK(inside.failure->message == "'expand' of a register tile stands among the code of one tile");
}

std::string at_group(const std::string& params, const std::string& body) {
    return one_group(params,
                     "  %g = group_id : index\n  %step = constant 4 : index\n  %i = mul %g, %step : index\n" + body);
}

TEST_CASE("race: groups that store to one element, and one that reads what another stores") {
    std::vector<int32_t> x(32);
    const auto stores = [](const std::string& extent) {
        return at_group("(%x: mut i32[32])", "  %c = constant 7 : i32\n  %t = expand %c {axes = [], shape = [" +
                                                 extent + "]} : tile i32[" + extent +
                                                 "]\n  store_tile %x, %t, %i {axes = [0]}\n");
    };
    CHECK(run(stores("4"), {tensor(x)}, groups(8), watched()).clean());
    CHECK(run(stores("4"), {tensor(x)}, groups(20), watched()).clean());  // beyond the end nothing is stored
    const auto racing = run(stores("5"), {tensor(x)}, groups(8), watched());
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].kind == ReportKind::race);
    CHECK(racing.reports[0].message == "'x'[4] is written by group 1, and nothing orders that with another access");
    CHECK(racing.reports[0].other_text == "written here by group 0");

    const auto reading = run(at_group("(%x: mut i32[32])", R"(
  %t = load_tile %x, %z {axes = [0], shape = [6]} : tile i32[6]
  %u = load_tile %x, %i {axes = [0], shape = [4]} : tile i32[4]
  store_tile %x, %u, %i {axes = [0]}
)"),
                             {tensor(x)}, groups(2), watched());
    REQUIRE(reading.reports.size() == 2);
    CHECK(reading.reports[0].message == "'x'[0] is read by group 1, and nothing orders that with another access");
    CHECK(reading.reports[1].message == "'x'[4] is written by group 1, and nothing orders that with another access");
    CHECK(reading.reports[1].other_text == "read here by group 0");
}

TEST_CASE("race: atomics are ordered with each other alone; packs are stored as wholes") {
    std::vector<int32_t> x(32);
    const std::string add =
        "  %c = constant 7 : i32\n  %t = expand %c {axes = [], shape = [8]} : tile i32[8]\n"
        "  atomic_tile %x, %t, %i {axes = [0], op = add}\n";
    CHECK(run(at_group("(%x: mut i32[32])", add), {tensor(x)}, groups(8), watched()).clean());
    const auto mixed = run(at_group("(%x: mut i32[32])", add + "  store_tile %x, %t, %i {axes = [0]}\n"), {tensor(x)},
                           groups(8), watched());
    REQUIRE(!mixed.reports.empty());
    CHECK(mixed.reports[0].other_text == "written here by group 0");

    const auto packed = [](int64_t step) {
        return one_group("(%x: mut i4[32])", fmt::format(R"(
  %g = group_id : index
  %step = constant {0} : index
  %i = mul %g, %step : index
  %c = constant 7 : i4
  %t = expand %c {{axes = [], shape = [{0}]}} : tile i4[{0}]
  store_tile %x, %t, %i {{axes = [0]}}
)",
                                                         step));
    };
    AnyTensor nibbles(DType::i4, {32});
    CHECK(run(packed(4), {nibbles.argument()}, groups(8), watched()).clean());
    const auto halves = run(packed(3), {nibbles.argument()}, groups(8), watched());
    CHECK(why(halves).find("begins at element 3 of its rows, which has no byte of its own, by group 1") !=
          std::string::npos);
}

TEST_CASE("buffers: tiles and products read what was written, and what a copy has brought") {
    std::vector<float> x(16, 1.0F);
    std::vector<float> y(16);
    const auto with = [&](const std::string& before, const std::string& use) {
        return run(one_group("(%x: f32[4, 4], %y: mut f32[4, 4])",
                             "  %s = buffer {type = f32, shape = [4, 4], name = \"s\"} : shared f32[4, 4]\n" + before +
                                 use + store_all("%y", "%t", {4, 4})),
                   {tensor(x, {4, 4}), tensor(y, {4, 4})}, groups(1), watched());
    };
    const std::string load = load_all("%t", "%s", DType::f32, {4, 4});
    const std::string product = "  %t = mma %s, %s {type = f32} : tile f32[4, 4]\n";
    for (const std::string& use : {load, product}) {
        const auto nothing = with("", use);
        REQUIRE(!nothing.reports.empty());
        CHECK(nothing.reports[0].kind == ReportKind::uninitialized);
        CHECK(nothing.reports[0].message == "'s'[0, 0] is read by group 0 before anything was written there");
        const auto early = with("  copy_async %s, %x, %z, %z\n", use);
        REQUIRE(!early.reports.empty());
        CHECK(early.reports[0].kind == ReportKind::copy);
        CHECK(with("  copy_async %s, %x, %z, %z\n  barrier\n", use).clean());
    }
}

TEST_CASE("a product that is under way is there when it was waited for") {
    std::vector<float> x(16);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    std::vector<float> y(16);
    const std::string started = "  %r = mma %a, %a, %a {type = f32, pending} : tile f32[4, 4]\n",
                      waited = "  %t = wait_group %r {count = 0, products} : tile f32[4, 4]\n";
    const auto outcome =
        run(one_group("(%x: f32[4, 4], %y: mut f32[4, 4])",
                      load_all("%a", "%x", DType::f32, {4, 4}) + started + waited + store_all("%y", "%t", {4, 4})),
            {tensor(x, {4, 4}), tensor(y, {4, 4})}, groups(1), watched());
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (size_t i = 0; i < 16; ++i) {
        float sum = x[i];
        for (size_t k = 0; k < 4; ++k) sum += x[i / 4 * 4 + k] * x[k * 4 + i % 4];
        CHECK(y[i] == sum);
    }
}

TEST_CASE("nan: the first element that is not finite, and where it stands") {
    constexpr float kMost = std::numeric_limits<float>::max();
    std::vector<float> x(6, 1.0F);
    std::vector<float> y(6);
    const auto of = [&](const std::string& body, const std::string& result, const Shape& shape) {
        return run(one_group("(%x: f32[2, 3], %y: mut f32[6])",
                             load_all("%a", "%x", DType::f32, {2, 3}) + body +
                                 fmt::format("  %r = reduce {} {{axis = 0, op = max}} : tile f32[{}]\n"
                                             "  store_tile %y, %r, %z {{axes = [0]}}\n",
                                             result, shape[1])),
                   {tensor(x, {2, 3}), tensor(y)}, groups(1), sanitize(kNan));
    };
    const auto only = [](const KernelOutcome& outcome, const std::string& message) {
        REQUIRE_MESSAGE(outcome.reports.size() == 1, why(outcome));
        CHECK(outcome.reports[0].kind == ReportKind::nan);
        CHECK(outcome.reports[0].message == message);
    };
    x[5] = kMost;
    only(of("  %b = add %a, %a : tile f32[2, 3]\n", "%b", {2, 3}),
         "'add' of f32 makes inf from finite operands 3.4028234663852886e+38, 3.4028234663852886e+38, at [1, 2], in "
         "group 0");
    only(of("  %b = exp %a : tile f32[2, 3]\n", "%b", {2, 3}),
         "'exp' of f32 makes inf from finite operands 3.4028234663852886e+38, at [1, 2], in group 0");
    only(of("  %b = scan %a {axis = 1, op = mul} : tile f32[2, 3]\n  %c = add %b, %b : tile f32[2, 3]\n", "%c", {2, 3}),
         "'add' of f32 makes inf from finite operands 3.4028234663852886e+38, 3.4028234663852886e+38, at [1, 2], in "
         "group 0");
    only(of("  %b = mma %a, %a {b_transposed, type = f32} : tile f32[2, 2]\n", "%b", {2, 2}),
         "'mma' of f32 makes NaN or an infinity from finite operands, at [1, 1], in group 0");
    x[4] = kMost;
    only(of("  %b = scan %a {axis = 1, op = add} : tile f32[2, 3]\n", "%b", {2, 3}),
         "'scan' of f32 makes NaN or an infinity from finite operands, at [1, 2], in group 0");
    only(of("  %b = reduce %a {axis = 1, op = add} : tile f32[2]\n"
            "  %c = expand %b {axes = [1], shape = [1, 2]} : tile f32[1, 2]\n",
            "%c", {1, 2}),
         "'reduce' of f32 makes NaN or an infinity from finite operands, at [1], in group 0");
    x[4] = x[5] = std::numeric_limits<float>::infinity();
    CHECK(of("  %b = add %a, %a : tile f32[2, 3]\n  %c = exp %b : tile f32[2, 3]\n", "%c", {2, 3}).clean());
    CHECK(of("  %b = mma %a, %a {b_transposed, type = f32} : tile f32[2, 2]\n", "%b", {2, 2}).clean());
}

}  // namespace
}  // namespace tsr::ir::eval
