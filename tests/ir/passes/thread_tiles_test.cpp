// Register tiles as the code of one thread of a GPU.
#include <algorithm>
#include <set>

#include "ir/passes/math/expand_math.h"
#include "ir/passes/simplify/simplify.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/choose_variants.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/kernel_code.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

// Rows of 4 x 512 are 128 threads' work: a warp has a row, of which a lane has four times four elements.
constexpr const char* kRows = R"(kernel @rows<M>(%X: f32[M, 512], %Y: mut f32[M, 512]) {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %c4 = constant 4 : index
  for %zero, %M, %c4 {loop = tile_range} (%m: index) {
    %x = load_tile %X, %m, %zero {axes = [0, 1], shape = [4, 512]} : tile f32[4, 512]
    %max = reduce %x {axis = 1, op = max} : tile f32[4]
    %wide = expand %max {axes = [0], shape = [4, 512]} : tile f32[4, 512]
    %y = div %x, %wide : tile f32[4, 512]
    store_tile %Y, %y, %m, %zero {axes = [0, 1]}
  }
}
)";

// One row: warps meet in shared memory.
constexpr const char* kVector = R"(kernel @vector<n>(%X: f32[n], %Y: mut f32[n]) {
  %zero = constant 0 : index
  %n = dim {dim = n} : index
  %c1000 = constant 1000 : index
  for %zero, %n, %c1000 {loop = tile_range} (%i: index) {
    %x = load_tile %X, %i {axes = [0], shape = [1000]} : tile f32[1000]
    %s = scan %x {axis = 0, op = add} : tile f32[1000]
    %sum = reduce %s {axis = 0, op = add} : f32
    %wide = expand %sum {axes = [], shape = [1000]} : tile f32[1000]
    %y = sub %s, %wide : tile f32[1000]
    store_tile %Y, %y, %i {axes = [0]}
  }
}
)";

constexpr const char* kTurned = R"(kernel @turned<M, N>(%X: bf16[M, N], %Y: mut bf16[N, M]) {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %c64 = constant 64 : index
  for %zero, %M, %c64 {loop = tile_range} (%m: index) {
    %x = load_tile %X, %m, %zero {axes = [0, 1], shape = [64, 64]} : tile bf16[64, 64]
    %t = transpose %x : tile bf16[64, 64]
    %sum = add %t, %x : tile bf16[64, 64]
    store_tile %Y, %sum, %zero, %m {axes = [0, 1]}
  }
}
)";

// Of sizes that no atom has.
constexpr const char* kUneven = R"(kernel @uneven(%A: f16[33, 40], %B: f16[24, 40], %C: mut f32[33, 24]) names_group {
  %zero = constant 0 : index
  %a = load_tile %A, %zero, %zero {axes = [0, 1], shape = [33, 40]} : tile f16[33, 40]
  %b = load_tile %B, %zero, %zero {axes = [0, 1], shape = [24, 40]} : tile f16[24, 40]
  %t = transpose %b : tile f16[40, 24]
  %c = mma %a, %t {type = f32} : tile f32[33, 24]
  store_tile %C, %c, %zero, %zero {axes = [0, 1]}
}
)";

// No power of two along any axis of the product; its operands come from shared memory.
constexpr const char* kUnusual =
    R"(kernel @unusual<K>(%A: bf16[128, K], %B: bf16[K, 176], %C: mut f32[128, 176]) names_group {
  %zero = constant 0 : index
  %K = dim {dim = K} : index
  %c48 = constant 48 : index
  %none = constant 0.0 : f32
  %z = expand %none {axes = [], shape = [128, 176]} : tile f32[128, 176]
  %acc = for %zero, %K, %c48, %z {loop = in_order} : tile f32[128, 176] (%k: index, %c: tile f32[128, 176]) {
    %a = load_tile %A, %zero, %k {axes = [0, 1], shape = [128, 48]} : tile bf16[128, 48]
    %b = load_tile %B, %k, %zero {axes = [0, 1], shape = [48, 176]} : tile bf16[48, 176]
    %d = mma %a, %b, %c {type = f32} : tile f32[128, 176]
    yield %d
  }
  store_tile %C, %acc, %zero, %zero {axes = [0, 1]}
}
)";

Function formed(const char* text) {
    Function kernel = kernels::formed(text);
    expand_math(kernel);
    return kernel;
}

