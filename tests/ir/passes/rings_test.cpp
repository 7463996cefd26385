// Value form to ring form, and the check of what rings promise.
#include <algorithm>
#include <array>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/target/gpu/rings/check_rings.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace rings_test_test {

namespace {

// Attention without a running maximum.
constexpr const char* kAttention =
    R"(kernel @attention<S>(%Q: bf16[S, 64], %K: bf16[S, 64], %V: bf16[S, 64], %O: mut f32[S, 64]) {
  %zero = constant 0 : index
  %S = dim {dim = S} : index
  %c64 = constant 64 : index
  %c48 = constant 48 : index
  for %zero, %S, %c64 {loop = tile_range} (%q0: index) {
    %q = load_tile %Q, %q0, %zero {axes = [0, 1], shape = [64, 64]} : tile bf16[64, 64]
    %none = constant 0.0 : f32
    %z = expand %none {axes = [], shape = [64, 64]} : tile f32[64, 64]
    %l = expand %none {axes = [], shape = [64]} : tile f32[64]
    %o, %all = for %zero, %S, %c48, %z, %l {loop = tile_range} : tile f32[64, 64], tile f32[64] (%k0: index, %acc: tile f32[64, 64], %sum: tile f32[64]) {
      %k = load_tile %K, %k0, %zero {axes = [0, 1], shape = [48, 64]} : tile bf16[48, 64]
      %t = transpose %k : tile bf16[64, 48]
      %s = mma %q, %t {type = f32} : tile f32[64, 48]
      %p = sqrt %s : tile f32[64, 48]
      %r = reduce %p {axis = 1, op = add} : tile f32[64]
      %more = add %sum, %r : tile f32[64]
      %b = cast %p {type = bf16} : tile bf16[64, 48]
      %v = load_tile %V, %k0, %zero {axes = [0, 1], shape = [48, 64]} : tile bf16[48, 64]
      %next = mma %b, %v, %acc {type = f32} : tile f32[64, 64]
      yield %next, %more
    }
    %wide = expand %all {axes = [0], shape = [64, 64]} : tile f32[64, 64]
    %n = div %o, %wide : tile f32[64, 64]
    store_tile %O, %n, %q0, %zero {axes = [0, 1]}
  }
}
)";

// Two products of a round that share their first operand, each with its own sums.
constexpr const char* kTwoSums =
    R"(kernel @two_sums<M, K>(%A: bf16[M, K], %B: bf16[K, 32], %D: bf16[K, 16], %C: mut f32[M, 32], %E: mut f32[M, 16]) names_group {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %K = dim {dim = K} : index
  %c64 = constant 64 : index
  for %zero, %M, %c64 {loop = tile_range} (%m: index) {
    %none = constant 0.0 : f32
    %y = expand %none {axes = [], shape = [64, 32]} : tile f32[64, 32]
    %z = expand %none {axes = [], shape = [64, 16]} : tile f32[64, 16]
    %sums, %others = for %zero, %K, %c64, %y, %z {loop = tile_range} : tile f32[64, 32], tile f32[64, 16] (%k: index, %c: tile f32[64, 32], %e: tile f32[64, 16]) {
      %a = load_tile %A, %m, %k {axes = [0, 1], shape = [64, 64]} : tile bf16[64, 64]
      %b = load_tile %B, %k, %zero {axes = [0, 1], shape = [64, 32]} : tile bf16[64, 32]
      %d = load_tile %D, %k, %zero {axes = [0, 1], shape = [64, 16]} : tile bf16[64, 16]
      %f = mma %a, %b, %c {type = f32} : tile f32[64, 32]
      %g = mma %a, %d, %e {type = f32} : tile f32[64, 16]
      yield %f, %g
    }
    store_tile %C, %sums, %m, %zero {axes = [0, 1]}
    store_tile %E, %others, %m, %zero {axes = [0, 1]}
  }
}
)";

