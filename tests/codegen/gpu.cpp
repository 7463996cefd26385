// What a GPU alone has: threads of a block and a warp, shared memory, copies beside the program, messages.
#include <array>
#include <cstring>
#include <numeric>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cuda_driver.h"
#include "harness.h"

using namespace tsr;
using ir::Attr;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr int64_t kBlocks = 3;
constexpr int64_t kThreads = 64;

struct GpuKernel : test::Kernel {
    GpuKernel() : Kernel(true) { function.name = "kernel"; }

    ValueId thread() { return build.value(OpKind::thread_id, {}); }
    ValueId block() { return build.value(OpKind::block_id, {}); }
    // This thread's number in the launch.
    ValueId number() { return build.add(build.mul(block(), build.index(kThreads)), thread()); }
    ValueId shared(int64_t at, DType type) {
        return build.value(OpKind::scratch, {}, {{Attr::count, at}, {Attr::type, type}});
    }
    void barrier() { build.emit(OpKind::block_barrier, {}); }
    ValueId shuffle(ir::ShuffleBy by, ValueId value, ValueId lane) {
        return build.value(OpKind::warp_shuffle, {value, lane}, {{Attr::shuffle, ir::code(by)}});
    }
    ValueId i32(int64_t value) { return build.constant(value, DType::i32); }
};

codegen::Program program_of(const ir::Function& function, const std::string& machine, int64_t threads) {
    codegen::Program program;
    codegen::KernelVariant variant;
    variant.function = &function;
    variant.machine = machine;
    variant.threads = threads;
    codegen::KernelFamily family;
    family.name = function.name;
    family.slots.resize(2);
    family.variants.push_back(variant);
    program.families.push_back(family);
    return program;
}

std::string ptx_of(const ir::Function& function, const std::string& machine, int64_t threads = kThreads) {
    const Sources sources;
    auto texts = codegen::compile_for_gpus(program_of(function, machine, threads), sources, {}, codegen::GpuForm::ptx);
    REQUIRE_MESSAGE(texts.ok(), texts.message());
    return texts.value()[0].text;
}

// Runs the kernel on two arrays.
template <typename A, typename B>
void run(GpuKernel& kernel, const std::string& machine, std::vector<A>& first, std::vector<B>& second,
         uint64_t context = 0, bool fails = false) {
    kernel.yield();
    test::CudaDriver& driver = *test::CudaDriver::get();
    const uint64_t a = driver.put(first.data(), first.size() * sizeof(A));
    const uint64_t b = driver.put(second.data(), second.size() * sizeof(B));
    const std::string wrong = driver.run(ptx_of(kernel.function, machine), "tsr_kernel", kBlocks, kThreads, 4096,
                                         {a, b, 0, kBlocks * kThreads, context});
    CHECK_MESSAGE(wrong.empty() != fails, machine << ": " << wrong);
    driver.take(first.data(), a, first.size() * sizeof(A));
    driver.take(second.data(), b, second.size() * sizeof(B));
    driver.free(a);
    driver.free(b);
}

std::vector<int32_t> numbers() {
    std::vector<int32_t> all(kBlocks * kThreads);
    std::iota(all.begin(), all.end(), 1000);
    return all;
}

}  // namespace

TEST_CASE("threads of a block meet and see what the others wrote to shared memory") {
    for (const std::string& machine : test::gpus()) {
        GpuKernel k;
        const ValueId mine = k.at(k.shared(256, DType::i32), k.thread());
        k.store(mine, k.load(k.at(k.pointer(0, DType::i32), k.number())));
        k.barrier();
        const ValueId other = k.build.sub(k.build.index(kThreads - 1), k.thread());
        k.store(k.at(k.pointer(1, DType::i32), k.number()), k.load(k.at(k.shared(256, DType::i32), other)));
        std::vector<int32_t> in = numbers();
        std::vector<int32_t> out(in.size());
        run(k, machine, in, out);
        for (int64_t i = 0; i < kBlocks * kThreads; ++i) {
            CHECK(out[i] == 1000 + i / kThreads * kThreads + kThreads - 1 - i % kThreads);
        }
    }
}

