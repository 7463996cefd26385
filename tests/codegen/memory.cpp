// Loads, stores, masks, gathers, scatters, reductions and atomics.
#include <bit>
#include <cstring>
#include <deque>
#include <numeric>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "harness.h"
#include "values.h"

using namespace tsr;
using ir::Attr;
using ir::Bits;
using ir::OpKind;
using ir::ValueId;

namespace memory_test {

namespace {

constexpr std::array kTypes{DType::boolean, DType::i8,  DType::u16, DType::i32,  DType::u64,
                            DType::f64,     DType::f32, DType::f16, DType::bf16, DType::fp8_e4m3};

constexpr int64_t kCount = 203;  // no multiple of a vector

// out[i] = in[i] for i below `end`, 16 at a time under a mask.
void masked_copy(test::Kernel& k, DType type) {
    k.function.name = fmt::format("copy_{}", name(type));
    const ValueId in = k.pointer(0, type);
    const ValueId out = k.pointer(1, type);
    const ValueId end = k.splat(k.end(), 16);
    k.loop(k.begin(), k.end(), k.build.index(16), {}, [&](ValueId i, const ir::Values&) -> ir::Values {
        const ValueId lanes = k.build.add(k.splat(i, 16), k.iota(16, DType::index));
        const ValueId mask = k.build.lt(lanes, end);
        k.store(k.at(out, i), k.load(k.at(in, i), 16, mask), mask);
        return {};
    });
    k.yield();
}

// out[index[i]] = in[index[i]] where keep[i].
void permute(test::Kernel& k, DType type, DType index_type) {
    k.function.name = fmt::format("permute_{}_{}", name(type), name(index_type));
    const ValueId in = k.pointer(0, type);
    const ValueId out = k.pointer(1, type);
    const ValueId index = k.pointer(2, index_type);
    const ValueId keep = k.pointer(3, DType::boolean);
    k.loop(k.begin(), k.end(), k.build.index(8), {}, [&](ValueId i, const ir::Values&) -> ir::Values {
        const ValueId offsets = k.load(k.at(index, i), 8);
        const ValueId mask = k.load(k.at(keep, i), 8);
        const ValueId value = k.build.value(OpKind::gather, {in, offsets, mask}, {{Attr::masked, int64_t{1}}});
        k.build.emit(OpKind::scatter, {out, value, offsets, mask}, {{Attr::masked, int64_t{1}}});
        return {};
    });
    k.yield();
}

const std::vector<Bits> kMarked(kCount + 64, 0x55);

std::vector<Bits> marked(DType type) {
    std::vector<Bits> all = kMarked;
    for (Bits& bits : all) bits = ir::canonical(type, type == DType::boolean ? 1 : bits);
    return all;
}

}  // namespace

TEST_CASE("masked loads and stores touch nothing outside the mask") {
    std::deque<test::Kernel> kernels;
    std::vector<const ir::Function*> functions;
    for (const DType type : kTypes) {
        masked_copy(kernels.emplace_back(), type);
        functions.push_back(&kernels.back().function);
    }
    for (const std::string& machine : test::machines()) {
        const test::Library library(functions, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (const DType type : kTypes) {
            CAPTURE(machine);
            CAPTURE(name(type));
            const std::vector<Bits> values = test::operands_of(type, kCount, 7);
            test::Array in(type, values);
            test::Array out(type, marked(type));
            library.run(fmt::format("copy_{}", name(type)), {test::slot(in.data()), test::slot(out.data())}, 0, kCount);
            size_t wrong = 0;
            for (size_t i = 0; i < kCount; ++i) wrong += out.at(i) != values[i] ? 1 : 0;
            for (size_t i = kCount; i < kCount + 32; ++i) wrong += out.at(i) != marked(type)[i] ? 1 : 0;
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("gathers and scatters under masks") {
    std::deque<test::Kernel> kernels;
    std::vector<const ir::Function*> functions;
    for (const DType type : kTypes) {
        for (const DType index : {DType::i32, DType::index}) {
            permute(kernels.emplace_back(), type, index);
            functions.push_back(&kernels.back().function);
        }
    }
    constexpr size_t count = 160;
    std::vector<Bits> index(count);
    std::iota(index.begin(), index.end(), 0);
    for (size_t i = 0; i < count; ++i) std::swap(index[i], index[i * 7 % count]);
    std::vector<Bits> keep = test::operands_of(DType::boolean, count, 1);
    // Where nothing is kept the offset may be anything.
    std::vector<Bits> wild = index;
    for (size_t i = 0; i < count; ++i) {
        if (keep[i] == 0) wild[i] = static_cast<Bits>(int64_t{-2000000000});
    }
    for (const std::string& machine : test::machines()) {
        const test::Library library(functions, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (const DType type : kTypes) {
            for (const DType index_type : {DType::i32, DType::index}) {
                CAPTURE(machine);
                CAPTURE(name(type));
                const std::vector<Bits> values = test::operands_of(type, count, 9);
                test::Array in(type, values);
                test::Array out(type, marked(type));
                test::Array offsets(index_type, wild);
                test::Array mask(DType::boolean, keep);
                library.run(fmt::format("permute_{}_{}", name(type), name(index_type)),
                            {test::slot(in.data()), test::slot(out.data()), test::slot(offsets.data()),
                             test::slot(mask.data())},
                            0, count);
                std::vector<Bits> want = marked(type);
                for (size_t i = 0; i < count; ++i) {
                    if (keep[i] != 0) want[index[i]] = values[index[i]];
                }
                size_t wrong = 0;
                for (size_t i = 0; i < want.size(); ++i) wrong += out.at(i) != want[i] ? 1 : 0;
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("a mask that is true everywhere costs nothing") {
    test::Kernel k;
    k.function.name = "all";
    const ValueId yes = k.splat(k.build.boolean(true), 16);
    k.store(k.pointer(1, DType::f32), k.load(k.pointer(0, DType::f32), 16, yes), yes);
    k.yield();
    const std::string text = test::text_of({&k.function}, "x86-64-v4", codegen::Emit::llvm);
    CHECK(text.find("load <16 x float>") != std::string::npos);
    CHECK(text.find("llvm.masked") == std::string::npos);
}

TEST_CASE("reductions combine the upper half with the lower") {
    std::deque<test::Kernel> kernels;
    std::vector<const ir::Function*> functions;
    for (const int64_t width : {1, 2, 5, 16}) {
        for (const ir::ReduceOp op : {ir::ReduceOp::add, ir::ReduceOp::max}) {
            test::Kernel& k = kernels.emplace_back();
            k.function.name = fmt::format("reduce_{}_{}", width, static_cast<int>(op));
            const ValueId vector = k.load(k.pointer(0, DType::f32), width);
            k.store(k.pointer(1, DType::f32),
                    k.build.value(OpKind::vector_reduce, {vector}, {{Attr::op, static_cast<int64_t>(op)}}));
            k.yield();
            functions.push_back(&k.function);
        }
    }
    const std::vector<Bits> bits = test::operands_of(DType::f32, 500, 77);
    for (const std::string& machine : test::machines()) {
        const test::Library library(functions, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (const size_t width : {1, 2, 5, 16}) {
            std::vector<float> values;
            for (size_t i = 0; values.size() < width; ++i) {
                const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits[300 + i]));
                if (std::abs(value) < 1e9F) values.push_back(value);
            }
            std::vector<float> tree = values;
            for (size_t left = width; left > 1; left = (left + 1) / 2) {
                const size_t lower = (left + 1) / 2;
                for (size_t i = 0; i + lower < left; ++i) tree[i] += tree[lower + i];
            }
            float sum = 0;
            float most = 0;
            library.run(fmt::format("reduce_{}_0", width), {test::slot(values.data()), test::slot(&sum)}, 0, 1);
            library.run(fmt::format("reduce_{}_3", width), {test::slot(values.data()), test::slot(&most)}, 0, 1);
            CHECK(sum == tree[0]);
            CHECK(most == *std::max_element(values.begin(), values.end()));
        }
    }
}

TEST_CASE("atomics give the old value and leave the combination") {
    struct Row {
        ir::AtomicOp op;
        DType type;
        double start, operand, left;
    };
    const std::vector<Row> rows{
        {ir::AtomicOp::add, DType::i32, 5, 3, 8},
        {ir::AtomicOp::add, DType::f32, 1.5, 2.25, 3.75},
        {ir::AtomicOp::add, DType::f64, 1.5, 2.25, 3.75},
        {ir::AtomicOp::add, DType::f16, 1.5, 2.25, 3.75},
        {ir::AtomicOp::add, DType::bf16, 1.5, 2.25, 3.75},
        {ir::AtomicOp::min, DType::i64, 5, -3, -3},
        {ir::AtomicOp::max, DType::u32, 5, 7, 7},
        {ir::AtomicOp::max, DType::f32, -5, -7, -5},
        {ir::AtomicOp::min, DType::f32, 0.5, -7, -7},
        {ir::AtomicOp::bit_or, DType::u8, 5, 2, 7},
        {ir::AtomicOp::bit_and, DType::i32, 7, 2, 2},
        {ir::AtomicOp::bit_xor, DType::i16, 7, 2, 5},
        {ir::AtomicOp::exchange, DType::f32, 1, 2, 2},
        {ir::AtomicOp::exchange, DType::boolean, 1, 0, 0},
        {ir::AtomicOp::compare_exchange, DType::i32, 1, 9, 9},
    };
    std::deque<test::Kernel> kernels;
    std::vector<const ir::Function*> functions;
    for (size_t i = 0; i < rows.size(); ++i) {
        test::Kernel& k = kernels.emplace_back();
        k.function.name = fmt::format("atomic_{}", i);
        ir::Values operands{k.pointer(0, rows[i].type), k.load(k.pointer(1, rows[i].type))};
        if (rows[i].op == ir::AtomicOp::compare_exchange) operands.push_back(k.build.constant(1, rows[i].type));
        const ValueId old = k.build.value(OpKind::atomic_rmw, operands, {{Attr::op, static_cast<int64_t>(rows[i].op)}});
        k.store(k.pointer(2, rows[i].type), old);
        k.yield();
        functions.push_back(&k.function);
    }
    for (const std::string& machine : test::machines()) {
        const test::Library library(functions, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        for (size_t i = 0; i < rows.size(); ++i) {
            const Row& row = rows[i];
            CAPTURE(i);
            const auto bits = [&](double value) {
                return ir::cast_scalar(DType::f64, row.type, std::bit_cast<uint64_t>(value));
            };
            test::Array memory(row.type, std::vector<Bits>{bits(row.start)});
            test::Array operand(row.type, std::vector<Bits>{bits(row.operand)});
            test::Array old(row.type, 1);
            library.run(fmt::format("atomic_{}", i),
                        {test::slot(memory.data()), test::slot(operand.data()), test::slot(old.data())}, 0, 1);
            CHECK(memory.at(0) == bits(row.left));
            CHECK(old.at(0) == bits(row.start));
        }
    }
}

}  // namespace memory_test