// Two stages and the waits for them written out.
constexpr const char* kByHand =
    R"(kernel @by_hand<M, K>(%A: f16[M, K], %B: f16[K, 64], %C: mut f32[M, 64]) names_group {
  %a = buffer {type = f16, swizzle = "xor", count = 2, shape = [64, 32]} : shared f16[64, 32]
  %b = buffer {type = f16, swizzle = "xor", count = 2, shape = [32, 64]} : shared f16[32, 64]
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %K = dim {dim = K} : index
  %c64 = constant 64 : index
  for %zero, %M, %c64 {loop = tile_range} (%m: index) {
    %none = constant 0.0 : f32
    %z = expand %none {axes = [], shape = [64, 64]} : tile f32[64, 64]
    copy_async %a, %A[%m, %zero]
    copy_async %b, %B[%zero, %zero]
    commit
    %c32 = constant 32 : index
    %acc = for %zero, %K, %c32, %z {loop = in_order} : tile f32[64, 64] (%k: index, %c: tile f32[64, 64]) {
      %round = floordiv %k, %c32 : index
      %two = constant 2 : index
      %stage = mod %round, %two : index
      %one = constant 1 : index
      %other = sub %one, %stage : index
      %ahead = add %k, %c32 : index
      %to_a = stage %a, %other : shared f16[64, 32]
      copy_async %to_a, %A[%m, %ahead]
      %to_b = stage %b, %other : shared f16[32, 64]
      copy_async %to_b, %B[%ahead, %zero]
      commit
      wait_group {count = 1}
      barrier
      %of_a = stage %a, %stage : shared f16[64, 32]
      %of_b = stage %b, %stage : shared f16[32, 64]
      %d = mma %of_a, %of_b, %c {type = f32} : tile f32[64, 64]
      barrier
      yield %d
    }
    wait_group {count = 0}
    barrier
    store_tile %C, %acc, %m, %zero {axes = [0, 1]}
  }
}
)";

// By groups of copies, and by arrivals.
constexpr std::array kMachines{"sm_80", "sm_90a"};

Function staged(const char* text, int64_t stages, const char* machine = "sm_80") {
    Function kernel = kernels::formed(text);
    expand_math(kernel);
    GpuPlanFields fields;
    if (stages > 0) fields.stages = stages;
    kernel.plan = choose_gpu_plan(kernel, *gpu_machine(machine), fields);
    stage(kernel, *gpu_machine(machine));
    kernels::check_sound(kernel);
    return kernel;
}

bool keeps_order(OpKind kind) {
    return (kind >= OpKind::acquire && kind <= OpKind::release) || kind == OpKind::commit ||
           kind == OpKind::wait_group || kind == OpKind::barrier;
}

std::vector<OpId> of_order(const Function& kernel) {
    std::vector<OpId> found;
    walk(kernel, kernel.body, [&](OpId id) {
        if (keeps_order(kernel.op(id).kind)) found.push_back(id);
    });
    return found;
}

bool waits_for_products(const Function& kernel, OpId id) {
    return kernel.op(id).kind == OpKind::wait_group && WaitOp(kernel, id).of_products();
}

// The text with something else in it.
std::string with(std::string text, const std::string& old, const std::string& other) {
    REQUIRE(text.find(old) != std::string::npos);
    return text.replace(text.find(old), old.size(), other);
}

// The innermost loop's waits for products: how many of them it leaves under way.
std::vector<int64_t> left_under_way(const Function& kernel) {
    std::vector<int64_t> left;
    for (OpId id : of_order(kernel)) {
        if (waits_for_products(kernel, id)) left.push_back(WaitOp(kernel, id).left());
    }
    return left;
}

size_t count(const Function& function, RegionId region, OpKind kind) {
    size_t found = 0;
    walk(function, region, [&](OpId op) { found += function.op(op).kind == kind ? 1 : 0; });
    return found;
}

}  // namespace

TEST_CASE("loads that feed products become rings that hold") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        for (int64_t stages : {2, 3, 4, 7}) {
            for (const char* machine : kMachines) {
                const Function kernel = staged(text, stages, machine);
                const size_t opens = machine == std::string("sm_90a") ? 1 : 0;
                // Before the loop, too, where a product is started a round ahead.
                const size_t ahead = opens > 0 && text == kAttention && stages > 2 ? 1 : 0;
                CHECK(count(kernel, kernel.body, OpKind::take) == 1 + ahead);
                CHECK(count(kernel, kernel.body, OpKind::acquire) == static_cast<size_t>(stages) + opens);
                // Behind the loop, too, where a product is under way when its round ends.
                const size_t pends = opens > 0 && text == kernels::kGemm ? 1 : 0;
                CHECK(count(kernel, kernel.body, OpKind::release) == 1 + opens + pends);
                CHECK(count(kernel, kernel.body, OpKind::copy_async) == 2 * static_cast<size_t>(stages));
                for (const std::string& fault : check_rings(kernel)) FAIL_CHECK(fault << "\n" << print(kernel));
            }
        }
    }
    for (const std::string& fault : check_rings(staged(kByHand, 0))) FAIL_CHECK(fault);
}

