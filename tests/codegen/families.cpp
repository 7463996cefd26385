// Kernel families as the runtime reads them, and the shapes of instructions that machines are given.
#include <filesystem>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include "codegen/link.h"
#include "codegen/program/family.h"
#include "harness.h"
#include "ir/passes/target/index_range.h"

using namespace tsr;
using ir::Attr;
using ir::OpKind;
using ir::ValueId;

namespace {

// counts[i] += x[i] <= limit & y[i] <= limit ? 1 : 0, for 16 lanes.
void count_small(test::Kernel& k) {
    k.function.name = "count";
    const auto at = [&](int64_t slot, DType type) { return k.load(k.pointer(slot, type), 16); };
    const ValueId limit = k.splat(k.build.constant(1.0, DType::f32), 16);
    const ValueId active = at(3, DType::boolean);
    const ValueId both = k.build.bit_and(k.build.le(at(0, DType::f32), limit), k.build.le(at(1, DType::f32), limit));
    const ValueId counts = k.pointer(2, DType::i32);
    const ValueId old = k.load(counts, 16);
    const ValueId more = k.build.add(old, k.splat(k.build.constant(1, DType::i32), 16));
    k.store(counts, k.build.select(k.build.bit_and(active, both), more, old));
    k.yield();
}

}  // namespace

TEST_CASE("variants carry their machine, guards and work") {
    test::Kernel k;
    k.function.name = "kernel";
    k.yield();
    codegen::KernelVariant guarded;
    guarded.function = &k.function;
    guarded.machine = "x86-64-v3";
    guarded.task = 64;
    guarded.scratch = 512;
    guarded.plan = "narrow";
    guarded.guards = {{codegen::Guard::Op::less, 2, 1000}, {codegen::Guard::Op::divisible, 0, 16}};
    guarded.products = {{{1, 2}, 100}};
    codegen::KernelVariant plain;
    plain.function = &k.function;
    plain.machine = "x86-64";
    codegen::Program program;
    program.name = "test";
    program.families.push_back({"kernel", {}, {"x", "n", "m"}, {guarded, plain}});
    const Sources sources;
    auto objects = codegen::compile(program, sources, {});
    REQUIRE_MESSAGE(objects.ok(), objects.message());
    codegen::LinkOptions link;
    link.shared = true;
    link.runtime = false;
    link.resources = TSR_TEST_RESOURCES;
    const auto path = std::filesystem::temp_directory_path() / "tsr-families.so";
    REQUIRE(test::link_to(path, objects.value(), link) == "");
    void* library = dlopen(path.c_str(), RTLD_NOW);
    REQUIRE(library != nullptr);
    const auto& family = *static_cast<const TsrKernelFamily*>(dlsym(library, "tsr_kernel_kernel"));
    CHECK(family.nslots == 3);
    CHECK(std::string(family.slot_names[1]) == "n");
    REQUIRE(family.nvariants == 2);
    const TsrKernelVariant& first = family.variants[0];
    CHECK(first.features == TSR_LEVEL_V3);
    CHECK(first.task == 64);
    CHECK(first.scratch == 512);
    CHECK(std::string(first.plan) == "narrow");
    REQUIRE(first.nguards == 2);
    CHECK(first.guards[0].op == TSR_GUARD_LESS);
    CHECK(first.guards[0].slot == 2);
    CHECK(first.guards[1].op == TSR_GUARD_DIVISIBLE);
    CHECK(first.guards[1].value == 16);
    REQUIRE((first.accepts != nullptr));
    const auto accepts = [&](uint64_t n, uint64_t m) {
        const uint64_t slots[] = {0, n, m};
        return first.accepts(slots) != 0;
    };
    CHECK(accepts(9, 11));
    CHECK(!accepts(10, 10));
    CHECK(!accepts(uint64_t{1} << 20, 7));
    CHECK(family.variants[1].features == 0);
    CHECK(family.variants[1].nguards == 0);
    CHECK((family.variants[1].accepts == nullptr));
    dlclose(library);
    std::filesystem::remove(path);
}

