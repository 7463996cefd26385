// Blocks of a cluster, which bring together what they multiply, and the checks of what they promise each other.
#include <algorithm>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/rings/check_cluster.h"
#include "ir/passes/target/gpu/rings/check_rings.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

constexpr const char* kProduct =
    R"(kernel @product<M, N, K>(%A: bf16[M, K], %B: bf16[K, N], %C: mut f32[M, N]) names_group {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %N = dim {dim = N} : index
  %K = dim {dim = K} : index
  %c64 = constant 64 : index
  %c128 = constant 128 : index
  grid %zero, %M, %c128, %zero, %N, %c128 (%m: index, %n: index) {
    %none = constant 0.0 : f32
    %z = expand %none {axes = [], shape = [128, 128]} : tile f32[128, 128]
    %acc = for %zero, %K, %c64, %z {loop = tile_range} : tile f32[128, 128] (%k: index, %c: tile f32[128, 128]) {
      %a = load_tile %A, %m, %k {axes = [0, 1], shape = [128, 64]} : tile bf16[128, 64]
      %b = load_tile %B, %k, %n {axes = [0, 1], shape = [64, 128]} : tile bf16[64, 128]
      %d = mma %a, %b, %c {type = f32} : tile f32[128, 128]
      yield %d
    }
    store_tile %C, %acc, %m, %n {axes = [0, 1]}
  }
}
)";

std::string with(std::string text, const std::string& old, const std::string& other) {
    REQUIRE(text.find(old) != std::string::npos);
    return text.replace(text.find(old), old.size(), other);
}

const GpuMachine& hopper() { return *gpu_machine("sm_90a"); }

Function planned(const std::string& text, const GpuPlanFields& fields = {}) {
    Function kernel = kernels::read(text.c_str());
    kernel.plan = choose_gpu_plan(kernel, hopper(), fields);
    return kernel;
}

Function staged(const std::string& text, const GpuPlanFields& fields = {}) {
    Function kernel = planned(text, fields);
    stage(kernel, hopper());
    kernels::check_sound(kernel);
    return kernel;
}

std::vector<OpId> all_of(const Function& function, OpKind kind) {
    std::vector<OpId> found;
    walk(function, function.body, [&](OpId id) {
        if (function.op(id).kind == kind) found.push_back(id);
    });
    return found;
}

std::pair<int64_t, int64_t> cluster_of(const std::string& text) {
    const GpuPlan plan = planned(text).plan->gpu();
    return {plan.cluster_rows, plan.cluster_columns};
}

}  // namespace

TEST_CASE("neighbours share the larger operand") {
    using Shape = std::pair<int64_t, int64_t>;
    CHECK(cluster_of(kProduct) == Shape(2, 1));
    std::string narrow = with(kProduct, "%zero, %N, %c128", "%zero, %N, %c64");
    narrow = with(narrow, "shape = [64, 128]} : tile bf16[64, 128]", "shape = [64, 64]} : tile bf16[64, 64]");
    const std::string wide = "[128, 128]";
    for (size_t at = 0; (at = narrow.find(wide, at)) != std::string::npos;)
        narrow.replace(at, wide.size(), "[128, 64]");
    CHECK(cluster_of(narrow) == Shape(1, 2));
    // Each row has rounds of its own; a product begins anew; a load begins where memory says.
    CHECK(cluster_of(with(kProduct, "for %zero, %K", "for %zero, %m")) == Shape(1, 1));
    CHECK(cluster_of(with(kProduct, "mma %a, %b, %c {", "mma %a, %b {")) == Shape(1, 1));
    CHECK(cluster_of(with(kProduct, "load_tile %B, %k, %n", "load_tile %B, %m, %n")) == Shape(1, 2));
    CHECK(cluster_of(with(with(kProduct, "load_tile %B, %k, %n", "load_tile %B, %m, %n"), "load_tile %A, %m, %k",
                          "load_tile %A, %m, %n")) == Shape(1, 1));
}

TEST_CASE("a cluster that can not be is refused in words") {
    const auto fault = [](const std::string& text, int64_t rows, int64_t columns) -> std::string {
        GpuPlanFields fields;
        fields.cluster_rows = rows;
        fields.cluster_columns = columns;
        const Function kernel = planned(text, fields);
        const auto found = gpu_plan_fault(kernel, hopper(), *kernel.plan);
        return found ? found->field + ": " + found->why : "";
    };
    CHECK(fault(kProduct, 2, 1).empty());
    CHECK(fault(kProduct, 1, 2).empty());
    CHECK(fault(kProduct, 1, 1).empty());
    CHECK(fault(kProduct, 2, 2) == "cluster: 2 x 2 is none of 1 x 1, 2 x 1 and 1 x 2");
    CHECK(fault(with(kProduct, "for %zero, %K", "for %zero, %m"), 2, 1) ==
          "cluster: groups have different numbers of rounds");
    CHECK(fault(with(kProduct, "load_tile %B, %k, %n", "load_tile %B, %m, %n"), 2, 1) ==
          "cluster: neighbours along this axis load nothing that is the same");
}

