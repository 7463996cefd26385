// What products cost by the machine's rates, before there is code.
#include "ir/passes/target/gpu/cost_model.h"

#include <fmt/format.h>

#include "ir/passes/target/gpu/choose_parts.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/tile/divide_groups.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

struct Sizes {
    int64_t rows, columns, depth;
    int64_t prefetch = 0;
};

Priced priced(const Sizes& sizes, const char* machine) {
    const Function kernel =
        kernels::read(fmt::format(R"(kernel @product<M, N, K>(%A: bf16[M, K], %B: bf16[K, N], %C: mut f32[M, N]) {{
  %zero = constant 0 : index
  %M = dim {{dim = M}} : index
  %N = dim {{dim = N}} : index
  %K = dim {{dim = K}} : index
  %rows = constant {0} : index
  %columns = constant {1} : index
  %depth = constant {2} : index
  grid %zero, %M, %rows, %zero, %N, %columns (%m: index, %n: index) {{
    %none = constant 0.0 : f32
    %z = expand %none {{axes = [], shape = [{0}, {1}]}} : tile f32[{0}, {1}]
    %acc = for %zero, %K, %depth, %z {{loop = tile_range, prefetch = {3}}} : tile f32[{0}, {1}] (%k: index, %c: tile f32[{0}, {1}]) {{
      %a = load_tile %A, %m, %k {{axes = [0, 1], shape = [{0}, {2}]}} : tile bf16[{0}, {2}]
      %b = load_tile %B, %k, %n {{axes = [0, 1], shape = [{2}, {1}]}} : tile bf16[{2}, {1}]
      %d = mma %a, %b, %c {{type = f32}} : tile f32[{0}, {1}]
      yield %d
    }}
    store_tile %C, %acc, %m, %n {{axes = [0, 1]}}
  }}
}}
)",
                                  sizes.rows, sizes.columns, sizes.depth, sizes.prefetch)
                          .c_str());
    const GpuMachine& on = *gpu_machine(machine);
    const Function planned = divided_by(choose_gpu_plan(kernel, on), kernel);
    return {grid_steps(planned), product_costs(planned, on)};
}

}  // namespace

TEST_CASE("a round takes as long as the slowest of what runs beside each other") {
    const LoopCost ampere = priced({128, 128, 64, 4}, "sm_80").loops.at(0);
    CHECK(ampere.alone == doctest::Approx(16));  // 128 x 128 multiply-adds, 1024 in a cycle
    CHECK(ampere.busy == doctest::Approx(1));
    CHECK(priced({128, 256, 64, 4}, "sm_90a").loops.at(0).busy == doctest::Approx(0.5));  // 2048 of warp groups
    const LoopCost small = priced({32, 32, 64, 4}, "sm_80").loops.at(0);
    CHECK(small.alone == doctest::Approx(600.0 / 3 / 64));  // a third of the latency, for each of 64 steps
    CHECK(small.busy == doctest::Approx(2.5));              // 20 KiB of shared memory for 65536 multiply-adds
}

TEST_CASE("without a ring its parts and the latency follow each other") {
    const LoopCost ring = priced({128, 128, 64, 4}, "sm_80").loops.at(0),
                   none = priced({128, 128, 64, 1}, "sm_80").loops.at(0);
    CHECK(none.alone > ring.alone + 600.0 / 64);
    CHECK(none.busy > ring.busy);
}

TEST_CASE(
    "a point is clearly worse where another one takes less than half for large sizes, and no more for small ones") {
    const Priced deep = priced({128, 128, 64, 4}, "sm_80"), flat = priced({128, 128, 16, 1}, "sm_80");
    CHECK(clearly_worse(flat, deep));
    CHECK_FALSE(clearly_worse(deep, flat));
    CHECK_FALSE(clearly_worse(flat, flat));
    CHECK_FALSE(clearly_worse(priced({128, 128, 64, 1}, "sm_80"), deep));  // by less than that
    // Its tiles are smaller: fewer of their elements lie outside of small tensors.
    CHECK_FALSE(clearly_worse(priced({64, 64, 16, 1}, "sm_80"), deep));
    CHECK_FALSE(clearly_worse({flat.steps, {}}, deep));
    CHECK_FALSE(clearly_worse({{128}, flat.loops}, deep));
    CHECK_FALSE(clearly_worse({{128, 0}, flat.loops}, deep));
}