Function threads(const char* text, const std::string& machine) {
    Function kernel = formed(text);
    kernel.plan = choose_gpu_plan(kernel, *gpu_machine(machine));
    REQUIRE_FALSE(without_gpu_code(kernel, *gpu_machine(machine)));
    stage(kernel, *gpu_machine(machine));
    Function target = spread_threads(kernel, *gpu_machine(machine));
    kernels::check_sound(target);
    simplify(target);
    kernels::check_sound(target);
    return target;
}

// How many operations of the kind there are; of `width` elements where it is given.
size_t wide_count(const Function& function, OpKind kind, int64_t width = 0) {
    size_t found = 0;
    walk(function, function.body, [&](OpId id) {
        const Op& op = function.op(id);
        found += op.kind == kind && (width == 0 || op.attrs.integer(Attr::width, 0) == width) ? 1 : 0;
    });
    return found;
}

}  // namespace

TEST_CASE("register tiles become a sound program of one thread on every machine") {
    for (const char* text : {kRows, kVector, kTurned, kUneven, kernels::kGemm}) {
        for (const std::string& machine : gpu_machine_names()) threads(text, machine);
    }
}

TEST_CASE("rows are loaded in accesses of 16 bytes, and combined inside of their warps") {
    const Function target = threads(kRows, "sm_80");
    CHECK(target.plan->gpu().threads == 128);
    CHECK(target.scratch_bytes == 0);
    CHECK(wide_count(target, OpKind::load, 4) == 2 * 4);  // where rows may be outside of the memory, too
    CHECK(wide_count(target, OpKind::warp_shuffle) == 5);
    const Function kernel = formed(kRows);
    for (const auto& [value, layout] : assign_layouts(kernel, 128, *gpu_machine("sm_80")).of) {
        if (layout.rank() == 2) {
            CHECK(layout.text() ==
                  "4x512 = 1x4 of 4x128 { register (0, 1) (0, 2); lane (0, 4) (0, 8) (0, 16) (0, 32) (0, 64); "
                  "warp (1, 0) (2, 0) }");
        } else {
            CHECK(layout.text() == "4 = 1 of 4 { lane (0) (0) (0) (0) (0); warp (1) (2) }");
        }
    }
}

TEST_CASE("a row that several warps have is combined through shared memory") {
    const Function target = threads(kVector, "sm_80");
    CHECK(target.plan->gpu().threads == 64);
    // One sum of each warp in each of the four blocks of 256 elements.
    CHECK(target.scratch_bytes >= 4 * 2 * 4);
    CHECK(target.scratch_bytes < 1000 * 4);
    CHECK(wide_count(target, OpKind::block_barrier) >= 3);
}

TEST_CASE("a product of tiles is composed of those that warps have") {
    const Function target = threads(kernels::kGemm, "sm_80");
    CHECK(target.plan->gpu().threads == 128);
    // Four warps, each 16 x 8 x 16 at once.
    CHECK(wide_count(target, OpKind::warp_mma) == 64 * 48 * 64 / (4 * 16 * 8 * 16));
    CHECK(wide_count(target, OpKind::block_barrier) >= 3);
}

TEST_CASE("warps share a product out so that none of it is padding") {
    const Function target = threads(kUnusual, "sm_80");
    CHECK(target.plan->gpu().threads == 256);
    CHECK(wide_count(target, OpKind::warp_mma) == 128 * 176 * 48 / (8 * 16 * 8 * 16));
    // A lane gets four words at a time: 2 atoms of A, and 11 of B in pairs, for each of three steps.
    CHECK(wide_count(target, OpKind::load_matrix) == 3 * (2 + 6));
}

TEST_CASE("pieces at one place of eight rows lie in different banks, whatever the rows' length") {
    for (int64_t bytes : {1, 2, 4, 8}) {
        for (int64_t pieces = 1; pieces <= 40; ++pieces) {
            const int64_t columns = pieces * 16 / bytes;
            const auto swizzle = Memory::Swizzle::of_rows(columns, bytes);
            for (int64_t first : {0, 8, 40}) {
                for (int64_t piece = 0; piece < pieces; ++piece) {
                    std::set<int64_t> banks;
                    for (int64_t row = first; row < first + 8; ++row) {
                        const int64_t phase = swizzle.piece == 0 ? 0 : (row >> swizzle.drop) % swizzle.phases;
                        CHECK((piece ^ phase) < pieces);
                        banks.insert((row * pieces + (piece ^ phase)) % 8);
                    }
                    CHECK(banks.size() == 8);
                }
            }
        }
    }
    CHECK(Memory::Swizzle::of_rows(20, 2).piece == 0);  // rows that are not of whole pieces
}

