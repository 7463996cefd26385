// Group form to one task on a CPU.
#include "ir/passes/math/expand_math.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/cpu/spread_lanes.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

TEST_CASE("what is spread is sound on every machine") {
    for (const char* text : {kernels::kSaxpy, kernels::kGroupSum, kernels::kMandelbrot}) {
        for (const char* machine : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
            for (bool narrow : {false, true}) {
                Function kernel = kernels::formed(text);
                expand_math(kernel);
                kernel.plan = choose_plan(kernel, *cpu_machine(machine), narrow);
                kernels::check_sound(spread_lanes(kernel));
            }
        }
    }
}
