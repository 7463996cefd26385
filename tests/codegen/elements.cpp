// Every element operation on every type it takes, scalar and in vectors, against the scalars of ir/eval.
#include <cmath>
#include <deque>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/program/check.h"
#include "harness.h"
#include "ir/ops/gpu_functions.h"
#include "ir/ops/record.h"
#include "values.h"

using namespace tsr;
using ir::Bits;
using ir::OpKind;
using ir::ValueId;

namespace elements_test {

namespace {

constexpr size_t kCount = 512;

struct Case {
    OpKind kind;
    DType type;
    DType result;
    int64_t width;
    test::Kernel kernel;

    Case(OpKind op, DType of, DType gives, int64_t lanes, bool on_gpu)
        : kind(op), type(of), result(gives), width(lanes), kernel(on_gpu) {}
};

size_t operand_count(OpKind kind) { return ir::record(kind).operands.size(); }

// out[i] = op(a[i], b[i], c[i]); a `select` takes its condition from a third array of bool.
void write_kernel(Case& c) {
    test::Kernel& k = c.kernel;
    k.function.name = fmt::format("{}_{}_{}", ir::name(c.kind), name(c.type), c.width);
    const size_t operands = operand_count(c.kind);
    std::vector<ValueId> in;
    for (size_t i = 0; i < operands; ++i) {
        const bool condition = c.kind == OpKind::select && i == 0;
        in.push_back(k.pointer(static_cast<int64_t>(i), condition ? DType::boolean : c.type));
    }
    const ValueId out = k.pointer(static_cast<int64_t>(operands), c.result);
    k.each(std::max<int64_t>(1, c.width), [&](ValueId i) {
        ir::Values loaded;
        for (const ValueId p : in) loaded.push_back(k.load(k.at(p, i), c.width));
        k.store(k.at(out, i), k.build.value(c.kind, loaded));
    });
    k.yield();
}

double tolerance(DType type) {
    if (type == DType::f64) return 1e-14;
    if (type == DType::f32) return 1e-6;
    return type == DType::f16 ? 2e-3 : 1e-2;
}

bool agrees(const Case& c, Bits got, Bits want) {
    if (test::is_nan(c.result, want)) return test::is_nan(c.result, got);
    if (got == want || ir::is_exact(c.kind, c.type)) return got == want;
    const double a = test::real_of(c.result, got);
    const double b = test::real_of(c.result, want);
    return std::abs(a - b) <= tolerance(c.type) * std::max(std::abs(b), 1e-30);
}

void check_case(const Case& c, test::Engine& engine, const std::string& machine) {
    const size_t operands = operand_count(c.kind);
    std::vector<std::vector<Bits>> values;
    std::deque<test::Array> arrays;
    std::vector<test::Array*> slots;
    for (size_t i = 0; i < operands; ++i) {
        const bool condition = c.kind == OpKind::select && i == 0;
        const DType type = condition ? DType::boolean : c.type;
        values.push_back(test::operands_of(type, kCount, 17 * i + 3));
        arrays.emplace_back(type, values.back());
        slots.push_back(&arrays.back());
    }
    test::Array out(c.result, kCount);
    slots.push_back(&out);
    const std::string failure = engine.run(c.kernel.function.name, slots, kCount);
    REQUIRE_MESSAGE(failure.empty(), c.kernel.function.name << ": " << failure);
    size_t wrong = 0;
    for (size_t i = 0; i < kCount; ++i) {
        Bits row[3] = {};
        for (size_t j = 0; j < operands; ++j) row[j] = values[j][i];
        const auto want = ir::fold(c.kind, c.type, c.result, std::span(row, operands));
        if (want && agrees(c, out.at(i), *want)) continue;
        if (wrong++ > 2) continue;
        FAIL_CHECK(fmt::format("{} on {}: ({:#x}, {:#x}, {:#x}) gives {:#x}, not {:#x}", c.kernel.function.name,
                               machine, row[0], row[1], row[2], out.at(i), want.value_or(0)));
    }
}

bool has_cases(OpKind kind) { return ir::is_element(kind) && kind != OpKind::cast && kind != OpKind::bitcast; }

std::deque<Case> cases_of(DType type, bool on_gpu) {
    std::deque<Case> cases;
    for (int i = 0; i < static_cast<int>(OpKind::count_); ++i) {
        const auto kind = static_cast<OpKind>(i);
        if (!has_cases(kind) || ir::scalar_function(kind, type) == nullptr) continue;
        const bool expanded = ir::is_library_function(kind) && !ir::is_gpu_function(kind, type);
        if (on_gpu && is_float(type) && expanded) continue;
        std::vector<ir::Type> operands(operand_count(kind), ir::Type::scalar(type));
        if (kind == OpKind::select) operands[0] = ir::Type::scalar(DType::boolean);
        const auto results = ir::infer(kind, operands, {});
        REQUIRE(results.ok());
        std::vector<int64_t> widths{0, on_gpu ? 2 : bits(type) < 32 ? 16 : 8};
        if (!on_gpu && (type == DType::f32 || type == DType::i32)) widths.push_back(16);
        for (const int64_t width : widths) {
            cases.emplace_back(kind, type, results.value().types[0].elem, width, on_gpu);
            write_kernel(cases.back());
        }
    }
    return cases;
}

void check_type(DType type, int level, const std::vector<std::string>& machines = test::machines()) {
    if (machines.empty()) return;
    std::deque<Case> cases = cases_of(type, test::is_gpu(machines[0]));
    REQUIRE(!cases.empty());
    std::vector<const ir::Function*> kernels;
    for (const Case& c : cases) kernels.push_back(&c.kernel.function);
    for (const std::string& machine : machines) {
        test::Engine engine(kernels, machine, level);
        REQUIRE_MESSAGE(engine.failure().empty(), engine.failure());
        for (const Case& c : cases) check_case(c, engine, machine);
    }
}

}  // namespace

TEST_CASE("element operations on floats") {
    for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) check_type(type, 1);
}

TEST_CASE("element operations on integers of 8 and 16 bits and bool") {
    for (const DType type : {DType::i8, DType::i16, DType::u8, DType::u16, DType::boolean}) check_type(type, 1);
}

TEST_CASE("element operations on integers of 32 and 64 bits") {
    for (const DType type : {DType::i32, DType::i64, DType::u32, DType::u64, DType::index}) check_type(type, 1);
}

TEST_CASE("element operations are the same at every optimization level") {
    for (const int level : {0, 2, 3}) {
        check_type(DType::f32, level, {"x86-64", "native"});
        check_type(DType::i32, level, {"x86-64", "native"});
    }
}

TEST_CASE("element operations on a GPU") {
    for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i8, DType::i16, DType::i32,
                             DType::i64, DType::u8, DType::u16, DType::u32, DType::u64, DType::index, DType::boolean})
        check_type(type, 2, test::gpus());
}

}  // namespace elements_test
