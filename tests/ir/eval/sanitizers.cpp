// Each sanitizer with what it must find and what it must let pass.
#include <cmath>
#include <limits>

#include "harness.h"

namespace tsr::ir::eval {
namespace {

std::string kernel(const std::string& params, const std::string& body) {
    return "kernel @k" + params +
           " group [64] {\n  %c0 = constant 0 : index\n  %c1 = constant 1 : index\n"
           "  %size = group_size : index\n  %group = group_id : index\n  %f1 = constant 1.0 : f32\n" +
           body + "}\n";
}

// Every tile writes its element and reads its neighbour's.
std::string neighbours(const std::string& between) {
    return kernel("(%out: mut f32[64])", R"(
  %s = buffer {type = f32, shape = [64], name = "smem"} : shared f32[64]
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %f = cast %i {type = f32} : f32
    write %s[%i], %f
  }
  )" + between + R"(
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %k = add %j, %c1 : index
    %l = mod %k, %size : index
    %v = read %s[%l] : f32
    write %out[%j], %v
  }
)");
}

TEST_CASE("race: a barrier between a write and a neighbour's read") {
    std::vector<float> out(64);
    const auto ordered = run(neighbours("barrier"), {tensor(out)}, groups(1), sanitize(kRace));
    CHECK_MESSAGE(ordered.clean(), why(ordered));
    CHECK(out[0] == 1.0F);

    const auto racing = run(neighbours(""), {tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].kind == ReportKind::race);
    CHECK(racing.reports[0].message ==
          "'smem'[1] is read by tile 0 of group 0, and nothing orders that with another access");
    CHECK(racing.reports[0].other_text == "written here by tile 1 of group 0");
    CHECK(run(neighbours(""), {tensor(out)}, groups(1)).clean());  // nobody asked
}

TEST_CASE("race: writes after reads, and reads by several tiles") {
    const auto text = [](const std::string& between) {
        return kernel("(%x: mut f32[64])", R"(
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %v = read %x[%c0] : f32
    %w = add %v, %f1 : f32
    )" + between + R"(
    %is = eq %i, %c1 : bool
    if %is {
      write %x[%c0], %w
    }
  }
)");
    };
    std::vector<float> x(64);
    const auto racing = run(text(""), {tensor(x)}, groups(1), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].message ==
          "'x'[0] is written by tile 1 of group 0, and nothing orders that with another access");
    CHECK(racing.reports[0].other_text == "read here by tile 63 of group 0");
}

TEST_CASE("race: what all tiles read is written by the first, or by the last of them") {
    for (const char* writer : {"0", "63"}) {
        const std::string text = kernel("(%x: mut f32[64])", std::string("  %w = constant ") + writer + R"( : index
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %v = read %x[%c0] : f32
    %is = eq %i, %w : bool
    if %is {
      write %x[%c0], %v
    }
  }
)");
        std::vector<float> x(64);
        CHECK(run(text, {tensor(x)}, groups(1), sanitize(kRace)).reports.size() == 1);
    }
}

TEST_CASE("race: summing a buffer that tiles have just written") {
    const auto text = [](const std::string& between) {
        return kernel("(%out: mut f32[64])", R"(
  %s = buffer {type = f32, shape = [64], name = "smem"} : shared f32[64]
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    write %s[%i], %f1
  }
  )" + between + R"(
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %is = eq %j, %c0 : bool
    if %is {
      %sum = buffer_reduce %s {op = add} : f32
      write %out[%c0], %sum
    }
  }
)");
    };
    std::vector<float> out(64);
    CHECK(run(text("barrier"), {tensor(out)}, groups(1), sanitize(kRace)).clean());
    CHECK(out[0] == 64.0F);
    const auto racing = run(text(""), {tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].message ==
          "element 1 of 'smem' is read by tile 0 of group 0, and nothing orders that with a write");
}

