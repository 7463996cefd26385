// Groups of large tiles become several groups of smaller ones.
#include <fmt/format.h>

#include "ir/passes/target/gpu/choose_parts.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/passes/tile/divide_groups.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

// A product of tiles of 256 x 256; what stands in its place before the loop, in it and behind it is the test's.
struct Pieces {
    std::string before, stores;
};
Function product(const Pieces& pieces) {
    return kernels::read(fmt::format(R"(kernel @product<M, N, K>(%A: bf16[M, K], %B: bf16[K, N], %C: mut f32[M, N]) {{
  %zero = constant 0 : index
  %M = dim {{dim = M}} : index
  %N = dim {{dim = N}} : index
  %K = dim {{dim = K}} : index
  %c256 = constant 256 : index
  %c64 = constant 64 : index
  {}
  grid %zero, %M, %c256, %zero, %N, %c256 (%m: index, %n: index) {{
    %none = constant 0.0 : f32
    %z = expand %none {{axes = [], shape = [256, 256]}} : tile f32[256, 256]
    %acc = for %zero, %K, %c64, %z {{loop = tile_range}} : tile f32[256, 256] (%k: index, %c: tile f32[256, 256]) {{
      %a = load_tile %A, %m, %k {{axes = [0, 1], shape = [256, 64]}} : tile bf16[256, 64]
      %b = load_tile %B, %k, %n {{axes = [0, 1], shape = [64, 256]}} : tile bf16[64, 256]
      %d = mma %a, %b, %c {{type = f32}} : tile f32[256, 256]
      yield %d
    }}
    {}
  }}
}}
)",
                                     pieces.before, pieces.stores)
                             .c_str());
}

constexpr const char* kStore = "store_tile %C, %acc, %m, %n {axes = [0, 1]}";

std::string fault(const std::string& stores, size_t axis = 0, const std::string& before = {}) {
    return division_fault(product({before, stores}), axis, 2).value_or("");
}

