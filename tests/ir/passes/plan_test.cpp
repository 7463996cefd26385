// Plans are made before the passes that lower a kernel, and these change nothing in them.
#include "ir/core/internal.h"
#include "ir/machine/cpu.h"
#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/gpu/choose_plan.h"
#include "ir/passes/tile/peel_guard.h"
#include "ir/passes/tile/walk.h"
#include "ir/pipeline.h"
#include "ir/text/print.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace plan_test_test {

namespace {

constexpr const char* kKernels[] = {kernels::kGemm, kernels::kSaxpy, kernels::kGroupSum, kernels::kMandelbrot};

Function ready(const char* text) {
    Function kernel = kernels::formed(text);
    peel_guard(kernel);
    expand_math(kernel);
    return kernel;
}

std::string text_of(const Plan& plan) {
    Function only;
    only.name = "plan";
    only.plan = plan;
    return print(only);
}

bool has(const Function& function, OpKind kind) {
    return any_below(function, function.body, [&](const Op& op) { return op.kind == kind; });
}

}  // namespace

TEST_CASE("the part of a plan for the other kind of machine is not read") {
    Plan cpu(CpuPlan{.lanes = 16});
    Plan gpu(GpuPlan{.threads = 128, .producers = 32});
    CHECK(cpu.cpu().lanes == 16);
    CHECK(gpu.gpu().block_threads() == 160);
    CHECK_THROWS_AS((void)cpu.gpu(), InternalError);
    CHECK_THROWS_AS((void)gpu.cpu(), InternalError);
}

TEST_CASE("code for a GPU has the plan that was chosen for it, and what the plan says") {
    for (const char* text : kKernels) {
        const Function kernel = ready(text);
        for (const std::string& name : gpu_machine_names()) {
            const GpuMachine& machine = *gpu_machine(name);
            const GpuVariants chosen = choose_gpu_variants(kernel, machine);
            Module module;
            PassManager manager({});
            Diagnostics diagnostics;
            GpuCode code;
            CHECK(lower_to_gpu(kernel, machine, {}, module, manager, diagnostics, code) == PassOutcome::done);
            CHECK(code.without.has_value() == chosen.without.has_value());
            size_t next = 0;
            for (const Function& thread : code.threads) {
                CAPTURE(print(thread));
                const Plan& plan = thread.plan->narrow_index ? chosen.narrow.value() : chosen.plans.at(next++);
                CHECK(text_of(*thread.plan) == text_of(plan));
                CHECK(has(thread, OpKind::copy_box) == plan.gpu().box_copies);
                CHECK(has(thread, OpKind::store_box) == plan.gpu().box_stores);
                CHECK(thread.scratch_bytes <= machine.shared_bytes);
            }
            CHECK(next == chosen.plans.size());
        }
    }
}

TEST_CASE("where shared memory ends behind the stages, results are stored from registers") {
    const Function kernel = ready(kernels::kGemm);
    GpuMachine machine = *gpu_machine("sm_90a");
    const GpuPlan plan = choose_gpu_plan(kernel, machine).gpu();
    Function thread = kernel;
    thread.plan = choose_gpu_plan(kernel, machine);
    Module module;
    Diagnostics diagnostics;
    PassManager manager({});
    PassContext context{module, diagnostics, machine.name};
    REQUIRE(manager.run(gpu_pipeline(machine), thread, context) == PassOutcome::done);
    REQUIRE(plan.box_stores);
    machine.shared_bytes = thread.scratch_bytes - 1;
    const GpuPlan tight = choose_gpu_plan(kernel, machine).gpu();
    CHECK(tight.stages == plan.stages);
    CHECK(tight.box_copies);
    CHECK_FALSE(tight.box_stores);
}

TEST_CASE("code for a CPU has the plan that was chosen for it") {
    for (const char* text : kKernels) {
        const Function kernel = ready(text);
        for (const std::string& level : cpu_machine_names()) {
            Module module;
            PassManager manager({});
            Diagnostics diagnostics;
            std::vector<CpuVariant> variants;
            CHECK(lower_to_cpu(kernel, level, {}, module, manager, diagnostics, variants) == PassOutcome::done);
            for (const CpuVariant& variant : variants) {
                CHECK(variant.machine == level);
                if (variant.task.plan->cpu().split != 0) continue;
                const Plan plan = choose_plan(kernel, *cpu_machine(level), variant.narrow_index);
                CHECK(text_of(*variant.task.plan) == text_of(plan));
            }
        }
    }
}

}  // namespace plan_test_test