TEST_CASE("no operation that keeps the order of copies and reads can be left out unseen") {
    for (const char* text : {kernels::kGemm, kAttention, kTwoSums, kByHand}) {
        for (int64_t stages : {2, 3, 4}) {
            for (const char* machine : kMachines) {
                const Function kernel = staged(text, stages, machine);
                const std::vector<OpId> all = of_order(kernel);
                REQUIRE(all.size() >= 6);
                for (OpId id : all) {
                    Function without = kernel;
                    without.remove(id);
                    CHECK_MESSAGE(!check_rings(without).empty(), print_line(kernel, id) << " of " << kernel.name);
                }
            }
        }
    }
}

TEST_CASE("no wait can be for less unseen") {
    for (const char* text : {kernels::kGemm, kAttention, kByHand}) {
        for (int64_t stages : {2, 3, 4}) {
            const Function kernel = staged(text, stages);
            for (OpId id : of_order(kernel)) {
                Function weaker = kernel;
                Attrs& attrs = weaker.op(id).attrs;
                if (attrs.has(Attr::ring) || attrs.has(Attr::products)) {
                    attrs.erase(Attr::ring);
                    attrs.erase(Attr::products);  // nobody meets
                } else if (attrs.has(Attr::count)) {
                    attrs.set(Attr::count, attrs.integer(Attr::count) + 1);
                } else {
                    continue;
                }
                CHECK_MESSAGE(!check_rings(weaker).empty(), print_line(weaker, id) << " of " << kernel.name);
            }
        }
    }
}

TEST_CASE("products stay under way over the end of their round where nothing else touches their sums") {
    const auto left = [](const std::string& text, int64_t stages = 3) {
        const Function kernel = staged(text.c_str(), stages, "sm_90a");
        for (const std::string& fault : check_rings(kernel)) FAIL_CHECK(fault << "\n" << print(kernel));
        return left_under_way(kernel);
    };
    const std::vector<int64_t> one{1, 0}, two{2, 0}, ahead{0}, none;
    for (int64_t stages : {2, 3, 4, 7}) {
        CHECK(left(kernels::kGemm, stages) == one);
        CHECK(left(kTwoSums, stages) == two);
        CHECK(left(kAttention, stages) == (stages > 2 ? ahead : none));
    }
    CHECK(left_under_way(staged(kernels::kGemm, 3, "sm_80")) == none);
    // One that adds to what the other one has added to.
    CHECK(left(with(with(kTwoSums, "mma %a, %d, %e {type = f32} : tile f32[64, 16]",
                         "mma %a, %b, %f {type = f32} : tile f32[64, 32]"),
                    "yield %f, %g", "yield %g, %e")) == two);
    // Sums that are read in the round, before or behind the product; that begin anew.
    CHECK(left(with(kernels::kGemm, "yield %d", "%e = sqrt %d : tile f32[64, 48]\n      yield %e")) == none);
    CHECK(left(with(with(kernels::kGemm, "mma %a, %b, %c", "mma %a, %b, %e"),
                    "%d = ", "%e = sqrt %c : tile f32[64, 48]\n      %d = ")) == none);
    CHECK(left(with(kernels::kGemm, "mma %a, %b, %c", "mma %a, %b")) == ahead);
}

