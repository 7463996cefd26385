// Random sound kernels: the simplifier changes no bit of what they write, and keeps them sound. A failure names its
// seed.
#include "../random_kernel.h"
#include "ir/eval/evaluate.h"
#include "ir/passes/simplify/simplify.h"
#include "read.h"

using namespace tsr;
using namespace tsr::ir;
using namespace tsr::ir::random_kernel;

namespace {

struct Memory {
    std::vector<uint32_t> floats = std::vector<uint32_t>(kElements, 0x3f800000);
    std::vector<uint32_t> whole = std::vector<uint32_t>(kElements, 5);
    bool operator==(const Memory&) const = default;
};

Memory run(const Function& f) {
    Memory memory;
    const std::vector<eval::KernelArgument> arguments{
        eval::TensorRef{memory.floats.data(), DType::f32, {kElements}},
        eval::TensorRef{memory.whole.data(), DType::i32, {kElements}},
        eval::ScalarValue{DType::f32, 0x40200000},
        eval::ScalarValue{DType::f32, 0xbf000000},
        eval::ScalarValue{DType::i32, 0xfffffff9},
        eval::ScalarValue{DType::boolean, 1},
        eval::ScalarValue{DType::f16, 0x3555},
    };
    const eval::KernelOutcome outcome = eval::run_kernel(f, arguments, {{1, 1, 1}, 1}, {});
    CHECK_MESSAGE(!outcome.failure, outcome.failure->message);
    return memory;
}

}  // namespace

TEST_CASE("simplifying changes no bit of what random kernels write") {
    for (uint32_t seed = 0; seed < 1500; ++seed) {
        CAPTURE(seed);
        Function f = Generator(seed).make();
        REQUIRE(faults(f) == "");
        const std::string before = print(f);
        REQUIRE(print(read(before)) == before);
        const Memory expected = run(f);
        simplify(f);
        REQUIRE_MESSAGE(faults(f) == "", before);
        const bool same = run(f) == expected;
        REQUIRE_MESSAGE(same, before << "\nsimplified:\n" << print(f));
        CHECK(print(f).size() <= before.size());
    }
}
