// Group form to the program of one thread of a GPU.
#include <algorithm>

#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/gpu/barriers.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/choose_variants.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/tile/peel_guard.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace threads_test_test {

namespace {

Function threads(const char* text, const char* machine) {
    Function kernel = kernels::formed(text);
    peel_guard(kernel);
    expand_math(kernel);
    kernel.plan = choose_gpu_plan(kernel, *gpu_machine(machine));
    return spread_threads(kernel, *gpu_machine(machine));
}

size_t count(const Function& function, OpKind kind) {
    size_t found = 0;
    walk(function, function.body, [&](OpId op) { found += function.op(op).kind == kind ? 1 : 0; });
    return found;
}

// The first thread's own statements follow each other; what it wrote all threads read.
constexpr const char* kFirst = R"(kernel @first(%y: mut i32[4]) names_group {
  %s = buffer {type = i32, shape = [4]} : shared i32[4]
  %zero = constant 0 : index
  %v = constant 7 : i32
  write %s[%zero], %v
  write %s[%zero], %v
  %r = read %s[%zero] : i32
  write %y[%zero], %r
}
)";

}  // namespace

TEST_CASE("what is spread over threads is sound on every machine") {
    for (const char* text : {kernels::kSaxpy, kernels::kGroupSum, kernels::kMandelbrot}) {
        for (const std::string& machine : gpu_machine_names()) kernels::check_sound(threads(text, machine.c_str()));
    }
}

TEST_CASE("a thread of a short flat kernel does four neighbours of 4 bytes: an access of 16") {
    Function kernel = threads(kernels::kSaxpy, "sm_80");
    CHECK(kernel.plan->gpu().threads == 256);
    CHECK(kernel.plan->gpu().tiles_per_thread == 4);
    CHECK(kernel.plan->task == 1024);
    CHECK(threads(kernels::kMandelbrot, "sm_80").plan->gpu().tiles_per_thread == 1);
}

TEST_CASE("a group's threads are its tiles, its lane arrays registers, its writes the first thread's") {
    Function kernel = threads(kernels::kGroupSum, "sm_80");
    CHECK(kernel.plan->gpu().threads == 128);
    CHECK(kernel.scratch_bytes == 128 * 4);
    CHECK(count(kernel, OpKind::block_barrier) == 3);  // the program's two, and before `out` is written again
    CHECK(count(kernel, OpKind::stack) == 0);
}

TEST_CASE("a barrier is placed where the first thread wrote what all read") {
    Function kernel = kernels::formed(kFirst);
    const auto placed = place_barriers(kernel);
    REQUIRE(placed.size() == 1);
    CHECK(kernel.op(*placed.begin()).kind == OpKind::read);
}

TEST_CASE("groups larger than a block have no code") {
    CHECK_FALSE(without_gpu_code(kernels::formed(kernels::kGemm), *gpu_machine("sm_75")));
    Function large = kernels::formed(kernels::kGroupSum);
    large.kernel.group_shape = {2048};
    auto threads = without_gpu_code(large, *gpu_machine("sm_80"));
    REQUIRE(threads);
    CHECK(threads->what == "groups of 2048 tiles: a block has at most 1024 threads");
}

}  // namespace threads_test_test