TEST_CASE("rings of clusters hold, and nothing that blocks promise each other can be left out unseen") {
    for (int64_t stages : {2, 3, 4}) {
        GpuPlanFields fields;
        fields.stages = stages;
        for (int64_t columns : {1, 2}) {
            fields.cluster_rows = 3 - columns;
            fields.cluster_columns = columns;
            const Function kernel = staged(kProduct, fields);
            for (const std::string& fault : check_rings(kernel)) FAIL_CHECK(fault);
            for (const std::string& fault : check_cluster(kernel)) FAIL_CHECK(fault << "\n" << print(kernel));
            size_t told = 0, shared = 0;
            for (OpId id : all_of(kernel, OpKind::release)) {
                if (RingOp(kernel, id).blocks() < 2) continue;
                ++told;
                Function alone = kernel;
                alone.op(id).attrs.erase(Attr::count);
                CHECK_MESSAGE(!check_cluster(alone).empty(), "to one block: " << print_line(kernel, id));
            }
            CHECK(told == 2);
            // What one block has elsewhere than the other.
            const OpId grid = all_of(kernel, OpKind::grid)[0];
            const ValueId own = kernel.region(kernel.op(grid).regions[0]).args[static_cast<size_t>(columns - 1)];
            for (OpId id : all_of(kernel, OpKind::copy_async)) {
                if (CopyAsyncOp(kernel, id).blocks() < 2) continue;
                ++shared;
                Function other = kernel;
                other.op(id).operands[2] = own;
                CHECK_MESSAGE(!check_cluster(other).empty(), "from elsewhere: " << print_line(kernel, id));
            }
            CHECK(shared == static_cast<size_t>(stages));
            for (OpId id : all_of(kernel, OpKind::if_)) {
                Function other = kernel;
                Builder b(other);
                b.before(id);
                other.op(id).operands[0] = b.lt(own, own);
                CHECK_MESSAGE(!check_cluster(other).empty(), "not for both: " << print_line(kernel, id));
            }
        }
    }
}

TEST_CASE("threads of a cluster meet first and last, and expect what both blocks bring") {
    const Function kernel = staged(kProduct);
    const Function target = spread_threads(kernel, hopper());
    kernels::check_sound(target);
    for (const std::string& fault : check_boxes(target)) FAIL_CHECK(fault);
    REQUIRE(all_of(target, OpKind::cluster_barrier).size() == 2);
    for (OpId id : all_of(target, OpKind::cluster_barrier)) {
        Function without = target;
        without.remove(id);
        CHECK_FALSE(check_boxes(without).empty());
    }
    size_t expected = 0, alone = 0;
    for (OpId id : all_of(target, OpKind::mbarrier_arrive)) {
        if (!target.op(id).attrs.has(Attr::count)) continue;
        ++expected;
        Function half = target;
        half.op(id).attrs.set(Attr::count, target.op(id).attrs.integer(Attr::count) / 2);
        CHECK_FALSE(check_boxes(half).empty());
        Function without = target;
        without.remove(id);
        CHECK_FALSE(check_boxes(without).empty());
    }
    CHECK(expected == static_cast<size_t>(kernel.plan->gpu().stages));
    for (OpId id : all_of(target, OpKind::copy_box)) {
        Function without = target;
        without.remove(id);
        CHECK_FALSE(check_boxes(without).empty());
        if (!target.op(id).attrs.has(Attr::cluster)) continue;
        ++alone;
        Function own = target;
        own.op(id).attrs.erase(Attr::cluster);
        CHECK_FALSE(check_boxes(own).empty());
    }
    CHECK(alone == static_cast<size_t>(kernel.plan->gpu().stages));
}

TEST_CASE("a box has halves where its panels are even, or its rows are enough") {
    using Starts = std::vector<std::pair<int64_t, int64_t>>;
    const auto panels = box_halves(64, 256, 64);
    REQUIRE(panels);
    CHECK(panels->rows == 64);
    CHECK(panels->starts == Starts{{0, 0}, {0, 64}, {0, 128}, {0, 192}});
    const auto rows = box_halves(128, 192, 64);
    REQUIRE(rows);
    CHECK(rows->rows == 64);
    CHECK(rows->starts == Starts{{0, 0}, {0, 64}, {0, 128}, {64, 0}, {64, 64}, {64, 128}});
    CHECK_FALSE(box_halves(8, 64, 64));
}
