// Value form to ring form, and the check of what rings promise.
#include <algorithm>
#include <array>

#include "ir/core/builder.h"
#include "ir/core/print.h"
#include "ir/ops/tile.h"
#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/gpu/plan.h"
#include "ir/passes/target/gpu/rings/check_rings.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/tile/walk.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

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
      %s = mma %q, %t {axes = [0, 0], type = f32} : tile f32[64, 48]
      %p = sqrt %s : tile f32[64, 48]
      %r = reduce %p {axis = 1, op = add} : tile f32[64]
      %more = add %sum, %r : tile f32[64]
      %b = cast %p {type = bf16} : tile bf16[64, 48]
      %v = load_tile %V, %k0, %zero {axes = [0, 1], shape = [48, 64]} : tile bf16[48, 64]
      %next = mma %b, %v, %acc {axes = [0, 0], type = f32} : tile f32[64, 64]
      yield %next, %more
    }
    %wide = expand %all {axes = [0], shape = [64, 64]} : tile f32[64, 64]
    %n = div %o, %wide : tile f32[64, 64]
    store_tile %O, %n, %q0, %zero {axes = [0, 1]}
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
      %d = mma %of_a, %of_b, %c {type = f32, axes = [0, 0]} : tile f32[64, 64]
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
    kernel.plan = choose_gpu_plan(kernel, *gpu_machine(machine));
    if (stages > 0) kernel.plan->stages = stages;
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

size_t count(const Function& function, RegionId region, OpKind kind) {
    size_t found = 0;
    walk(function, region, [&](OpId op) { found += function.op(op).kind == kind ? 1 : 0; });
    return found;
}

size_t calls(const Function& function, RegionId region, const std::string& callee) {
    size_t found = 0;
    walk(function, region, [&](OpId id) {
        const Op& op = function.op(id);
        found += op.kind == OpKind::runtime && op.attrs.string(Attr::callee) == callee ? 1 : 0;
    });
    return found;
}

}  // namespace

TEST_CASE("loads that feed products become rings that hold") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        for (int64_t stages : {2, 3, 4, 7}) {
            for (const char* machine : kMachines) {
                const Function kernel = staged(text, stages, machine);
                CHECK(count(kernel, kernel.body, OpKind::take) == 1);
                const size_t opens = machine == std::string("sm_90a") ? 1 : 0;
                CHECK(count(kernel, kernel.body, OpKind::acquire) == static_cast<size_t>(stages) + opens);
                CHECK(count(kernel, kernel.body, OpKind::release) == 1 + opens);
                CHECK(count(kernel, kernel.body, OpKind::copy_async) == 2 * static_cast<size_t>(stages));
                for (const std::string& fault : check_rings(kernel)) FAIL_CHECK(fault << "\n" << print(kernel));
            }
        }
    }
    for (const std::string& fault : check_rings(staged(kByHand, 0))) FAIL_CHECK(fault);
}

TEST_CASE("no operation that keeps the order of copies and reads can be left out unseen") {
    for (const char* text : {kernels::kGemm, kAttention, kByHand}) {
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
                if (attrs.has(Attr::mode)) {
                    attrs.erase(Attr::mode);  // nobody meets
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

TEST_CASE("no arrival can be of another use of its slot unseen, and no copy be left out") {
    for (const char* text : {kernels::kGemm, kAttention}) {
        for (int64_t stages : {2, 3, 4}) {
            const Function kernel = staged(text, stages, "sm_90a");
            for (OpId id : of_order(kernel)) {
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
        CHECK(target.plan->threads == kernel.plan->threads + beside);
        size_t filling = 0, reading = 0;
        walk(target, target.body, [&](OpId id) {
            const Op& op = target.op(id);
            if (op.kind != OpKind::for_) return;
            const RegionId body = op.regions[0];
            if (any_below(target, body, [](const Op& inner) { return inner.kind == OpKind::for_; })) return;
            const bool products = count(target, body, OpKind::mma) + count(target, body, OpKind::group_mma) > 0;
            if (calls(target, body, "mbarrier_wait") == 0) return;
            ++(products ? reading : filling);
            CHECK(count(target, body, OpKind::block_barrier) == 0);
            CHECK(calls(target, body, "mbarrier_wait") == 1);
            CHECK(calls(target, body, "mbarrier_arrive") == 1);
            CHECK((calls(target, body, "copy_box") > 0) == !products);
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
            if (std::ranges::none_of(body, [&](OpId o) { return target.op(o).kind == OpKind::mma; })) return;
            ++loops;
            CHECK(count(target, op.regions[0], OpKind::block_barrier) == 1);
            CHECK(count(target, op.regions[0], OpKind::async_wait) == 1);
            CHECK(count(target, op.regions[0], OpKind::load_matrix) > 0);
        });
        CHECK(loops == 1);
    }
}