bool has(const Function& kernel, const std::string& text) { return print(kernel).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("tiles that go along with an axis of the grid become shorter, and its step") {
    Function kernel = product({{}, kStore});
    kernel.plan.emplace(GpuPlan{.parts = {2, 4}});
    divide_groups(kernel);
    kernels::check_sound(kernel);
    CHECK(has(kernel, "%a = load_tile %A, %m, %k {axes = [0, 1], shape = [128, 64]}"));
    CHECK(has(kernel, "%b = load_tile %B, %k, %n {axes = [0, 1], shape = [64, 64]}"));
    CHECK(has(kernel, "store_tile %C, %acc, %m, %n {axes = [0, 1]}"));
    CHECK(grid_steps(kernel) == std::vector<int64_t>{128, 64});
    CHECK_FALSE(has(kernel, "256"));
    CHECK_FALSE(has(kernel, " mod "));
}

TEST_CASE("what else depends on the index sees that of the whole group") {
    Function kernel = product({{}, R"(%row = tile_iota {axis = 0, shape = [256, 256]} : tile i32[256, 256]
    %column = tile_iota {axis = 1, shape = [256, 256]} : tile i32[256, 256]
    %both = add %row, %column : tile i32[256, 256]
    %first = cast %m {type = i32} : i32
    %firsts = expand %first {axes = [], shape = [256, 256]} : tile i32[256, 256]
    %at = add %both, %firsts : tile i32[256, 256]
    %more = cast %at {type = f32} : tile f32[256, 256]
    %sum = add %acc, %more : tile f32[256, 256]
    %later = add %m, %c64 : index
    store_tile %C, %sum, %later, %n {axes = [0, 1]})"});
    REQUIRE_FALSE(division_fault(kernel, 0, 2));
    kernel.plan.emplace(GpuPlan{.parts = {2, 1}});
    divide_groups(kernel);
    kernels::check_sound(kernel);
    CHECK(has(kernel, "%1 = mod %0, %c256"));
    CHECK(has(kernel, "%2 = sub %m, %1"));
    CHECK(has(kernel, "cast %2 {type = i32}"));
    CHECK(has(kernel, "%column = tile_iota {axis = 1, shape = [128, 256]}"));
    CHECK(has(kernel, "add %row, "));
    CHECK(has(kernel, "add %m, %c64"));
}

TEST_CASE("groups are not divided where parts would need each other") {
    CHECK(fault(kStore).empty());
    CHECK(division_fault(product({{}, kStore}), 0, 3) == "steps of 256 have no 3 equal parts");
    CHECK(division_fault(product({{}, kStore}), 2, 2) == "the kernel's grid has no such axis");
    const char* sums = R"(%s = reduce %acc {op = add, axis = 1} : tile f32[256]
    %t = expand %s {axes = [0], shape = [256, 256]} : tile f32[256, 256]
    store_tile %C, %t, %m, %n {axes = [0, 1]})";
    CHECK(fault(sums, 0).empty());
    // Every part computes the sums for itself.
    CHECK(fault(sums, 1).empty());
    CHECK(fault(R"(%few = expand %none {axes = [], shape = [256, 16]} : tile f32[256, 16]
    store_tile %C, %few, %m, %zero {axes = [0, 1]})",
                1) == "what is stored to `C` does not go along with it");
    CHECK(fault(R"(%s = scan %acc {op = add, axis = 0} : tile f32[256, 256]
    store_tile %C, %s, %m, %n {axes = [0, 1]})") == "no tile goes along with this axis alone");
    CHECK(fault("store_tile %C, %acc, %n, %n {axes = [0, 1]}", 0).empty());
    CHECK(fault(R"(%turned = transpose %acc : tile f32[256, 256]
    %s = add %acc, %turned : tile f32[256, 256]
    store_tile %C, %s, %m, %n {axes = [0, 1]})") == "both axes of `z` go along with it");
}

TEST_CASE("groups are not divided where they touch what they write elsewhere, or do more than tiles") {
    CHECK(fault(std::string(kStore) + R"(
    %next = add %m, %c64 : index
    %old = load_tile %C, %next, %n {axes = [0, 1], shape = [256, 256]} : tile f32[256, 256])") ==
          "memory is written and touched at other places along it");
    CHECK(fault(std::string(kStore) + "\n    %one = read %C[%zero, %zero] : f32") ==
          "memory is written and touched at other places along it");
    CHECK(fault(std::string(kStore) + "\n    print %m {text = \"{}\"}") ==
          "the group does more than compute tiles, and load and store them");
    CHECK(fault(std::string(kStore) + "\n    %g = group_id : index") ==
          "the group does more than compute tiles, and load and store them");
    CHECK(fault(kStore, 0, "print %M {text = \"{}\"}") == "what stands before the grid is the whole group's");
}

TEST_CASE("parts are chosen where a loop carries more than a block has registers for") {
    const Function kernel = product({{}, kStore});
    const Plan hopper = choose_gpu_plan(kernel, *gpu_machine("sm_90a"));
    const GpuPlan& gpu = hopper.gpu();
    CHECK(gpu.parts == std::vector<int64_t>{2, 1});
    CHECK(gpu.threads == 256);
    CHECK(choose_gpu_plan(kernel, *gpu_machine("sm_80")).gpu().parts == std::vector<int64_t>{2, 2});
    CHECK(choose_gpu_plan(kernels::formed(kernels::kGemm), *gpu_machine("sm_80")).gpu().parts.empty());
    CHECK(lacks_registers(kernel, choose_gpu_plan(kernel, *gpu_machine("sm_80"), {.parts = {{1, 1}}}).gpu()));
    const Function divided = divided_by(hopper, kernel);
    CHECK_FALSE(lacks_registers(divided, gpu));
    CHECK(parts_fault(kernel, {2})->why == "1 for the 2 axes of the kernel's grid");
}