TEST_CASE("a product that begins its sums anew is started a round ahead where threads have registers for two") {
    const auto ahead = [](const std::string& text) {
        const Function kernel = staged(text.c_str(), 3, "sm_90a");
        for (const std::string& fault : check_rings(kernel)) FAIL_CHECK(fault << "\n" << print(kernel));
        size_t pending = 0;
        walk(kernel, kernel.body, [&](OpId id) {
            if (kernel.op(id).kind != OpKind::mma || !MmaOp(kernel, id).pending()) return;
            ++pending;
            CHECK_FALSE(MmaOp(kernel, id).accumulator().has_value());
            CHECK(kernel.op(kernel.region(kernel.op(id).parent).parent).kind == OpKind::if_);
        });
        return pending;
    };
    CHECK(ahead(kAttention) == 1);
    // Its first operand comes out of the round before; its keys are too many.
    CHECK(ahead(with(with(kAttention, "mma %q, %t", "mma %bent, %t"), "%s = ",
                     "%last = cast %acc {type = bf16} : tile bf16[64, 64]\n      %bent = mul %q, %last : tile bf16[64, "
                     "64]\n      %s = ")) == 0);
    std::string wide = kAttention;
    for (size_t at = 0; (at = wide.find("48", at)) != std::string::npos;) wide.replace(at, 2, "144");
    CHECK(ahead(wide) == 0);
}

TEST_CASE("what products under way read is not released early unseen, nor their sums touched") {
    for (const char* text : {kernels::kGemm, kTwoSums, kAttention}) {
        for (int64_t stages : {2, 3, 4}) {
            const Function kernel = staged(text, stages, "sm_90a");
            for (OpId id : of_order(kernel)) {
                Function wrong = kernel;
                if (waits_for_products(kernel, id)) {
                    Attrs& attrs = wrong.op(id).attrs;
                    attrs.set(Attr::count, attrs.integer(Attr::count) + 1);
                    CHECK_MESSAGE(!check_rings(wrong).empty(), "weaker: " << print_line(kernel, id));
                    // Its results as if nobody had waited for them.
                    for (size_t i = 0; i < kernel.op(id).results.size(); ++i) {
                        Function untied = kernel;
                        untied.replace_uses(kernel.op(id).results[i], kernel.op(id).operands[i]);
                        CHECK_MESSAGE(!check_rings(untied).empty(), "no wait between: " << print_line(kernel, id));
                    }
                    continue;
                }
                // In the round: the slot that its own products read.
                const OpId around = kernel.region(kernel.op(id).parent).parent;
                if (kernel.op(id).kind != OpKind::release || kernel.op(around).kind != OpKind::if_) continue;
                const OpId loop = kernel.region(kernel.op(around).parent).parent;
                if (kernel.op(loop).results.empty()) continue;
                const auto carried = ForOp(kernel, loop).carried();
                wrong.op(id).operands[0] = carried[carried.size() - 4];
                wrong.op(id).operands[1] = carried[carried.size() - 2];
                CHECK_MESSAGE(!check_rings(wrong).empty(), "a round early: " << print_line(kernel, id));
                // In front of the wait.
                Function early = kernel;
                const auto& ops = kernel.region(kernel.op(around).parent).ops;
                const auto wait = std::ranges::find_if(ops, [&](OpId o) { return waits_for_products(kernel, o); });
                REQUIRE(wait != ops.end());
                early.remove(*wait);
                early.insert(kernel.op(around).parent, early.region(kernel.op(around).parent).ops.size() - 1, *wait);
                CHECK_MESSAGE(!check_rings(early).empty(), "before the wait: " << print_line(kernel, id));
            }
        }
    }
}

TEST_CASE("threads wait for the products of the round before when they have started their own") {
    const Function kernel = staged(kernels::kGemm, 3, "sm_90a");
    const Function target = spread_threads(kernel, *gpu_machine("sm_90a"));
    kernels::check_sound(target);
    std::vector<int64_t> in_loop, behind;
    walk(target, target.body, [&](OpId id) {
        const Op& op = target.op(id);
        if (op.kind != OpKind::group_wait) return;
        const auto& ops = target.region(op.parent).ops;
        const bool beside = std::ranges::any_of(ops, [&](OpId o) { return target.op(o).kind == OpKind::group_mma; });
        (beside ? in_loop : behind).push_back(op.attrs.integer(Attr::count));
        CHECK(op.results.empty() == beside);
    });
    CHECK(in_loop == std::vector<int64_t>{1});
    CHECK(behind == std::vector<int64_t>{0});
}

