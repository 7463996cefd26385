// Launches: every group once, the right variant, lines and failures in the order of groups.
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "helpers.h"
#include "runtime/device/cpu/pool.h"

namespace tsr::runtime::tests {

namespace {

constexpr TsrPlace kPlace{"k.tsr", 3, 1};

TsrKernelVariant plain(TsrKernelEntry entry, int64_t task, int64_t scratch = 0) {
    return {TSR_MACHINE_X86_64, 0, TSR_LEVEL_V1, nullptr, nullptr, entry, task, scratch, "plan"};
}

TsrKernelFamily family(const TsrKernelVariant* variants, int32_t count) {
    return {"k", kPlace, 4, count, nullptr, variants};
}

void count_groups(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask* task) {
    auto* counts = std::bit_cast<std::atomic<int>*>(slots[0]);
    for (int64_t i = begin; i < end; ++i) counts[i].fetch_add(task->total == static_cast<int64_t>(slots[1]) ? 1 : 1000);
    if (begin == 0) *task->result = 77;
}

void write_number(const uint64_t* slots, int64_t, int64_t, void*, TsrTask*) {
    *std::bit_cast<uint64_t*>(slots[0]) = slots[1];
}

void use_scratch(const uint64_t* slots, int64_t begin, int64_t end, void* scratch, TsrTask* task) {
    auto* wrong = std::bit_cast<std::atomic<int>*>(slots[0]);
    auto* own = static_cast<int64_t*>(scratch);
    if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0) ++*wrong;
    for (int64_t i = 0; i < 1000; ++i) own[i] = begin + task->worker;
    std::this_thread::yield();
    for (int64_t i = 0; i < 1000; ++i) {
        if (own[i] != begin + task->worker) ++*wrong;
    }
    if (end <= begin) ++*wrong;
}

constexpr TsrMessagePiece kPieces[] = {
    {"group ", 0, nullptr}, {nullptr, TSR_I64, ">3"}, {" has ", 0, nullptr}, {nullptr, TSR_F32, ""}};
constexpr TsrMessage kMessage{{"k.tsr", 5, 9}, 4, kPieces};

void talk(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask* task) {
    for (int64_t i = begin; i < end; ++i) {
        uint64_t values[] = {static_cast<uint64_t>(i), std::bit_cast<uint32_t>(static_cast<float>(i) / 4)};
        if (i % 100 == 7) tsr_task_print(task, &kMessage, values, i);
        if (slots[0] != 0 && i >= static_cast<int64_t>(slots[0])) {
            tsr_task_assert_failed(task, &kMessage, values, i);
            return;
        }
    }
}

// What `action` writes to stderr.
template <typename Action>
std::string on_stderr(Action action) {
    std::fflush(stderr);
    std::FILE* file = std::tmpfile();
    int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    action();
    std::fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    std::rewind(file);
    std::string text;
    for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

}  // namespace

TEST_CASE("every group is run once, for any total and task size") {
    for (int64_t total : {1, 2, 7, 1000, 100001}) {
        for (int64_t task : {1, 3, 64, 1 << 20}) {
            if (total / task > 2000) continue;
            CAPTURE(total);
            CAPTURE(task);
            std::vector<std::atomic<int>> counts(static_cast<size_t>(total));
            TsrKernelVariant variant = plain(count_groups, task);
            TsrKernelFamily k = family(&variant, 1);
            uint64_t slots[] = {std::bit_cast<uint64_t>(counts.data()), static_cast<uint64_t>(total), 0, 0}, result = 0;
            tsr_launch(&k, slots, nullptr, total, &result, nullptr);
            bool once = true;
            for (auto& count : counts) once &= count == 1;
            CHECK(once);
            CHECK(result == 77);
        }
    }
}

TEST_CASE("many launches one after the other, none lost") {
    std::atomic<int> sum = 0;
    auto add = [](const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask*) {
        *std::bit_cast<std::atomic<int>*>(slots[0]) += static_cast<int>(end - begin);
    };
    TsrKernelVariant variant = plain(add, 1);
    TsrKernelFamily k = family(&variant, 1);
    uint64_t slots[] = {std::bit_cast<uint64_t>(&sum), 0, 0, 0};
    for (int i = 0; i < 20000; ++i) tsr_launch(&k, slots, nullptr, 5, nullptr, nullptr);
    CHECK(sum == 100000);
    tsr_launch(&k, slots, nullptr, 0, nullptr, nullptr);
    tsr_launch(&k, slots, nullptr, -4, nullptr, nullptr);
    CHECK(sum == 100000);
}

TEST_CASE("a chunk is never handed to two workers at once, nor a worker two chunks") {
    struct State {
        std::atomic<int> inside[1024] = {};
        std::atomic<int64_t> done = 0;
        std::atomic<bool> wrong = false;
    } state;
    auto work = [](void* context, int worker, int64_t first, int64_t last) {
        auto& s = *static_cast<State*>(context);
        if (s.inside[worker].fetch_add(1) != 0 || worker >= tsr_workers() || first >= last) s.wrong = true;
        std::this_thread::yield();
        s.done += last - first;
        s.inside[worker].fetch_sub(1);
    };
    for (int i = 0; i < 200; ++i) Pool::instance().run(1000, work, &state);
    CHECK(state.done == 200000);
    CHECK(!state.wrong);
}

TEST_CASE("the first variant whose guards hold is run") {
    const TsrGuard small[] = {{TSR_GUARD_LESS, 2, 100}, {TSR_GUARD_AT_LEAST, 2, 10}};
    const TsrGuard even[] = {{TSR_GUARD_DIVISIBLE, 2, 2}};
    const TsrGuard exact[] = {{TSR_GUARD_EQUAL, 2, 101}};
    uint64_t chosen = 0;
    auto number = [](uint64_t n) { return n; };
    auto entry_of = []<int N>(std::integral_constant<int, N>) -> TsrKernelEntry {
        return
            [](const uint64_t* slots, int64_t, int64_t, void*, TsrTask*) { *std::bit_cast<uint64_t*>(slots[0]) = N; };
    };
    TsrKernelVariant variants[6];
    variants[0] = plain(entry_of(std::integral_constant<int, 1>{}), 1);
    variants[0].features = uint64_t{1} << 63;  // no processor has this
    variants[1] = plain(entry_of(std::integral_constant<int, 2>{}), 1);
    variants[1].guards = small, variants[1].nguards = 2;
    variants[2] = plain(entry_of(std::integral_constant<int, 3>{}), 1);
    variants[2].guards = even, variants[2].nguards = 1;
    variants[3] = plain(entry_of(std::integral_constant<int, 4>{}), 1);
    variants[3].guards = exact, variants[3].nguards = 1;
    variants[4] = plain(entry_of(std::integral_constant<int, 5>{}), 1);
    variants[4].accepts = [](const uint64_t* slots) { return int32_t{slots[2] == 103}; };
    variants[5] = plain(write_number, 1);
    TsrKernelFamily k = family(variants, 6);
    auto run = [&](int64_t value) {
        uint64_t slots[] = {std::bit_cast<uint64_t>(&chosen), number(6), static_cast<uint64_t>(value), 0};
        tsr_launch(&k, slots, nullptr, 1, nullptr, nullptr);
        return chosen;
    };
    CHECK(run(10) == 2);
    CHECK(run(99) == 2);
    CHECK(run(100) == 3);
    CHECK(run(-4) == 3);
    CHECK(run(101) == 4);
    CHECK(run(103) == 5);
    CHECK(run(105) == 6);
    TsrKernelFamily none = family(variants, 1), unfit = family(variants + 1, 1);
    uint64_t slots[] = {std::bit_cast<uint64_t>(&chosen), 0, 5, 0};
    CHECK(failure([&] { tsr_launch(&none, slots, nullptr, 1, nullptr, nullptr); }) ==
          "kernel k: this executable holds no code for this processor");
    CHECK(failure([&] { tsr_launch(&unfit, slots, nullptr, 1, nullptr, nullptr); }) ==
          "kernel k: no variant in this executable takes these arguments");
}

TEST_CASE("each worker has scratch memory of its own, aligned") {
    std::atomic<int> wrong = 0;
    for (int64_t bytes : {8000, 100000, 8000}) {
        TsrKernelVariant variant = plain(use_scratch, 1, bytes);
        TsrKernelFamily k = family(&variant, 1);
        uint64_t slots[] = {std::bit_cast<uint64_t>(&wrong), 0, 0, 0};
        tsr_launch(&k, slots, nullptr, 500, nullptr, nullptr);
    }
    CHECK(wrong == 0);
}

TEST_CASE("lines of kernels come in the order of groups") {
    TsrKernelVariant variant = plain(talk, 10);
    TsrKernelFamily k = family(&variant, 1);
    uint64_t slots[] = {0, 0, 0, 0};
    std::string text = on_stderr([&] { tsr_launch(&k, slots, nullptr, 400, nullptr, nullptr); });
    CHECK(text == "group   7 has 1.75\ngroup 107 has 26.75\ngroup 207 has 51.75\ngroup 307 has 76.75\n");
}

TEST_CASE("a failed assertion ends the program with kernel and line") {
    TsrKernelVariant variant = plain(talk, 100);
    TsrKernelFamily k = family(&variant, 1);
    uint64_t slots[] = {150, 0, 0, 0};
    std::string message, place;
    struct Thrown {};
    static TsrPlace told;
    static std::string said;
    tsr_set_failure_handler(
        [](void*, const TsrPlace* where, const char* text) {
            told = *where;
            said = text;
            throw Thrown{};
        },
        nullptr);
    on_stderr([&] { CHECK_THROWS_AS(tsr_launch(&k, slots, nullptr, 200, nullptr, nullptr), Thrown); });
    tsr_set_failure_handler(nullptr, nullptr);
    CHECK(said == "assertion failed in kernel k: group 150 has 37.5");
    CHECK(told.line == 5);
    CHECK(told.column == 9);
}

TEST_CASE("features of this processor are those of a level that contains the one below") {
    uint64_t features = tsr_cpu_features();
    bool v2 = (features & TSR_LEVEL_V2) == TSR_LEVEL_V2, v3 = (features & TSR_LEVEL_V3) == TSR_LEVEL_V3;
    bool v4 = (features & TSR_LEVEL_V4) == TSR_LEVEL_V4;
    CHECK((!v4 || v3));
    CHECK((!v3 || v2));
    CHECK(v3 == (__builtin_cpu_supports("x86-64-v3") != 0));
    CHECK(v4 == (__builtin_cpu_supports("x86-64-v4") != 0));
}

}  // namespace tsr::runtime::tests
