// The evaluator on what elaboration makes: what it refuses, and at which line; who does a statement.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "frontend/parse.h"
#include "ir/eval/one_tile/run.h"
#include "ir/eval/one_tile/who.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/classify.h"
#include "ir/passes/tile/number_tensors.h"
#include "sema/elaborate/elaborate.h"
#include "sema/program/program.h"

namespace tsr {

namespace {

namespace fs = std::filesystem;

struct Kernels {
    Sources sources;
    Diagnostics diagnostics;
    std::unique_ptr<ast::Module> tree;
    sema::Program program;
    ir::Module module;

    explicit Kernels(std::string text, const std::string& name = "case.tsr") {
        const FileId file = sources.add(name, std::move(text));
        tree = parse(file, sources, diagnostics);
        if (diagnostics.has_errors()) return;
        program = sema::check(*tree, sources, {.verify = true}, diagnostics);
        if (!diagnostics.has_errors()) module = sema::elaborate(program, diagnostics);
    }
};

// What a kernel of `x: f32[n], y: mut f32[n]`, n = 64, in two groups of 32 tiles, leaves in y; or why it is refused.
struct Ran {
    std::vector<float> x, y;
    std::string message;
    uint32_t line = 0;
    std::vector<std::string> printed;
};

Ran run(const std::string& body, int64_t groups = 2) {
    Kernels made("@kernel tile[(32,)]\ndef k(x: f32[n], y: mut f32[n]):\n" + body);
    REQUIRE_MESSAGE(!made.diagnostics.has_errors(), render(made.diagnostics, made.sources, {}));
    Ran ran;
    for (int i = 0; i < 64; ++i) ran.x.push_back(static_cast<float>(i));
    ran.y.assign(64, -1.0F);
    const ir::eval::KernelArgument arguments[] = {ir::eval::TensorRef{ran.x.data(), DType::f32, {64}},
                                                  ir::eval::TensorRef{ran.y.data(), DType::f32, {64}}};
    auto outcome = ir::eval::run_one_tile(made.module.functions.front(), arguments,
                                          ir::eval::LaunchSize{{groups, 1, 1}, groups}, {}, {});
    if (outcome.failure) {
        ran.message = outcome.failure->message;
        const Span span = outcome.failure->place.span;
        if (span.valid()) ran.line = made.sources.position(span.file, span.begin).line - 2;
    }
    ran.printed = std::move(outcome.printed);
    return ran;
}

void refused(const std::string& body, uint32_t line, const std::string& message) {
    const Ran ran = run(body);
    CHECK(ran.message == message);
    CHECK(ran.line == line);
}

}  // namespace

TEST_CASE("what not all tiles of a group reach is refused where it stands") {
    refused(
        "    t = tile.local_id()\n"
        "    if t < 16:\n"
        "        tbarrier()\n"
        "    y[t] = 0.0\n",
        3, "a barrier that not all tiles of the group reach");
    refused(
        "    t = tile.local_id()\n"
        "    if t >= 0:\n"  // all tiles go there, but that is not in the text
        "        tbarrier()\n",
        3, "a barrier that not all tiles of the group reach");
    refused(
        "    t = tile.local_id()\n"
        "    v = x[t]\n"
        "    while v > 3.0:\n"
        "        v = v - tile.reduce_max(1.0)\n",
        4, "a reduction over the group that not all tiles of the group reach");
    refused(
        "    t = tile.local_id()\n"
        "    if x[t] > 5.0:\n"
        "        return\n"
        "    y[t] = tile.shuffle(x[t], 3)\n",
        4, "a shuffle that not all tiles of the group reach");
    refused(
        "    t = tile.local_id()\n"
        "    if t == 0:\n"
        "        y[0:32] = tile.full((32,), 1.0, f32)\n",
        3, "an operation on a register tile that not all tiles of the group reach");
    refused(
        "    s = tshared.alloc[f32](32)\n"
        "    for i in range(tile.local_id()):\n"
        "        tile.cp_async(s, x[i:i + 32])\n",
        3, "an asynchronous copy that not all tiles of the group reach");
}

TEST_CASE("what must be one for the group and differs between tiles is refused where it is made") {
    refused(
        "    t = tile.local_id()\n"
        "    y[t:t + 4] = tile.load(x[0:4])\n",
        2, "a register tile is one for the group, but is made here of a value that differs between tiles");
    refused(
        "    t = tile.local_id()\n"
        "    s = tshared.alloc[f32](32)\n"
        "    tile.cp_async(s, x[t:t + 32])\n",
        3, "the group copies one view, but where it starts differs between tiles");
    refused(
        "    t = tile.local_id()\n"
        "    s = [tshared.alloc[f32](32), tshared.alloc[f32](32)]\n"
        "    s[t % 2][t] = 1.0\n",
        3, "a shared buffer is chosen here by a number that differs between tiles");
}

TEST_CASE("what lies outside ends the run, with the tile that asked") {
    refused(
        "    t = tile.local_id()\n"
        "    y[t] = x[t * 3]\n",
        2, "a read of 'x' at [66] is outside of its shape [64], by tile 22 of group 0");
    refused(
        "    for k in tile.range(65):\n"
        "        y[k] = 1.0\n"
        "    tbarrier()\n",
        2, "a write of 'y' at [64] is outside of its shape [64], by round 64 of group 0");
    refused(
        "    t = tile.local_id()\n"
        "    assert x[t] < 9.5, f\"x is {x[t]}\"\n",
        2, "assertion failed: x is 10.0, in tile 10 of group 0");
}

TEST_CASE("a statement of the group is done once, one that varies by each tile") {
    CHECK(run("    atomic.add(y[0], 1.0)\n", 3).y[0] == 2.0F);
    CHECK(run("    t = tile.local_id()\n"
              "    if t > t - 1:\n"
              "        atomic.add(y[0], 1.0)\n",
              1)
              .y[0] == 31.0F);
    // The number differs between tiles in the text alone.
    CHECK(run("    t = tile.local_id()\n"
              "    atomic.add(y[t - t], 1.0)\n",
              1)
              .y[0] == 31.0F);
    CHECK(run("    if tile.reduce_sum(tile.local_id()) > 3:\n"
              "        atomic.add(y[0], 1.0)\n",
              1)
              .y[0] == 0.0F);
    CHECK(run("    for k in tile.range(40):\n"
              "        atomic.add(y[0], 1.0)\n"
              "    tbarrier()\n",
              1)
              .y[0] == 39.0F);
}

TEST_CASE("what a copy brings is there behind the barrier, and nothing that may be read before") {
    const Ran ran =
        run("    t = tile.local_id()\n"
            "    s = tshared.alloc[f32](32)\n"
            "    tile.cp_async(s, x[8:40])\n"
            "    y[t] = s[t]\n"
            "    tbarrier()\n"
            "    y[32 + t] = s[t]\n",
            1);
    CHECK(ran.message.empty());
    CHECK(ran.y[3] != ran.y[3]);
    CHECK(ran.y[35] == 11.0F);
}

TEST_CASE("lines come by group, then by what the group does, then by tile") {
    const Ran ran =
        run("    t = tile.local_id()\n"
            "    if t > 29:\n"
            "        print(tile.group_id(), t)\n"
            "        print(\"and\", t)\n"
            "    print(\"group\", tile.group_id())\n");
    CHECK(ran.printed == std::vector<std::string>{"0 30", "and 30", "0 31", "and 31", "group 0", "1 30", "and 30",
                                                  "1 31", "and 31", "group 1"});
}

TEST_CASE("who does a statement is decided as the compiler decides it") {
    size_t compared = 0;
    for (const char* folder : {"/samples", "/tests/run/kernels", "/tests/run/language"}) {
        for (const auto& entry : fs::directory_iterator(std::string(TSR_ROOT) + folder)) {
            if (entry.path().extension() != ".tsr") continue;
            std::ifstream file(entry.path(), std::ios::binary);
            std::ostringstream text;
            text << file.rdbuf();
            Kernels made(text.str(), entry.path().string());
            for (ir::Function& kernel : made.module.functions) {
                if (!kernel.is_kernel) continue;
                INFO(entry.path().filename().string(), ": ", kernel.name);
                const size_t values = kernel.value_count();
                ir::number_tensors(kernel);
                if (kernel.value_count() != values) continue;  // it held tensors in variables
                Diagnostics refusals;
                const auto shape = ir::classify(kernel, refusals);  // it may have spread sums over the tiles
                if (!shape) continue;
                const auto who = ir::eval::one_tile::who_does(kernel);
                ++compared;
                CHECK(who.flat == kernel.kernel.flat);
                CHECK(who.is_elements() == kernel.kernel.elements);
                ir::for_each_op(kernel, kernel.body, [&](ir::OpId id) {
                    const ir::Op& op = kernel.op(id);
                    CHECK(who.only_some[op.parent.index] == shape->variability.is_divergent(id));
                    for (ir::ValueId v : op.results) CHECK(who.varies(v) == shape->variability.is_varying(v));
                    if (op.kind == ir::OpKind::for_)
                        CHECK(static_cast<int>(who.spread[id.index]) == static_cast<int>(shape->roles[id.index]));
                });
            }
        }
    }
    CHECK(compared > 100);
}

}  // namespace tsr