TEST_CASE("values of every width go to other lanes") {
    struct Mode {
        ir::ShuffleBy by;
        int32_t lane;
        int64_t (*from)(int64_t lane);
    };
    constexpr std::array<Mode, 4> kModes{
        {{ir::ShuffleBy::index, 5, [](int64_t) -> int64_t { return 5; }},
         {ir::ShuffleBy::bit_xor, 3, [](int64_t lane) -> int64_t { return lane ^ 3; }},
         {ir::ShuffleBy::up, 4, [](int64_t lane) -> int64_t { return lane < 4 ? lane : lane - 4; }},
         {ir::ShuffleBy::down, 30, [](int64_t lane) -> int64_t { return lane > 1 ? lane : lane + 30; }}}};
    for (const std::string& machine : test::gpus()) {
        for (const Mode& mode : kModes) {
            for (const DType type : {DType::i8, DType::f16, DType::f32, DType::i64, DType::f64}) {
                CAPTURE(ir::name(mode.by));
                CAPTURE(name(type));
                GpuKernel k;
                const ValueId value = k.build.cast(k.load(k.at(k.pointer(0, DType::i32), k.number())), type);
                const ValueId moved = k.shuffle(mode.by, value, k.i32(mode.lane));
                k.store(k.at(k.pointer(1, DType::i32), k.number()), k.build.cast(moved, DType::i32));
                std::vector<int32_t> in(kBlocks * kThreads);
                for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int32_t>(i % 100);
                std::vector<int32_t> out(in.size());
                run(k, machine, in, out);
                for (int64_t i = 0; i < kBlocks * kThreads; ++i) {
                    REQUIRE(out[i] == in[i / 32 * 32 + mode.from(i % 32)]);
                }
            }
        }
    }
}

TEST_CASE("a warp votes") {
    for (const std::string& machine : test::gpus()) {
        GpuKernel k;
        const ValueId odd =
            k.build.ne(k.build.bit_and(k.load(k.at(k.pointer(0, DType::i32), k.number())), k.i32(1)), k.i32(0));
        const auto vote = [&](ir::Vote asked) {
            return k.build.value(OpKind::warp_vote, {odd}, {{Attr::vote, ir::code(asked)}});
        };
        const ValueId any = k.build.cast(vote(ir::Vote::any), DType::u32);
        const ValueId all = k.build.cast(vote(ir::Vote::all), DType::u32);
        const ValueId place = k.build.mul(k.number(), k.build.index(3));
        const ValueId out = k.pointer(1, DType::u32);
        k.store(k.at(out, place), vote(ir::Vote::ballot));
        k.store(k.at(out, k.build.add(place, k.build.index(1))), any);
        k.store(k.at(out, k.build.add(place, k.build.index(2))), all);
        std::vector<int32_t> in(kBlocks * kThreads, 2);
        for (int64_t i = 0; i < 32; ++i) in[i] = 1;      // warp 0: all
        for (int64_t i = 32; i < 64; i += 3) in[i] = 1;  // warp 1: some; the others: none
        std::vector<uint32_t> got(in.size() * 3);
        run(k, machine, in, got);
        CHECK(std::vector<uint32_t>(got.begin(), got.begin() + 3) == std::vector<uint32_t>{0xffffffff, 1, 1});
        CHECK(std::vector<uint32_t>(got.begin() + 96, got.begin() + 99) == std::vector<uint32_t>{0x49249249, 1, 0});
        CHECK(std::vector<uint32_t>(got.begin() + 192, got.begin() + 195) == std::vector<uint32_t>{0, 0, 0});
    }
}

TEST_CASE("asynchronous copies bring some bytes and make the others zero") {
    for (const std::string& machine : test::gpus()) {
        for (const int64_t width : {4, 8, 16}) {
            for (const int64_t valid : {width, width / 2, int64_t{0}}) {
                CAPTURE(width);
                CAPTURE(valid);
                GpuKernel k;
                const ValueId at = k.build.mul(k.thread(), k.build.index(width));
                const ValueId to = k.at(k.shared(0, DType::u8), at);
                const ValueId from = k.at(k.pointer(0, DType::u8), at);
                // Not known before the kernel runs, once; then known.
                ValueId bytes = k.i32(valid);
                if (width == 8) bytes = k.build.add(bytes, k.build.cast(k.begin(), DType::i32));
                k.build.emit(OpKind::async_copy, {to, from, bytes}, {{Attr::width, width}});
                k.build.emit(OpKind::async_commit, {});
                k.build.emit(OpKind::async_wait, {}, {{Attr::count, int64_t{0}}});
                k.barrier();
                const ValueId out =
                    k.at(k.pointer(1, DType::u8), k.build.mul(k.block(), k.build.index(kThreads * width)));
                k.loop(k.build.index(0), k.build.index(width), k.build.index(1), {},
                       [&](ValueId i, const ir::Values&) -> ir::Values {
                           const ValueId place = k.build.add(at, i);
                           k.store(k.at(out, place), k.load(k.at(k.shared(0, DType::u8), place)));
                           return {};
                       });
                std::vector<uint8_t> in(kThreads * 16);
                for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 7 + 1);
                std::vector<uint8_t> got(kBlocks * in.size(), 0x55);
                run(k, machine, in, got);
                for (int64_t i = 0; i < kBlocks * kThreads * width; ++i) {
                    REQUIRE(got[i] == (i % width < valid ? in[i % (kThreads * width)] : 0));
                }
            }
        }
    }
}