TEST_CASE("race: groups have no order, also by atomics against plain accesses") {
    const std::string one_each = kernel("(%x: mut f32[8])", R"(
  write %x[%group], %f1
  %v = read %x[%group] : f32
)");
    std::vector<float> x(8);
    CHECK(run(one_each, {tensor(x)}, groups(8), sanitize(kRace)).clean());

    const std::string shared_one = kernel("(%x: mut f32[8])", "  write %x[%c0], %f1\n");
    CHECK(run(shared_one, {tensor(x)}, groups(1), sanitize(kRace)).clean());
    const auto racing = run(shared_one, {tensor(x)}, groups(2), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].message == "'x'[0] is written by group 1, and nothing orders that with another access");
    CHECK(racing.reports[0].other_text == "written here by group 0");

    const std::string atomics = kernel("(%x: mut f32[8])", "  %old = atomic %x[%c0], %f1 {op = add} : f32\n");
    CHECK(run(atomics, {tensor(x)}, groups(4), sanitize(kRace)).clean());
    const std::string mixed =
        kernel("(%x: mut f32[8])", "  %old = atomic %x[%c0], %f1 {op = add} : f32\n  %v = read %x[%c0] : f32\n");
    CHECK(run(mixed, {tensor(x)}, groups(1), sanitize(kRace)).clean());
    CHECK(run(mixed, {tensor(x)}, groups(2), sanitize(kRace)).reports.size() == 1);
}

TEST_CASE("race: rounds of a tile loop against each other, not against statements around it") {
    const auto text = [](const std::string& index) {
        return kernel("(%x: mut f32[64])", R"(
  lanes %c0, %size, %c1 {over = loop} (%i: index) {
    write %x[%i], %f1
  }
  lanes %c0, %size, %c1 {over = loop} (%j: index) {
    %k = add %j, %c1 : index
    %l = mod %k, %size : index
    %v = read %x[%l] : f32
    %w = add %v, %f1 : f32
    )" + index + R"(
  }
)");
    };
    std::vector<float> x(64);
    const auto fine = run(text("write %x[%l], %w"), {tensor(x)}, groups(1), sanitize(kRace));
    CHECK_MESSAGE(fine.clean(), why(fine));
    CHECK(x[3] == 2.0F);
    CHECK(run(text("write %x[%j], %w"), {tensor(x)}, groups(1), sanitize(kRace)).reports.size() == 1);
}

TEST_CASE("race: a flat kernel's tiles have no order") {
    const auto text = [](const std::string& index) {
        return R"(kernel @k<n>(%x: mut i32[n]) flat {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %n = dim {dim = n} : index
  lanes %c0, %n, %c1 {over = domain} (%i: index) {
    %half = floordiv %i, %c2 : index
    %v = cast %i {type = i32} : i32
    write %x[)" +
               index + R"(], %v
  }
})";
    };
    std::vector<int32_t> x(3000);
    CHECK(run(text("%i"), {tensor(x)}, tiles(3000), sanitize(kRace)).clean());
    const auto racing = run(text("%half"), {tensor(x)}, tiles(3000), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].message == "'x'[0] is written by tile 1, and nothing orders that with another access");
    CHECK(racing.reports[0].other_text == "written here by tile 0");
}

TEST_CASE("shared memory that was never written") {
    const auto text = [](const std::string& count) {
        return kernel("(%out: mut f32[64])", R"(
  %s = buffer {type = f32, shape = [64], name = "smem"} : shared f32[64]
  %n = constant )" + count + R"( : index
  lanes %c0, %n, %c1 {over = loop} (%i: index) {
    write %s[%i], %f1
  }
  barrier
  lanes %c0, %size, %c1 {over = tiles} (%j: index) {
    %v = read %s[%j] : f32
    write %out[%j], %v
  }
)");
    };
    std::vector<float> out(64);
    CHECK(run(text("64"), {tensor(out)}, groups(1), sanitize(kRace)).clean());
    const auto undefined = run(text("63"), {tensor(out)}, groups(1), sanitize(kRace));
    REQUIRE(undefined.reports.size() == 1);
    CHECK(undefined.reports[0].kind == ReportKind::uninitialized);
    CHECK(undefined.reports[0].message == "'smem'[63] is read by tile 63 of group 0 before anything was written there");
}

