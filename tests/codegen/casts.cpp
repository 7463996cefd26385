// `cast` between every two types, scalar and in vectors, against the scalars of ir/eval. Types of fewer than 8 bits
// have no memory form of single elements: they are made from f32 or i32 and read back through f32 or i32.
#include <array>
#include <deque>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "harness.h"
#include "values.h"

using namespace tsr;
using ir::Bits;
using ir::ValueId;

namespace casts_test {

namespace {

constexpr size_t kCount = 1024;

constexpr std::array kTypes{
    DType::boolean, DType::i4,       DType::i8,       DType::i16,      DType::i32,      DType::i64,      DType::u8,
    DType::u16,     DType::u32,      DType::u64,      DType::index,    DType::f64,      DType::f32,      DType::f16,
    DType::bf16,    DType::fp8_e4m3, DType::fp8_e5m2, DType::fp6_e3m2, DType::fp6_e2m3, DType::fp4_e2m1, DType::e8m0};

// What stands in memory for a type: itself, or where elements share bytes a type that holds all its values.
DType carrier(DType type) {
    if (!is_packed(type)) return type;
    return is_integer(type) ? DType::i32 : DType::f32;
}

struct Case {
    DType from;
    DType to;
    int64_t width;
    test::Kernel kernel;

    Case(DType a, DType b, int64_t lanes, bool on_gpu) : from(a), to(b), width(lanes), kernel(on_gpu) {
        test::Kernel& k = kernel;
        k.function.name = fmt::format("{}_to_{}_{}", name(from), name(to), width);
        const ValueId in = k.pointer(0, carrier(from));
        const ValueId out = k.pointer(1, carrier(to));
        k.each(std::max<int64_t>(1, width), [&](ValueId i) {
            ValueId value = k.build.cast(k.load(k.at(in, i), width), from);
            value = k.build.cast(k.build.cast(value, to), carrier(to));
            k.store(k.at(out, i), value);
        });
        k.yield();
    }

    [[nodiscard]] Bits want(Bits value) const {
        value = ir::cast_scalar(carrier(from), from, value);
        return ir::cast_scalar(to, carrier(to), ir::cast_scalar(from, to, value));
    }
};

void check_case(const Case& c, test::Engine& engine, const std::string& machine) {
    std::vector<Bits> values = test::operands_of(carrier(c.from), kCount, 5);
    if (bits(c.from) == 8) {
        for (size_t i = 0; i < 256; ++i) values[i] = ir::canonical(c.from, i);
        if (c.from == DType::boolean) values = test::operands_of(c.from, kCount, 5);
    }
    test::Array in(carrier(c.from), values);
    test::Array out(carrier(c.to), kCount);
    const std::string failure = engine.run(c.kernel.function.name, {&in, &out}, kCount);
    REQUIRE_MESSAGE(failure.empty(), c.kernel.function.name << ": " << failure);
    size_t wrong = 0;
    for (size_t i = 0; i < kCount; ++i) {
        const Bits want = c.want(values[i]);
        const Bits got = out.at(i);
        const DType type = carrier(c.to);
        // Which NaN is promised of floats of 8 bits or fewer alone.
        const bool nans = !is_storage_only(type) && test::is_nan(type, got) && test::is_nan(type, want);
        if (got == want || nans) continue;
        if (wrong++ > 2) continue;
        FAIL_CHECK(fmt::format("{} on {}: {:#x} gives {:#x}, not {:#x}", c.kernel.function.name, machine, values[i],
                               got, want));
    }
}

void check_from(DType from, const std::vector<std::string>& machines) {
    if (machines.empty()) return;
    std::deque<Case> cases;
    for (const DType to : kTypes) {
        const bool on_gpu = test::is_gpu(machines[0]);
        for (const int64_t width : {0, on_gpu ? 3 : 16}) cases.emplace_back(from, to, width, on_gpu);
    }
    std::vector<const ir::Function*> kernels;
    for (const Case& c : cases) kernels.push_back(&c.kernel.function);
    for (const std::string& machine : machines) {
        test::Engine engine(kernels, machine, 1);
        REQUIRE_MESSAGE(engine.failure().empty(), engine.failure());
        for (const Case& c : cases) check_case(c, engine, machine);
    }
}

}  // namespace

TEST_CASE("casts between all types") {
    for (const DType from : kTypes) {
        CAPTURE(name(from));
        check_from(from, {"x86-64"});
        for (const std::string& machine : test::machines()) {
            if (machine == "x86-64-v3" || machine == "native") check_from(from, {machine});
        }
    }
}

TEST_CASE("casts between all types on a GPU") {
    for (const DType from : kTypes) {
        CAPTURE(name(from));
        check_from(from, test::gpus());
    }
}

}  // namespace casts_test