TEST_CASE("atomics of all threads") {
    const auto check = [](DType type, ir::AtomicOp op, auto start, auto want, const std::string& machine) {
        CAPTURE(name(type));
        CAPTURE(machine);
        using Element = decltype(start);
        GpuKernel k;
        const ValueId added = k.build.cast(k.build.add(k.number(), k.build.index(1)), type);
        k.build.emit(OpKind::atomic_rmw, {k.pointer(0, type), added}, {{Attr::op, static_cast<int64_t>(op)}});
        // Narrow elements are exchanged with the word around them.
        std::vector<Element> total(8, start);
        std::vector<Element> unused{start};
        run(k, machine, total, unused);
        CHECK(total[0] == want);
        CHECK(total[1] == start);
    };
    constexpr int32_t kAll = kBlocks * kThreads;
    constexpr int32_t kSum = kAll * (kAll + 1) / 2;
    for (const std::string& machine : test::gpus()) {
        check(DType::i32, ir::AtomicOp::add, int32_t{5}, kSum + 5, machine);
        check(DType::i64, ir::AtomicOp::add, int64_t{5}, int64_t{kSum + 5}, machine);
        check(DType::f32, ir::AtomicOp::add, 0.5F, static_cast<float>(kSum) + 0.5F, machine);
        check(DType::f64, ir::AtomicOp::add, 0.5, kSum + 0.5, machine);
        check(DType::i32, ir::AtomicOp::max, int32_t{5}, kAll, machine);
        check(DType::i32, ir::AtomicOp::min, int32_t{5}, 1, machine);
        check(DType::f32, ir::AtomicOp::max, 5.0F, static_cast<float>(kAll), machine);
        check(DType::u8, ir::AtomicOp::bit_or, uint8_t{0}, uint8_t{0xff}, machine);
        check(DType::f16, ir::AtomicOp::max, uint16_t{0}, uint16_t{0x5a00}, machine);        // 192
        check(DType::bf16, ir::AtomicOp::add, uint16_t{0xff80}, uint16_t{0xff80}, machine);  // minus infinity stays
    }
}

TEST_CASE("atomics of neighbouring elements") {
    // Every thread adds 1, 2, 3, … or takes the least of 5 and these.
    const auto check = [](DType type, ir::AtomicOp op, int64_t width, auto ones, auto want,
                          const std::string& machine) {
        CAPTURE(name(type));
        CAPTURE(machine);
        CAPTURE(width);
        GpuKernel k;
        k.function.plan.emplace(ir::GpuPlan{}).machine = machine;
        ValueId added = k.splat(k.build.constant(1.0, type), width);
        for (int64_t i = 1; i < width; ++i) {
            const ValueId one = k.build.constant(static_cast<double>(i + 1), type);
            added = k.build.value(OpKind::insert, {added, one}, {{Attr::axis, i}});
        }
        k.build.emit(OpKind::atomic_rmw, {k.pointer(0, type), added},
                     {{Attr::op, static_cast<int64_t>(op)}, {Attr::alignment, width * bits(type) / 8}});
        std::vector<decltype(ones)> total(10, ones);
        std::vector<decltype(ones)> unused{ones};
        run(k, machine, total, unused);
        for (int64_t i = 0; i < 10; ++i) CHECK(total[static_cast<size_t>(i)] == (i < width ? want(i) : ones));
    };
    constexpr int32_t kAll = kBlocks * kThreads;
    // Multiples of 192 in f16, and in bf16, whose sums stop where a step is half of the last bit.
    const auto sum = [](int64_t i) { return static_cast<float>(5 + kAll * (i + 1)); };
    const auto halves = [](int64_t i) { return std::array<uint16_t, 2>{0x5a00, 0x5e00}[static_cast<size_t>(i)]; };
    const auto least = [](int64_t i) { return std::array<uint16_t, 2>{0x3f80, 0x4000}[static_cast<size_t>(i)]; };
    for (const std::string& machine : test::gpus()) {
        check(DType::f16, ir::AtomicOp::add, 2, uint16_t{0}, halves, machine);
        check(DType::bf16, ir::AtomicOp::min, 2, uint16_t{0x40a0}, least, machine);
        check(DType::bf16, ir::AtomicOp::add, 2, uint16_t{0x7f80}, [](int64_t) { return uint16_t{0x7f80}; }, machine);
        if (machine != "sm_90a") continue;
        check(DType::f32, ir::AtomicOp::add, 2, 5.0F, sum, machine);
        check(DType::f32, ir::AtomicOp::add, 4, 5.0F, sum, machine);
        check(DType::bf16, ir::AtomicOp::add, 8, uint16_t{0x7f80}, [](int64_t) { return uint16_t{0x7f80}; }, machine);
    }
}

