// Loops and conditions, scalar and with divergent masks; what a task says to the runtime.
#include <cstring>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "harness.h"

using namespace tsr;
using ir::Attr;
using ir::OpKind;
using ir::ValueId;

namespace {

// steps[i] = number of Collatz steps from i + 1 to 1, sixteen at a time: lanes end at different rounds.
void collatz(test::Kernel& k) {
    k.function.name = "collatz";
    const ValueId out = k.pointer(0, DType::i32);
    const auto all = [&](int64_t value) { return k.splat(k.build.constant(value, DType::i32), 16); };
    k.loop(k.begin(), k.end(), k.build.index(16), {}, [&](ValueId i, const ir::Values&) -> ir::Values {
        const ValueId lanes = k.build.add(k.splat(i, 16), k.iota(16, DType::index));
        const ValueId inside = k.build.lt(lanes, k.splat(k.end(), 16));
        const ValueId start = k.build.add(k.build.cast(lanes, DType::i32), all(1));
        const ValueId active = k.build.bit_and(inside, k.build.gt(start, all(1)));
        const ir::Values ended = k.loop_while(
            {active, start, all(0)},
            [&](const ir::Values& v) -> ir::Values {
                return {k.build.value(OpKind::vector_reduce, {v[0]},
                                      {{Attr::op, static_cast<int64_t>(ir::ReduceOp::any)}})};
            },
            [&](const ir::Values& v) -> ir::Values {
                const ValueId odd = k.build.eq(k.build.bit_and(v[1], all(1)), all(1));
                const ValueId up = k.build.add(k.build.mul(v[1], all(3)), all(1));
                const ValueId next = k.build.select(odd, up, k.build.shr(v[1], all(1)));
                const ValueId number = k.build.select(v[0], next, v[1]);
                const ValueId steps = k.build.select(v[0], k.build.add(v[2], all(1)), v[2]);
                return {k.build.bit_and(v[0], k.build.gt(number, all(1))), number, steps};
            });
        k.store(k.at(out, i), ended[2], inside);
        return {};
    });
    k.yield();
}

int collatz_steps(int n) {
    int steps = 0;
    for (; n > 1; ++steps) n = n % 2 == 1 ? 3 * n + 1 : n / 2;
    return steps;
}

struct Said {
    std::vector<uint64_t> values;
    std::vector<int64_t> order;
    int failures = 0;
};
Said said;

}  // namespace

// What the runtime would have: called by the libraries under test.
extern "C" {
void tsr_task_print(TsrTask*, const TsrMessage* message, const uint64_t* values, int64_t group);
void tsr_task_assert_failed(TsrTask*, const TsrMessage* message, const uint64_t* values, int64_t group);
}
void tsr_task_print(TsrTask*, const TsrMessage* message, const uint64_t* values, int64_t group) {
    CHECK(message->npieces == 2);
    CHECK(std::strcmp(message->pieces[0].text, "at ") == 0);
    CHECK(message->pieces[1].text == nullptr);
    CHECK(message->pieces[1].dtype == TSR_I32);
    said.values.push_back(values[0]);
    said.order.push_back(group);
}
void tsr_task_assert_failed(TsrTask*, const TsrMessage*, const uint64_t*, int64_t) { ++said.failures; }