TEST_CASE("no arrival can be of another use of its slot unseen, and no copy be left out") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        for (int64_t stages : {2, 3, 4}) {
            const Function kernel = staged(text, stages, "sm_90a");
            for (OpId id : of_order(kernel)) {
                if (waits_for_products(kernel, id)) continue;
                const RingOp ring(kernel, id);
                if (!ring.by_arrivals() && !ring.closes()) continue;
                const size_t phase = ring.closes() ? 2 : 1;
                Function other = kernel;
                Builder b(other);
                b.before(id);
                other.op(id).operands[phase] = b.sub(b.index(1), other.op(id).operands[phase]);
                CHECK_MESSAGE(!check_rings(other).empty(), print_line(kernel, id) << " of " << kernel.name);
            }
            walk(kernel, kernel.body, [&](OpId id) {
                if (kernel.op(id).kind != OpKind::copy_async) return;
                Function without = kernel;
                without.remove(id);
                CHECK_MESSAGE(!check_rings(without).empty(), print_line(kernel, id) << " of " << kernel.name);
            });
        }
    }
}

TEST_CASE("copies that go to another slot, and reads of another one, are seen") {
    for (const char* machine : kMachines) {
        const Function kernel = staged(kernels::kGemm, 3, machine);
        walk(kernel, kernel.body, [&](OpId id) {
            if (kernel.op(id).kind != OpKind::stage) return;
            Function wrong = kernel;
            const RegionId body = wrong.op(id).parent;
            const OpId number = wrong.add_op(OpKind::constant, {}, {}, {Type::scalar(DType::index)},
                                             {{Attr::value, int64_t{5}}, {Attr::type, DType::index}});
            wrong.insert(body, 0, number);
            wrong.op(id).operands[1] = wrong.op(number).results[0];
            CHECK_FALSE(check_rings(wrong).empty());
        });
    }
}

TEST_CASE("threads of their own bring boxes, and the others meet nobody in a round") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        const Function kernel = staged(text, 0, "sm_90a");
        const Function target = spread_threads(kernel, *gpu_machine("sm_90a"));
        kernels::check_sound(target);
        // Warp groups have a whole one beside them.
        const int64_t beside = count(target, target.body, OpKind::group_mma) > 0 ? 128 : 32;
        CHECK(target.plan->gpu().producers == beside);
        size_t filling = 0, reading = 0;
        walk(target, target.body, [&](OpId id) {
            const Op& op = target.op(id);
            if (op.kind != OpKind::for_) return;
            const RegionId body = op.regions[0];
            if (any_below(target, body, [](const Op& inner) { return inner.kind == OpKind::for_; })) return;
            const bool products = count(target, body, OpKind::warp_mma) + count(target, body, OpKind::group_mma) > 0;
            if (count(target, body, OpKind::mbarrier_wait) == 0) return;
            ++(products ? reading : filling);
            CHECK(count(target, body, OpKind::block_barrier) == 0);
            CHECK(count(target, body, OpKind::mbarrier_wait) == 1);
            CHECK(count(target, body, OpKind::mbarrier_arrive) == 1);
            CHECK((count(target, body, OpKind::copy_box) > 0) == !products);
        });
        CHECK(filling == 1);
        CHECK(reading == 1);
        CHECK(count(target, target.body, OpKind::async_copy) == 0);
    }
}

TEST_CASE("a round of a ring has one barrier, and no tile leaves its registers") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        const Function kernel = staged(text, 0);
        const Function target = spread_threads(kernel, *gpu_machine("sm_80"));
        kernels::check_sound(target);
        size_t loops = 0;
        walk(target, target.body, [&](OpId id) {
            const Op& op = target.op(id);
            if (op.kind != OpKind::for_) return;
            const auto& body = target.region(op.regions[0]).ops;
            if (std::ranges::none_of(body, [&](OpId o) { return target.op(o).kind == OpKind::warp_mma; })) return;
            ++loops;
            CHECK(count(target, op.regions[0], OpKind::block_barrier) == 1);
            CHECK(count(target, op.regions[0], OpKind::async_wait) == 1);
            CHECK(count(target, op.regions[0], OpKind::load_matrix) > 0);
        });
        CHECK(loops == 1);
    }
}

}  // namespace rings_test_test
