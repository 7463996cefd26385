// Register tiles on a CPU: what gets a home, and which loops compute it.
#include <algorithm>

#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/cpu/spread_lanes.h"
#include "ir/passes/target/cpu/tiles/schedule.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "ir/passes/tile/walk.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

constexpr const char* kSoftmax = R"(kernel @softmax<M>(%X: f32[M, 96], %Y: mut f32[M, 96]) {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %c4 = constant 4 : index
  for %zero, %M, %c4 {loop = tile_range} (%m: index) {
    %x = load_tile %X, %m, %zero {axes = [0, 1], shape = [4, 96]} : tile f32[4, 96]
    %max = reduce %x {axis = 1, op = max} : tile f32[4]
    %wide = expand %max {axes = [0], shape = [4, 96]} : tile f32[4, 96]
    %d = sub %x, %wide : tile f32[4, 96]
    %e = exp %d : tile f32[4, 96]
    %sum = reduce %e {axis = 1, op = add} : tile f32[4]
    %all = expand %sum {axes = [0], shape = [4, 96]} : tile f32[4, 96]
    %y = div %e, %all : tile f32[4, 96]
    store_tile %Y, %y, %m, %zero {axes = [0, 1]}
  }
}
)";

// The operations on register tiles in the body of the kernel's grid loop.
std::vector<OpId> run_of(const Function& kernel) {
    std::vector<OpId> run;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        auto tile = [&](ValueId v) { return is_tile(kernel, v); };
        const bool of_tiles = std::ranges::any_of(op.operands, tile) || std::ranges::any_of(op.results, tile);
        if (of_tiles && op.regions.empty()) run.push_back(id);
    });
    return run;
}

}  // namespace

TEST_CASE("a row goes through all phases of a softmax before the next begins; its exponentials are kept once") {
    Function kernel = kernels::formed(kSoftmax);
    expand_math(kernel);
    kernels::check_sound(kernel);
    const std::vector<OpId> run = run_of(kernel);
    const Schedule made = schedule(kernel, Uses(kernel), run);
    REQUIRE(made.steps.size() == 1);
    const Nest& nest = made.steps[0].nest;
    CHECK(nest.rows == std::vector<int64_t>{4});
    CHECK(nest.phases.size() == 3);
    CHECK(made.homes.size() == 1);
    CHECK(made.row_homes == made.homes);
}

TEST_CASE("register tiles become sound vector code on every machine") {
    for (const char* text : {kSoftmax, kernels::kGemm}) {
        for (const char* machine : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
            Function kernel = kernels::formed(text);
            expand_math(kernel);
            widen_products(kernel);
            kernels::check_sound(kernel);
            kernel.plan = choose_plan(kernel, *cpu_machine(machine), false);
            const Function task = spread_lanes(kernel);
            kernels::check_sound(task);
            CHECK(task.scratch_bytes > 0);
        }
    }
}

TEST_CASE(
    "the matrix unit takes 512 bytes of k at once, whatever a factor's type; sums of words take 512 elements, others "
    "256") {
    const std::string rest = R"([64, 64], %C: mut f32[64, 64]) {
  %zero = constant 0 : index
  %a = load_tile %A, %zero, %zero {axes = [0, 1], shape = [64, 64]} : tile T[64, 64]
  %c = mma %a, %a {type = ACC} : tile ACC[64, 64]
}
)";
    auto depth = [&](const std::string& type, const std::string& sum, const char* machine) {
        std::string text = "kernel @product(%A: T" + rest;
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"ACC", sum}, {"T[", type + "["}}) {
            for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
                text.replace(at, from.size(), to);
        }
        return choose_plan(kernels::formed(text.c_str()), *cpu_machine(machine), false).cpu().depth;
    };
    CHECK(depth("i8", "i32", "x86-64-v4-amx") == 512);
    CHECK(depth("bf16", "f32", "x86-64-v4-amx") == 256);
    CHECK(depth("f32", "f32", "x86-64-v4-amx") == 256);
    CHECK(depth("i8", "i32", "x86-64-v4-vnni") == 512);
    CHECK(depth("bf16", "f32", "x86-64-v4-bf16") == 512);
    CHECK(depth("bf16", "f32", "x86-64-v4-vnni") == 256);
}