TEST_CASE("of code with narrow indices the blocks have narrow numbers, too") {
    test::Kernel k;
    k.function.name = "kernel";
    k.yield();
    const ir::Function kernel = k.function;
    for (const auto& [parts, most] : {std::pair<int64_t, int64_t>{1, 1 << 30}, {3, 357913942}, {16, 1 << 26}}) {
        ir::Plan& plan = k.function.plan.emplace(ir::GpuPlan{.parts = {parts, 1}});
        plan.machine = "sm_80";
        plan.narrow_index = true;
        codegen::KernelFamily family = codegen::family_of(kernel);
        codegen::add_gpu_variant(family, kernel, k.function, true, false);
        REQUIRE(family.variants.size() == 1);
        REQUIRE(family.variants[0].products.size() == 1);
        CHECK(family.variants[0].products[0].slots == std::vector<int32_t>{0, 1, 2});
        CHECK(family.variants[0].products[0].limit == most);
        CHECK((most - 1) * parts < ir::IndexRanges::kLimit);
    }
}

TEST_CASE("AVX-512 compares and adds under masks") {
    test::Kernel k;
    count_small(k);
    const std::string text = test::text_of({&k.function}, "x86-64-v4", codegen::Emit::assembly);
    CHECK(text.find("vpmovm2d") == std::string::npos);
    CHECK(text.find("kand") == std::string::npos);
    for (const std::string& machine : test::machines()) {
        const test::Library library({&k.function}, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        std::vector<float> x(16);
        std::vector<float> y(16);
        std::vector<int32_t> counts(16, 5);
        std::vector<uint8_t> active(16);
        for (size_t i = 0; i < 16; ++i) {
            x[i] = i % 2 == 0 ? 0.0F : 2.0F;
            y[i] = i % 4 < 2 ? 0.0F : 2.0F;
            active[i] = i < 8 ? 1 : 0;
        }
        library.run("count",
                    {test::slot(x.data()), test::slot(y.data()), test::slot(counts.data()), test::slot(active.data())},
                    0, 1);
        for (size_t i = 0; i < 16; ++i) CHECK(counts[i] == (i == 0 || i == 4 ? 6 : 5));
    }
}

TEST_CASE("a branch that no lane takes leaves no selection behind") {
    test::Kernel k;
    k.function.name = "roots";
    const ValueId x = k.load(k.pointer(0, DType::f32), 16);
    const ValueId zero = k.splat(k.build.constant(0.0, DType::f32), 16);
    const ValueId wanted = k.build.gt(x, zero);
    const ValueId any =
        k.build.value(OpKind::vector_reduce, {wanted}, {{Attr::op, static_cast<int64_t>(ir::ReduceOp::any)}});
    const ir::Values roots = k.branch(
        any, [&](const ir::Values&) -> ir::Values { return {k.build.element(OpKind::sqrt, {x})}; },
        [&](const ir::Values&) -> ir::Values { return {zero}; });
    k.store(k.pointer(1, DType::f32), k.build.select(wanted, roots[0], x));
    k.yield();
    const std::string text = test::text_of({&k.function}, "x86-64-v4", codegen::Emit::llvm);
    const size_t select = text.find("select <16 x i1>");
    REQUIRE(select != std::string::npos);
    CHECK(select < text.find("endif:"));
    for (const std::string& machine : test::machines()) {
        const test::Library library({&k.function}, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (const float first : {-4.0F, 4.0F}) {
            std::vector<float> in(16, -1.0F);
            std::vector<float> out(16, 7.0F);
            in[0] = first;
            library.run("roots", {test::slot(in.data()), test::slot(out.data())}, 0, 1);
            CHECK(out[0] == (first > 0 ? 2.0F : first));
            for (size_t i = 1; i < 16; ++i) CHECK(out[i] == -1.0F);
        }
    }
}
