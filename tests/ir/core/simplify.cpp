// The simplifier, by the text before and after. Every result is verified.
#include "ir/passes/simplify/simplify.h"

#include "read.h"
#include "samples.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

constexpr const char* kHead = "kernel @f<n>(%x: mut f32[n], %i: index, %a: f32, %b: f32, %c: bool) {\n";

// Bodies of a kernel with parameters x, i, a, b, c.
std::string simplified(const std::string& body) {
    Module module = read(kHead + body + "}\n");
    Function& f = module.functions[0];
    REQUIRE(faults(f) == "");
    simplify(f);
    REQUIRE(faults(f) == "");
    const std::string text = print(f);
    REQUIRE(text.starts_with(kHead));
    return text.substr(std::string(kHead).size(), text.size() - std::string(kHead).size() - 2);
}

void becomes(const std::string& before, const std::string& after) { CHECK(simplified(before) == after); }
void stays(const std::string& body) { becomes(body, body); }

}  // namespace

TEST_CASE("constants fold as the evaluator computes them") {
    becomes(R"(  %0 = constant 7 : index
  %1 = constant -2 : index
  %2 = floordiv %0, %1 : index
  %3 = cast %2 {type = f32} : f32
  write %x[%i], %3
)",
            R"(  %c-4.0 = constant -4.0 : f32
  write %x[%i], %c-4.0
)");
    becomes(R"(  %0 = constant 0.1 : f32
  %1 = constant 3.0 : f32
  %2 = constant -0.3 : f32
  %3 = fma %0, %1, %2 : f32
  write %x[%i], %3
)",
            R"(  %c-7.450581e-09 = constant -7.450581e-09 : f32
  write %x[%i], %c-7.450581e-09
)");
}

TEST_CASE("what is not fixed to the bit stays") {
    stays(R"(  %c1.5 = constant 1.5 : f32
  %0 = exp %c1.5 : f32
  write %x[%i], %0
)");
    stays(R"(  %c0.0 = constant 0.0 : f32
  %0 = div %c0.0, %c0.0 : f32
  write %x[%i], %0
)");
    stays(R"(  %c0.0 = constant 0.0 : f32
  %0 = add %a, %c0.0 : f32
  %c1.0 = constant 1.0 : f32
  %1 = mul %0, %c1.0 : f32
  %2 = sub %1, %1 : f32
  write %x[%i], %2
)");
}

TEST_CASE("neutral and absorbing integers go") {
    becomes(R"(  %0 = constant 0 : index
  %1 = constant 1 : index
  %2 = add %0, %i : index
  %3 = mul %2, %1 : index
  %4 = mul %3, %0 : index
  %5 = sub %3, %4 : index
  %6 = floordiv %5, %1 : index
  %7 = mod %6, %1 : index
  %8 = bit_or %6, %7 : index
  write %x[%8], %a
)",
            "  write %x[%i], %a\n");
    becomes(R"(  %0 = bit_not %c : bool
  %1 = bit_not %0 : bool
  %2 = constant true : bool
  %3 = bit_and %1, %2 : bool
  %4 = select %3, %a, %a : f32
  %5 = neg %4 : f32
  %6 = neg %5 : f32
  if %3 {
    write %x[%i], %6
  }
)",
            R"(  if %c {
    write %x[%i], %a
  }
)");
}

TEST_CASE("a constant chooses the branch") {
    becomes(R"(  %0 = constant 3 : index
  %1 = constant 4 : index
  %2 = lt %0, %1 : bool
  %r = if %2 : f32 {
    %s = add %a, %b : f32
    write %x[%i], %s
    yield %s
  } else {
    barrier
    yield %a
  }
  write %x[%0], %r
  assert %2 {text = "holds"}
)",
            R"(  %c3 = constant 3 : index
  %s = add %a, %b : f32
  write %x[%i], %s
  write %x[%c3], %s
)");
}

TEST_CASE("loops without a round give the initial values") {
    becomes(R"(  %0 = constant 4 : index
  %1 = constant 1 : index
  %r = for %0, %0, %1, %a : f32 (%k: index, %v: f32) {
    %2 = add %v, %b : f32
    yield %2
  }
  write %x[%i], %r
  %f = constant false : bool
  %w = while %b : f32 (%t: f32) {
    yield %f
  } do (%u: f32) {
    %3 = add %u, %a : f32
    yield %3
  }
  write %x[%0], %w
)",
            R"(  %c4 = constant 4 : index
  write %x[%i], %a
  write %x[%c4], %b
)");
    // What a `tile.range` is, is decided later and by its text.
    stays(R"(  %c4 = constant 4 : index
  %c1 = constant 1 : index
  for %c4, %c4, %c1 {loop = tile_range} (%k: index) {
    write %x[%k], %a
  }
)");
}