TEST_CASE("lines, failed assertions and the result reach the context") {
    constexpr size_t kWords = 64;
    for (const std::string& machine : test::gpus()) {
        test::CudaDriver& driver = *test::CudaDriver::get();
        GpuKernel k;
        const ValueId seen = k.load(k.at(k.pointer(0, DType::f32), k.number()));
        const ValueId chosen = k.build.lt(k.number(), k.build.index(2));
        k.branch(
            chosen,
            [&](const ir::Values&) -> ir::Values {
                k.build.emit(OpKind::print, {k.number(), seen, k.i32(-1)}, {{Attr::text, std::string("x {} {}")}});
                k.build.emit(OpKind::runtime, {seen}, {{Attr::callee, std::string("task_result")}});
                return {};
            },
            [&](const ir::Values&) -> ir::Values { return {}; });
        const std::vector<uint64_t> empty(kWords, 0);
        const uint64_t words = driver.put(empty.data(), kWords * 8);
        TsrDeviceContext context{};
        context.capacity = kWords;
        context.words = reinterpret_cast<uint64_t*>(words);
        const uint64_t at = driver.put(&context, sizeof context);
        std::vector<float> in(kBlocks * kThreads, 1.5F);
        std::vector<float> unused(1);
        run(k, machine, in, unused, at);
        driver.take(&context, at, sizeof context);
        CHECK(context.next == 8);
        CHECK(context.result == 0x3fc00000);
        CHECK(context.failed == 0);
        std::vector<uint64_t> said(kWords);
        driver.take(said.data(), words, kWords * 8);
        for (const size_t message : {0, 4}) {
            const uint64_t order = said[message + 1];
            CHECK(order < 2);
            CHECK(said[message] == (1 | order << 32));
            CHECK(said[message + 2] == 0x3fc00000);
            CHECK(said[message + 3] == 0xffffffff);
        }
        CHECK(said[1] != said[5]);
        driver.free(words);
        driver.free(at);
    }
}

TEST_CASE("the code of an assertion tells the host before it ends the launch") {
    GpuKernel k;
    const ValueId fine = k.build.lt(k.load(k.pointer(0, DType::f32)), k.build.constant(1.0, DType::f32));
    k.build.emit(OpKind::assert_, {fine, k.number()}, {{Attr::text, std::string("too large")}});
    k.yield();
    const std::string ptx = ptx_of(k.function, "sm_80");
    const size_t said = ptx.find("atom.");
    const size_t fence = ptx.find("membar.sys", said);
    const size_t failed = ptx.find("st.volatile.global.b32", fence);
    CHECK(failed != std::string::npos);
    CHECK(ptx.find("trap", failed) != std::string::npos);
}

TEST_CASE("what has no code on a GPU is refused by name before LLVM sees it") {
    const auto refusal = [](GpuKernel& k) {
        k.yield();
        const Sources sources;
        auto texts = codegen::compile_for_gpus(program_of(k.function, "sm_80", 32), sources, {}, codegen::GpuForm::ptx);
        REQUIRE(!texts.ok());
        return texts.message();
    };
    GpuKernel tangent;
    const ValueId place = tangent.pointer(0, DType::f64);
    tangent.store(place, tangent.build.value(OpKind::tan, {tangent.load(place)}));
    CHECK(refusal(tangent) == "in `kernel`: `tan` of f64 has no code on a GPU");
    GpuKernel masked;
    const ValueId values = masked.pointer(0, DType::f32);
    const ValueId mask = masked.splat(masked.build.eq(masked.begin(), masked.end()), 4);
    masked.store(masked.pointer(1, DType::f32),
                 masked.build.value(OpKind::vector_reduce, {masked.load(values, 4, mask)}, {{Attr::op, int64_t{0}}}));
    CHECK(refusal(masked) == "in `kernel`: `load` has no code under a mask on a GPU");
    for (const auto& [width, alignment] : {std::pair<int64_t, int64_t>{4, 8}, {2, 2}, {3, 16}}) {
        GpuKernel packed;
        packed.function.plan.emplace(ir::GpuPlan{}).machine = "sm_80";
        const ValueId added = packed.splat(packed.build.constant(1.0, DType::f16), width);
        packed.build.emit(OpKind::atomic_rmw, {packed.pointer(0, DType::f16), added},
                          {{Attr::op, static_cast<int64_t>(ir::AtomicOp::add)}, {Attr::alignment, alignment}});
        CHECK(refusal(packed) == "in `kernel`: `atomic_rmw` of so many elements has no code on this GPU");
    }
    GpuKernel unknown;
    unknown.yield();
    const Sources sources;
    auto texts =
        codegen::compile_for_gpus(program_of(unknown.function, "sm_79", 32), sources, {}, codegen::GpuForm::ptx);
    CHECK(texts.message().find("did you mean `sm_7") != std::string::npos);
}