TEST_CASE("panels of shared memory lie as bulk copies and products of warp groups have them") {
    for (int64_t bytes : {1, 2, 4}) {
        for (int64_t width : {32, 64, 96, 128, 176, 192, 256, 352}) {
            const int64_t rows = 24, columns = width / bytes;
            const auto swizzle = Memory::Swizzle::of_panels(rows, columns, bytes);
            const int64_t panel = swizzle.panel * bytes;
            REQUIRE(panel == (width % 128 == 0 ? 128 : width % 64 == 0 ? 64 : width % 32 == 0 ? 32 : 0));
            for (int64_t at = 0; panel != 0 && at < rows * columns; ++at) {
                const int64_t row = at / columns, column = at % columns, inside = column % swizzle.panel;
                const int64_t begin = (column / swizzle.panel * rows + row) * panel;
                const int64_t piece = inside / swizzle.piece ^ (row >> swizzle.drop) % swizzle.phases;
                const int64_t offset = begin + piece * 16 + inside % swizzle.piece * bytes;
                // The chunks' bits 4 to 6, as many as a panel has, change with the address bits 7 to 9.
                const int64_t plain = begin + inside * bytes;
                CHECK(offset == (plain ^ ((plain >> 7 & (panel / 16 - 1)) << 4)));
            }
        }
    }
    CHECK(Memory::Swizzle::of_panels(20, 64, 2).panel == 0);  // no whole groups of eight rows
}

TEST_CASE("panels are read as matrices like rows, where no warp group multiplies") {
    std::string text = kUnusual;
    for (size_t at = 0; (at = text.find("128", at)) != std::string::npos;) text.replace(at, 3, "32");
    const Function rows = threads(text.c_str(), "sm_90"), panels = threads(text.c_str(), "sm_90a");
    CHECK(wide_count(panels, OpKind::group_mma) == 0);
    CHECK(wide_count(rows, OpKind::load_matrix) > 0);
    CHECK(wide_count(rows, OpKind::load_matrix) == wide_count(panels, OpKind::load_matrix));
}

TEST_CASE("warp groups multiply what rings bring where it lies, and nothing is converted in the loop") {
    const Function target = threads(kUnusual, "sm_90a");
    CHECK(target.plan->gpu().block_threads() == 384);  // two groups, of 64 rows each, and one that copies
    CHECK(wide_count(target, OpKind::group_mma) == 1);
    CHECK(wide_count(target, OpKind::warp_mma) + wide_count(target, OpKind::load_matrix) == 0);
    walk(target, target.body, [&](OpId id) {
        const Op& op = target.op(id);
        if (op.kind == OpKind::group_mma) {
            CHECK(op.attrs.integers(Attr::extents) == std::vector<int64_t>{64, 176, 48});
            CHECK_FALSE(op.attrs.has(Attr::a_transposed));
            CHECK_FALSE(op.attrs.has(Attr::b_transposed));
            CHECK(op.operands.size() == 3 * 2 + 64 * 176 / 128);
        }
        if (op.kind != OpKind::for_) return;
        if (any_below(target, op.regions[0], [](const Op& inner) { return inner.kind == OpKind::for_; })) return;
        CHECK_FALSE(any_below(target, op.regions[0], [](const Op& inner) {
            return inner.kind == OpKind::block_barrier || inner.kind == OpKind::store ||
                   inner.kind == OpKind::warp_shuffle;
        }));
    });
}

TEST_CASE("a product that no warp has is done by threads, four columns each") {
    const Function target = threads(kernels::kGemm, "sm_75");
    CHECK(wide_count(target, OpKind::warp_mma) == 0);
    CHECK(wide_count(target, OpKind::fma) == 4 * 64 * 64 / 128);  // of four positions; 48 columns take the place of 64
    CHECK(wide_count(target, OpKind::load, 4) > 0);               // of a row of b: 4 bf16
}

TEST_CASE("a transposed tile goes through shared memory to the layout of what it is added to") {
    const Function target = threads(kTurned, "sm_80");
    CHECK(target.scratch_bytes == 64 * 64 * 2);
    CHECK(wide_count(target, OpKind::load, 8) > 0);  // of global memory: 16 bytes
}