TEST_CASE("what is carried for nothing goes") {
    // p never changes; q is overwritten before it is read; r only feeds itself; s is needed.
    becomes(R"(  %0 = constant 0 : index
  %1 = constant 1 : index
  %p, %q, %r, %s = for %0, %i, %1, %a, %b, %a, %b : f32, f32, f32, f32 (%k: index, %p1: f32, %q1: f32, %r1: f32, %s1: f32) {
    %2 = read %x[%k] : f32
    %3 = add %r1, %2 : f32
    %4 = fma %s1, %2, %p1 : f32
    yield %p1, %2, %3, %4
  }
  write %x[%i], %s
  write %x[%i], %p
)",
            R"(  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %s = for %c0, %i, %c1, %b : f32 (%k: index, %s1: f32) {
    %0 = read %x[%k] : f32
    %1 = fma %s1, %0, %a : f32
    yield %1
  }
  write %x[%i], %s
  write %x[%i], %a
)");
    becomes(R"(  %0 = constant 1 : index
  %u, %v, %w = while %i, %a, %b : index, f32, f32 (%u0: index, %v0: f32, %w0: f32) {
    %1 = gt %u0, %0 : bool
    yield %1
  } do (%u1: index, %v1: f32, %w1: f32) {
    %2 = sub %u1, %0 : index
    write %x[%u1], %v1
    %3 = add %w1, %v1 : f32
    yield %2, %v1, %3
  }
  write %x[%0], %v
)",
            R"(  %c1 = constant 1 : index
  %u = while %i : index (%u0: index) {
    %0 = gt %u0, %c1 : bool
    yield %0
  } do (%u1: index) {
    %1 = sub %u1, %c1 : index
    write %x[%u1], %a
    yield %1
  }
  write %x[%c1], %a
)");
}

TEST_CASE("a value that the loop hands on is not invariant") {
    // The two are swapped each round.
    stays(R"(  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %p, %q = for %c0, %i, %c1, %a, %b : f32, f32 (%k: index, %p1: f32, %q1: f32) {
    yield %q1, %p1
  }
  write %x[%i], %p
  write %x[%c0], %q
)");
}

TEST_CASE("equal pure operations are computed once") {
    becomes(R"(  %0 = mul %a, %b : f32
  write %x[%i], %0
  if %c {
    %1 = mul %a, %b : f32
    %2 = add %1, %a : f32
    write %x[%i], %2
  } else {
    %3 = mul %a, %b : f32
    %4 = add %3, %a : f32
    write %x[%i], %4
  }
  %5 = add %0, %a : f32
  write %x[%i], %5
)",
            R"(  %0 = mul %a, %b : f32
  write %x[%i], %0
  if %c {
    %1 = add %0, %a : f32
    write %x[%i], %1
  } else {
    %2 = add %0, %a : f32
    write %x[%i], %2
  }
  %3 = add %0, %a : f32
  write %x[%i], %3
)");
    // Zeros of two signs are two constants; memory may have changed; a buffer is itself.
    stays(R"(  %c0.0 = constant 0.0 : f32
  %c-0.0 = constant -0.0 : f32
  write %x[%i], %c0.0
  write %x[%i], %c-0.0
  %0 = read %x[%i] : f32
  write %x[%i], %a
  %1 = read %x[%i] : f32
  %2 = add %0, %1 : f32
  write %x[%i], %2
  %s = buffer {type = f32, shape = [4]} : shared f32[4]
  %t = buffer {type = f32, shape = [4]} : shared f32[4]
  write %s[%i], %a
  write %t[%i], %a
)");
}

TEST_CASE("effects stay, what serves none goes") {
    becomes(R"(  %0 = read %x[%i] : f32
  %r = if %c : f32 {
    print %a {text = "{}"}
    yield %a
  } else {
    yield %0
  }
  if %c {
    %1 = exp %a : f32
  }
  %old = atomic %x[%i], %a {op = add} : f32
  %2 = group_reduce %a {op = add} : f32
  barrier
)",
            R"(  if %c {
    print %a {text = "{}"}
  }
  %old = atomic %x[%i], %a {op = add} : f32
  barrier
)");
}

TEST_CASE("lane arrays that nobody reads are not made") {
    becomes(R"(  %0 = constant 0 : index
  %1 = constant 128 : index
  %2 = constant 1 : index
  %p, %q = lanes %0, %1, %2 {over = tiles} : lanes f32, lanes f32 (%t: index) {
    %v = read %x[%t] : f32
    %w = exp %v : f32
    yield %v, %w
  }
  %s = group_reduce %p {op = max} : f32
  write %x[%i], %s
)",
            R"(  %c0 = constant 0 : index
  %c128 = constant 128 : index
  %c1 = constant 1 : index
  %p = lanes %c0, %c128, %c1 {over = tiles} : lanes f32 (%t: index) {
    %v = read %x[%t] : f32
    yield %v
  }
  %s = group_reduce %p {op = max} : f32
  write %x[%i], %s
)");
}

TEST_CASE("sound programs of every level stay sound, and simplifying twice changes nothing more") {
    for (const char* text : samples::kAll) {
        Module module = read(text);
        for (Function& f : module.functions) simplify(f);
        const std::string once = print(module);
        CHECK(faults(once) == "");
        for (Function& f : module.functions) simplify(f);
        CHECK(print(module) == once);
    }
}