TEST_CASE("a copy's source may not be written before the copy has ended") {
    const auto text = [](const std::string& before, const std::string& after) {
        return kernel("(%x: mut f32[64])", R"(
  %s = buffer {type = f32, shape = [64]} : shared f32[64]
  copy_async %s, %x[%c0]
  )" + before + R"(
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    write %x[%i], %f1
  }
  )" + after);
    };
    std::vector<float> x(64);
    CHECK(run(text("barrier", ""), {tensor(x)}, groups(1), sanitize(kRace)).clean());
    const auto racing = run(text("", "barrier\n"), {tensor(x)}, groups(1), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    CHECK(racing.reports[0].message.find("a copy by group 0 reads element 0 of 'x'") == 0);
}

TEST_CASE("bounds: the index, the shape and the tile; without the sanitizer the first one ends the run") {
    const std::string text = kernel("<m, n>(%x: f32[m, n], %out: mut f32[64])", R"(
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %v = read %x[%c1, %i] : f32
    write %out[%i], %v
  }
)");
    std::vector<float> x(2 * 60, 3.0F);
    std::vector<float> out(64, -1.0F);
    const auto reported = run(text, {tensor(x, {2, 60}), tensor(out)}, groups(1), sanitize(kBounds));
    REQUIRE(!reported.failure);
    REQUIRE(reported.reports.size() == 1);
    CHECK(reported.reports[0].kind == ReportKind::bounds);
    CHECK(reported.reports[0].message ==
          "a read of 'x' at [1, 60] is outside of its shape [2, 60], by tile 60 of group 0");
    CHECK(out[59] == 3.0F);
    CHECK(out[60] == 0.0F);
    const auto failed = run(text, {tensor(x, {2, 60}), tensor(out)}, groups(1));
    REQUIRE(failed.failure.has_value());
    CHECK(failed.failure->message == reported.reports[0].message);

    std::vector<float> wide(2 * 64);
    CHECK(run(text, {tensor(wide, {2, 64}), tensor(out)}, groups(1), sanitize(kBounds)).clean());
}

TEST_CASE("bounds: what a mask or a branch keeps away is not outside; negative indices and vectors are") {
    const auto text = [](const std::string& limit, const std::string& from) {
        return kernel("<n>(%x: mut f32[n])", R"(
  %n = constant )" + limit + R"( : index
  %d = constant )" + from + R"( : index
  lanes %c0, %size, %c1 {over = tiles} (%i: index) {
    %in = lt %i, %n : bool
    if %in {
      %at = add %i, %d : index
      %v = read_vector %x[%at] {width = 4} : f32x4
    }
  }
)");
    };
    std::vector<float> x(10);
    CHECK(run(text("7", "0"), {tensor(x)}, groups(1)).clean());
    const auto late = run(text("8", "0"), {tensor(x)}, groups(1));
    REQUIRE(late.failure.has_value());
    CHECK(late.failure->message ==
          "a read of 'x' at [7] (4 elements) is outside of its shape [10], by tile 7 of group 0");
    const auto early = run(text("7", "-1"), {tensor(x)}, groups(1));
    REQUIRE(early.failure.has_value());
    CHECK(early.failure->message.find("at [-1] (4 elements)") != std::string::npos);
}

TEST_CASE("bounds: stages of a buffer") {
    const std::string text = kernel("(%k: index)", R"(
  %s = buffer {type = f32, shape = [4], count = 3, name = "ring"} : shared f32[4]
  %t = stage %s, %k : shared f32[4]
  write %t[%c0], %f1
)");
    CHECK(run(text, {scalar(int64_t{2})}, groups(1), sanitize(kBounds)).clean());
    const auto outside = run(text, {scalar(int64_t{3})}, groups(1), sanitize(kBounds));
    REQUIRE(outside.reports.size() == 1);
    CHECK(outside.reports[0].message == "stage 3 of 'ring' is outside: it has 3");
}