TEST_CASE("a loop runs while any lane does") {
    test::Kernel k;
    collatz(k);
    for (const std::string& machine : test::machines()) {
        for (const int level : {0, 2}) {
            const test::Library library({&k.function}, machine, level);
            REQUIRE_MESSAGE(library.failure().empty(), library.failure());
            std::vector<int32_t> steps(1016, -1);
            library.run("collatz", {test::slot(steps.data())}, 0, 1000);
            int wrong = 0;
            for (int i = 0; i < 1000; ++i) wrong += steps[static_cast<size_t>(i)] != collatz_steps(i + 1) ? 1 : 0;
            for (size_t i = 1000; i < 1016; ++i) wrong += steps[i] != -1 ? 1 : 0;
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("masks are not packed into bytes before AVX-512") {
    test::Kernel k;
    collatz(k);
    const std::string text = test::text_of({&k.function}, "x86-64-v3", codegen::Emit::assembly);
    for (const char* packing : {"vpacksswb", "vpmovsxbd", "vpmovmskb"}) {
        CHECK_MESSAGE(text.find(packing) == std::string::npos, packing);
    }
    CHECK(text.find("vtestps") != std::string::npos);
}

TEST_CASE("loops count down, by steps not known, and not at all by 0") {
    test::Kernel k;
    k.function.name = "rounds";
    const ValueId in = k.pointer(0, DType::i64);
    const auto at = [&](int64_t i) { return k.load(k.at(in, k.build.index(i))); };
    const ir::Values sums =
        k.loop(at(0), at(1), at(2), {k.build.constant(0, DType::i64), k.build.constant(0, DType::i64)},
               [&](ValueId i, const ir::Values& v) -> ir::Values {
                   return {k.build.add(v[0], i), k.build.add(v[1], k.build.constant(1, DType::i64))};
               });
    k.store(k.at(in, k.build.index(3)), sums[0]);
    k.store(k.at(in, k.build.index(4)), sums[1]);
    k.yield();
    test::Kernel narrow;
    narrow.function.name = "bytes";
    const ValueId out = narrow.pointer(0, DType::i64);
    const ir::Values count = narrow.loop(narrow.build.constant(250, DType::u8), narrow.build.constant(255, DType::u8),
                                         narrow.build.constant(2, DType::u8), {narrow.build.constant(0, DType::i64)},
                                         [&](ValueId, const ir::Values& v) -> ir::Values {
                                             return {narrow.build.add(v[0], narrow.build.constant(1, DType::i64))};
                                         });
    narrow.store(out, count[0]);
    narrow.yield();
    const test::Library library({&k.function, &narrow.function}, "x86-64", 2);
    REQUIRE_MESSAGE(library.failure().empty(), library.failure());
    const std::vector<std::vector<int64_t>> rows{{0, 10, 3, 18, 4}, {10, 0, -3, 22, 4}, {0, 10, 0, 0, 0},
                                                 {5, 5, 1, 0, 0},   {5, 6, -1, 0, 0},   {-4, 4, 4, -4, 2}};
    for (const std::vector<int64_t>& row : rows) {
        std::vector<int64_t> memory{row[0], row[1], row[2], -1, -1};
        library.run("rounds", {test::slot(memory.data())}, 0, 1);
        CHECK(memory == row);
    }
    int64_t rounds = 0;
    library.run("bytes", {test::slot(&rounds)}, 0, 1);
    CHECK(rounds == 3);  // 250, 252, 254: the counter does not wrap at 256
}

TEST_CASE("prints and assertions once per true lane, in order") {
    test::Kernel k;
    k.function.name = "say";
    const ValueId mask = k.load(k.pointer(0, DType::boolean), 16);
    const ValueId first = k.begin();
    k.for_active(mask, [&](ValueId lane) {
        const ValueId number = k.build.add(first, k.build.cast(lane, DType::index));
        k.build.print("at {}", {number, k.build.mul(lane, k.build.constant(10, DType::i32))});
        const ValueId fine = k.build.lt(lane, k.build.constant(9, DType::i32));
        k.build.emit(OpKind::assert_, {fine, number}, {{Attr::text, std::string("too far")}});
    });
    k.store(k.pointer(1, DType::i32), k.build.constant(1, DType::i32));
    k.yield();
    for (const std::string& machine : test::machines()) {
        const test::Library library({&k.function}, machine);
        REQUIRE_MESSAGE(library.failure().empty(), library.failure());
        said = {};
        std::vector<uint8_t> which(16, 0);
        which[2] = which[5] = 1;
        int32_t reached = 0;
        library.run("say", {test::slot(which.data()), test::slot(&reached)}, 100, 116);
        CHECK(said.values == std::vector<uint64_t>{20, 50});
        CHECK(said.order == std::vector<int64_t>{102, 105});
        CHECK(reached == 1);
        which[9] = which[11] = 1;
        reached = 0;
        library.run("say", {test::slot(which.data()), test::slot(&reached)}, 100, 116);
        CHECK(said.failures == 1);
        CHECK(said.values.back() == 90);
        CHECK(reached == 0);  // a failed assertion ends the task
    }
}

TEST_CASE("slots, scratch, stack and results") {
    test::Kernel k;
    k.function.name = "parts";
    const ValueId scratch = k.build.value(OpKind::scratch, {}, {{Attr::count, int64_t{64}}, {Attr::type, DType::i64}});
    const ValueId stack = k.build.value(OpKind::stack, {}, {{Attr::count, int64_t{4}}, {Attr::type, DType::i64}});
    k.store(k.at(stack, k.build.index(1)), k.build.cast(k.scalar(1, DType::f32), DType::i64));
    k.store(scratch, k.build.add(k.load(k.at(stack, k.build.index(1))), k.scalar(0, DType::i64)));
    const ValueId half = k.build.cast(k.scalar(2, DType::boolean), DType::f16);
    k.build.emit(OpKind::runtime, {half}, {{Attr::callee, std::string("task_result")}}, {});
    k.yield();
    const test::Library library({&k.function}, "x86-64-v3");
    REQUIRE_MESSAGE(library.failure().empty(), library.failure());
    std::vector<int64_t> memory(16, 0);
    uint64_t result = ~uint64_t{0};
    TsrTask task{};
    task.result = &result;
    const float number = 41.5F;
    uint32_t bits = 0;
    std::memcpy(&bits, &number, 4);
    library.run("parts", {1, bits, 1}, 0, 1, &task, memory.data());
    CHECK(memory[8] == 42);
    CHECK(result == 0x3c00);
}

TEST_CASE("what has no code is refused, not crashed on") {
    test::Kernel k;
    k.function.name = "packed";
    const ValueId in = k.pointer(0, DType::i4);
    k.store(k.pointer(1, DType::i4), k.load(in));
    k.yield();
    const test::Library library({&k.function}, "x86-64");
    CHECK(library.failure().find("share bytes") != std::string::npos);
    test::Kernel empty;
    empty.function.name = "empty";
    empty.yield();
    const test::Library unknown({&empty.function}, "x86-64-v5");
    CHECK(unknown.failure().find("unknown processor `x86-64-v5`") != std::string::npos);
}
