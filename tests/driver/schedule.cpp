// Schedules: what is printed is read back to the same plans; whatever stands in one, it is refused or code is made.
#include "driver/schedule.h"

#include <filesystem>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "driver/compilation.h"
#include "driver/output.h"

using namespace tsr;
using namespace tsr::driver;

namespace {

constexpr const char* kProgram = R"(
@kernel
def gemm(A: f32[M, K], B: f32[K, N], C: mut f32[M, N]):
    for m, n in tile.range((M, N), step=(32, 48)):
        acc = tile.zeros((32, 48), f32)
        for k in tile.range(0, K, 16):
            acc += tile.mma(tile.load(A[m:m+32, k:k+16]), tile.load(B[k:k+16, n:n+48]))
        C[m:m+32, n:n+48] = acc


@kernel
def pattern(x: mut f32[M, N]):
    for m, n in tile.range((M, N)):
        x[m, n] = cast(m * 3 + n, f32)


def main():
    x = zeros((8, 8), f32)
    pattern(x)
    gemm(x, x, zeros((8, 8), f32))
)";

constexpr const char* kGraphs = R"(
@jit
def f(x: f32[n, k], w: f32[k, m], b: f32[m], count: i32) -> (f32[n, m], f32[n], f32[m, n]):
    h = x @ w + b
    y = softmax(gelu(h), axis=1)
    q = x @ (w * 2.0) + y
    for i in range(count):
        c = layernorm(q) + exp(b)
        q = c * y - h
    s = sum(y, axis=1)
    t = sort(q, axis=1).T * 2.0
    return q[::-1] + cumsum(y, axis=1), s * 0.5, concat([t[0:2], t[2:]], axis=0)


def main():
    x, y, z = f(ones((8, 4)), ones((4, 6)), ones(6), 2)
    print(x, y, z)
)";

// What lowers the graphs as a schedule says; `said` is empty, or the first error.
struct Ordered {
    std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("tsr-graphs-{}.tsr", getpid());
    std::filesystem::path plans = std::filesystem::temp_directory_path() / fmt::format("tsr-orders-{}", getpid());
    Options options;
    Session session;
    Compilation compilation;
    std::string said;

    explicit Ordered(const std::string& orders) : session(options), compilation(session) {
        options.input = path;
        options.emit = Emit::schedule;
        options.schedule = plans;
        REQUIRE(write_output(path, kGraphs, FileKind::data).empty());
        REQUIRE(write_output(plans, orders, FileKind::data).empty());
        if (compilation.read() && compilation.lower()) return;
        for (const Diagnostic& d : session.diagnostics.all()) {
            if (d.severity == Severity::error && said.empty()) said = d.code;
        }
        REQUIRE(!said.empty());
    }
    ~Ordered() {
        std::filesystem::remove(path);
        std::filesystem::remove(plans);
    }
};

// A program on its way to the machines.
struct Lowered {
    std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("tsr-schedule-{}.tsr", getpid());
    Options options;
    Session session;
    Compilation compilation;

    explicit Lowered(std::vector<std::string> targets = {}) : session(options), compilation(session) {
        options.input = path;
        options.emit = Emit::schedule;
        options.targets = std::move(targets);
        REQUIRE(write_output(path, kProgram, FileKind::data).empty());
        REQUIRE(compilation.read());
        REQUIRE(compilation.lower());
    }
    ~Lowered() { std::filesystem::remove(path); }

    std::string plans() {
        REQUIRE(compilation.lower_to_machines());
        return compilation.plans();
    }
};

// What was said about a text: `LINE:COLUMN CODE message`, the first of it.
std::string said(const std::string& text, const ir::Module& module) {
    Sources sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("plans", text);
    Schedule schedule = Schedule::read(sources, file, diagnostics);
    if (!diagnostics.has_errors()) schedule.check_names(module, diagnostics);
    for (const ir::Function& function : module.functions) {
        if (function.level != ir::Level::tile || diagnostics.has_errors()) continue;
        for (const char* machine : {"x86-64-v4", "x86-64-v3"}) schedule.of_cpu(function, machine, diagnostics);
        schedule.of_gpu(function, "sm_80", diagnostics);
    }
    (void)render(diagnostics, sources, {});
    if (diagnostics.all().empty()) return {};
    const Diagnostic& first = diagnostics.all()[0];
    const LineColumn at = sources.position(file, first.span.begin);
    return fmt::format("{}:{} {} {}", at.line, at.column, first.code, first.message);
}

std::string about(const std::string& plan, const ir::Module& module, const std::string& kernel = "gemm") {
    return said(fmt::format("kernel @{}\n  {}\n", kernel, plan), module);
}

}  // namespace