TEST_CASE("nan: the operation that makes it, not those that pass it on") {
    const std::string text = kernel("<n>(%x: f32[n], %out: mut f32[n])", R"(
  %n = dim {dim = n} : index
  lanes %c0, %n, %c1 {over = loop} (%i: index) {
    %v = read %x[%i] : f32
    %r = div %f1, %v : f32
    %s = sub %r, %r : f32
    %t = add %s, %f1 : f32
    write %out[%i], %t
  }
)");
    std::vector<float> out(4);
    std::vector<float> fine{1, 2, 3, 4};
    CHECK(run(text, {tensor(fine), tensor(out)}, groups(1), sanitize(kNan)).clean());
    std::vector<float> zero{1, 2, 0, 4};
    const auto made = run(text, {tensor(zero), tensor(out)}, groups(1), sanitize(kNan));
    REQUIRE(made.reports.size() == 1);
    CHECK(made.reports[0].kind == ReportKind::nan);
    CHECK(made.reports[0].message == "'div' of f32 makes inf from finite operands 1, 0, in round 2 of group 0");
    std::vector<float> given{1, 2, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
    CHECK(run(text, {tensor(given), tensor(out)}, groups(1), sanitize(kNan)).clean());
}

TEST_CASE("nan: exp is one operation, whatever it is made of") {
    const std::string text = kernel("<n>(%x: f32[n], %out: mut f32[n])", R"(
  %n = dim {dim = n} : index
  lanes %c0, %n, %c1 {over = loop} (%i: index) {
    %v = read %x[%i] : f32
    %e = exp %v : f32
    %l = log %e : f32
    %t = tanh %l : f32
    write %out[%i], %t
  }
)");
    std::vector<float> out(4);
    std::vector<float> fine{-80, 0, 1e-30F, 88};
    const auto quiet = run(text, {tensor(fine), tensor(out)}, groups(1), sanitize(kNan));
    CHECK_MESSAGE(quiet.clean(), why(quiet));
    std::vector<float> large{1, 100, -1, 100};
    const auto made = run(text, {tensor(large), tensor(out)}, groups(1), sanitize(kNan));
    REQUIRE(made.reports.size() == 1);
    CHECK(made.reports[0].message == "'exp' of f32 makes inf from finite operands 100, in round 1 of group 0");
    std::vector<float> small{1, -200, -1, 1};
    const auto zero = run(text, {tensor(small), tensor(out)}, groups(1), sanitize(kNan));
    REQUIRE(zero.reports.size() == 1);
    CHECK(zero.reports[0].message == "'log' of f32 makes -inf from finite operands 0, in round 1 of group 0");
}

TEST_CASE("places: reports carry those of both operations") {
    Module module = module_of(neighbours(""));
    Function& function = module.functions.front();
    uint32_t at = 0;
    for (size_t i = 0; i < function.op_count(); ++i) {
        ++at;
        function.op(OpId(i)).place = function.add_place(Place{Span{FileId(0), at, at + 1}, {}});
    }
    std::vector<float> out(64);
    const std::vector<KernelArgument> arguments{tensor(out)};
    const auto racing = run_kernel(function, arguments, groups(1), sanitize(kRace));
    REQUIRE(racing.reports.size() == 1);
    REQUIRE(racing.reports[0].other.has_value());
    const auto kind_at = [&](const Place& place) { return function.op(OpId(place.span.begin - 1)).kind; };
    CHECK(kind_at(racing.reports[0].place) == OpKind::read);
    CHECK(kind_at(*racing.reports[0].other) == OpKind::write);
}

TEST_CASE("a loop that does not end is ended by the limit of rounds") {
    const std::string text = kernel("(%x: mut f32[64])", R"(
  %go = constant true : bool
  while {
    yield %go
  } do {
  }
)");
    std::vector<float> x(64);
    EvalOptions options;
    options.round_limit = 1000;
    const auto endless = run(text, {tensor(x)}, groups(1), options);
    REQUIRE(endless.failure.has_value());
    CHECK(endless.failure->message == "more than 1000 rounds of loops");
}

}  // namespace
}  // namespace tsr::ir::eval