TEST_CASE("a schedule that was printed says nothing wrong") {
    CHECK(said(Lowered().plans(), Lowered().compilation.module()) == "");
    CHECK(said(Lowered({"sm_80"}).plans(), Lowered().compilation.module()) == "");
}

TEST_CASE("what a schedule can not say is refused with its place") {
    Lowered program;
    const ir::Module& module = program.compilation.module();
    CHECK(said("# nothing\n\n", module) == "");
    CHECK(said("  x86-64: task 1\n", module) == "1:3 E0008 a plan stands under the line of its kernel or graph");
    CHECK(said("kernels @gemm\n", module) ==
          "1:1 E0008 `kernel @NAME` or `graph @NAME` is expected, or an indented line");
    CHECK(said("graph @f\n  fuse a + \n", module) == "2:3 E0008 `fuse VALUE + VALUE` is expected");
    CHECK(said("graph @f\n  region f.0: a,,b\n", module) == "2:3 E0008 `region NAME: VALUE, VALUE, …` is expected");
    CHECK(said("kernel @gemmm\n", module) == "1:8 E0009 the program has no kernel `gemmm`; did you mean `gemm`?");
    CHECK(said("kernel @gemm\nkernel @gemm\n", module) == "2:8 E0009 `@gemm` stands in the schedule twice");
    CHECK(about("x86-64-v4 task 1", module) == "2:3 E0008 `MACHINE: FIELD, FIELD, …` is expected");
    CHECK(about("x86-64-v5: task 1", module) == "2:3 E0009 there is no machine `x86-64-v5`; did you mean `x86-64-v3`?");
    CHECK(about("x86-64-v4: tusk 1", module) == "2:14 E0008 a plan has no field `tusk`; did you mean `task`?");
    CHECK(about("x86-64-v4: task one", module) == "2:14 E0008 `task N` is expected");
    CHECK(about("x86-64-v4: task -1", module) == "2:14 E0008 `task N` is expected");
    CHECK(about("x86-64-v4: lanes 16", module) == "2:14 E0008 `lanes N x N` is expected");
    CHECK(about("x86-64-v4: task 1, ", module) == "2:20 E0008 a field is expected");
    CHECK(about("x86-64-v4: task 1, task 2", module) == "2:22 E0008 `task` stands in the plan twice");
    CHECK(about("x86-64-v4: packed, unpacked", module) == "2:22 E0008 `unpacked` stands in the plan twice");
    CHECK(about("x86-64-v4: task 1\n  x86-64-v4: task 2", module) ==
          "3:3 E0009 `gemm` has a second plan for x86-64-v4");
    CHECK(about("x86-64-v4: task 1\n  x86-64-v4: task 2, 32-bit indices", module) == "");
}

TEST_CASE("an impossible plan is refused by its field") {
    Lowered program;
    const ir::Module& module = program.compilation.module();
    const std::string gemm = "E0010 `gemm` can not be compiled by this plan: ";
    CHECK(about("x86-64-v4: lanes 12 x 4", module) == "2:14 " + gemm + "lanes: 12 is no power of two from 4 to 64");
    CHECK(about("x86-64-v4: lanes 8 x 0", module) == "2:14 " + gemm + "lanes: 0 vectors in flight: it takes 1 to 16");
    CHECK(about("x86-64-v4: depth 0", module) == "2:14 " + gemm + "depth: 0 is not from 1 to 8192");
    CHECK(about("x86-64-v4: threads 32", module) == "2:14 " + gemm + "threads: x86-64-v4 has no such field");
    CHECK(about("x86-64-v3: lanes 8 x 1, panel f32[32, 48] 8 x 2", module) ==
          "2:27 " + gemm + "panel: 19 vector registers are needed: x86-64-v3 has 16");
    CHECK(about("x86-64-v3: panel f32[32, 48] 33 x 1", module) == "2:14 " + gemm + "panel: 33 rows of a tile of 32");
    CHECK(about("x86-64-v3: panel f32[32, 64] 8 x 1", module) ==
          "2:14 " + gemm + "panel: no product of the kernel accumulates in such a tile");
    CHECK(about("x86-64-v4: panel f32[32, 48] 9999999999999 x 9999999999999", module).starts_with("2:14 " + gemm));
    CHECK(about("x86-64-v4: lanes 2147483647 x 2147483647", module).starts_with("2:14 " + gemm));
    const std::string pattern = "E0010 `pattern` can not be compiled by this plan: ";
    CHECK(about("x86-64-v4: lanes 16 x 4, task 100", module, "pattern") ==
          "2:28 " + pattern + "task: 100 is no multiple of 16 x 4, by which the tiles of a task are done");
    CHECK(about("x86-64-v4: packed", module, "pattern") == "2:14 " + pattern + "pack: the kernel has no product");
    CHECK(about("sm_80: threads 48", module, "pattern") ==
          "2:10 " + pattern + "threads: 48 are no whole warps of 32, at most 1024 together");
    CHECK(about("sm_80: threads 64 x 16", module, "pattern").starts_with("2:10 " + pattern + "threads: 16 tiles"));
    CHECK(about("sm_80: threads 64, task 1", module, "pattern") == "2:22 " + pattern + "task: sm_80 has no such field");
    CHECK(about("sm_80: stages 9", module) == "2:10 " + gemm + "stages: 9 is not from 2 to 8");
    CHECK(about("sm_80: stages 2", module, "pattern") ==
          "2:10 " + pattern + "stages: no load of the kernel feeds a product");
    CHECK(about("sm_80: threads 32", module).starts_with("2:10 " + gemm + "threads: 32: the register tiles are laid"));
}

TEST_CASE("exchanged words and characters are refused, or code is made") {
    Lowered program({"cpu", "sm_80"});
    const std::string plans = program.plans();
    const ir::Module& module = program.compilation.module();
    const std::vector<std::string> words{"lanes",
                                         "4",
                                         "64",
                                         "16 x 2",
                                         "task",
                                         "9223372036854775807",
                                         "-1",
                                         ",",
                                         ":",
                                         "\n",
                                         "#",
                                         "panel f32[32, 48] 4 x 1",
                                         "32-bit indices",
                                         "depth 64",
                                         "unpacked",
                                         "x86-64-v3",
                                         "[",
                                         "]"};
    std::mt19937 random(7);
    size_t accepted = 0;
    size_t compiled = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = plans;
        for (size_t changes = 1 + random() % 2; changes > 0; --changes) {
            const size_t at = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[at] = static_cast<char>(random() % 256);
                    break;
                case 1:
                    text.erase(at, 1 + random() % 6);
                    break;
                default:
                    text.insert(at, words[random() % words.size()]);
            }
        }
        if (!said(text, module).empty() || text == plans) continue;
        ++accepted;
        if (accepted % 100 != 0) continue;
        Sources sources;
        Diagnostics diagnostics;
        Schedule schedule = Schedule::read(sources, sources.add("plans", text), diagnostics);
        ir::Module copy = module;
        ir::PassManager manager({.verify = true});
        for (const ir::Function& function : module.functions) {
            if (function.level != ir::Level::tile) continue;
            const ir::CpuFields fields = schedule.of_cpu(function, "x86-64-v3", diagnostics);
            std::vector<ir::CpuVariant> variants;
            CHECK(ir::lower_to_cpu(function, "x86-64-v3", fields, copy, manager, diagnostics, variants) ==
                  ir::PassOutcome::done);
            ++compiled;
        }
    }
    CHECK(accepted > 200);
    CHECK(compiled > 2);
}

TEST_CASE("any orders for fusions are followed to the letter or refused") {
    REQUIRE(setenv("TESSERA_VERIFY", "1", 1) == 0);
    std::vector<std::string> names;
    const std::string printed = Ordered("").compilation.plans();
    for (size_t at = printed.find("region "); at != std::string::npos; at = printed.find("region ", at + 1)) {
        const std::string line = printed.substr(at, printed.find('\n', at) - at);
        for (size_t begin = line.find(": "); begin != std::string::npos; begin = line.find(", ", begin + 1))
            names.push_back(line.substr(begin + 2, line.find(',', begin + 2) - begin - 2));
    }
    REQUIRE(names.size() > 30);
    CHECK(Ordered(printed).said == "");
    std::mt19937 random(11);
    const auto any = [&] { return names[random() % names.size()]; };
    size_t followed = 0;
    size_t refused = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> stored;
        std::string orders = "graph @f\n";
        for (size_t count = random() % 3; count > 0; --count) {
            stored.push_back(any());
            orders += fmt::format("  store {}\n", stored.back());
        }
        const std::string a = any();
        const std::string b = any();
        const bool fuses = random() % 3 != 0 && a != b;
        if (fuses) orders += fmt::format("  fuse {} + {}\n", a, b);
        Ordered made(orders);
        CAPTURE(orders);
        if (!made.said.empty()) {
            CHECK(made.said == "E0010");
            ++refused;
            continue;
        }
        ++followed;
        const std::string text = made.compilation.plans();
        for (const std::string& value : stored) CHECK(text.find(fmt::format("fuse {} +", value)) == std::string::npos);
        if (!fuses) continue;
        bool together = false;
        for (size_t at = text.find("region "); at != std::string::npos; at = text.find("region ", at + 1)) {
            const std::string line = text.substr(at, text.find('\n', at) - at) + ",";
            together = together || (line.find(fmt::format(" {},", a)) != std::string::npos &&
                                    line.find(fmt::format(" {},", b)) != std::string::npos);
        }
        CHECK(together);
    }
    CHECK(followed > 15);
    CHECK(refused > 8);
}
