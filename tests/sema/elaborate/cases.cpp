// Source text → IR text. Every `cases/NAME.tsr` has the printed module beside it in `NAME.ir`, exactly;
// TESSERA_BLESS=1 writes what is found. What elaboration makes keeps the laws of the IR, and its text reads back.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "frontend/parse.h"
#include "ir/text/parse_text.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "sema/elaborate/elaborate.h"
#include "sema/program/program.h"

namespace tsr {

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Elaborated {
    Sources sources;
    Diagnostics diagnostics;
    std::unique_ptr<ast::Module> tree;
    sema::Program program;
    ir::Module module;

    explicit Elaborated(std::string text) {
        const FileId file = sources.add("case.tsr", std::move(text));
        tree = parse(file, sources, diagnostics);
        program = sema::check(*tree, sources, {.verify = true}, diagnostics);
        if (!diagnostics.has_errors()) module = sema::elaborate(program, diagnostics);
    }
    [[nodiscard]] std::string messages() const { return render(diagnostics, sources, {}); }
};

std::vector<fs::path> cases() {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(TSR_ELABORATE_CASES)) {
        if (entry.path().extension() == ".tsr") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

TEST_CASE("source text becomes the IR that stands beside it") {
    const bool bless = std::getenv("TESSERA_BLESS") != nullptr;
    REQUIRE(!cases().empty());
    for (const fs::path& path : cases()) {
        INFO(path.filename().string());
        Elaborated found(read(path));
        CHECK_MESSAGE(!found.diagnostics.has_errors(), found.messages());
        for (const std::string& fault : ir::verify(found.module)) FAIL_CHECK(fault);
        const std::string text = ir::print(found.module);
        const fs::path expected = fs::path(path).replace_extension(".ir");
        if (bless) std::ofstream(expected, std::ios::binary) << text;
        CHECK(text == read(expected));
    }
}

TEST_CASE("what elaboration makes reads back as it was") {
    for (const fs::path& path : cases()) {
        INFO(path.filename().string());
        Elaborated found(read(path));
        const std::string text = ir::print(found.module);
        const auto again = ir::parse_text(text);
        REQUIRE_MESSAGE(again.ok(), again.message());
        CHECK(ir::print(again.value()) == text);
    }
}

TEST_CASE("every operation says where it comes from, calls around it included") {
    Elaborated found(
        "def twice(v: f32) -> f32:\n"
        "    return v + v\n"
        "\n"
        "@kernel\n"
        "def k(x: mut f32[n]):\n"
        "    i = tile.linear_id()\n"
        "    if i < n:\n"
        "        x[i] = twice(x[i])\n");
    REQUIRE_MESSAGE(!found.diagnostics.has_errors(), found.messages());
    const ir::Function* kernel = found.module.find("k");
    REQUIRE(kernel != nullptr);
    size_t inlined = 0;
    for (size_t i = 0; i < kernel->op_count(); ++i) {
        const ir::Op& op = kernel->op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        REQUIRE(op.place.valid());
        const ir::Place& place = kernel->place_of(op.place);
        CHECK(place.span.valid());
        if (op.kind != ir::OpKind::add) continue;
        ++inlined;
        CHECK(found.sources.text(place.span) == "v + v");
        REQUIRE(place.inlined_at.size() == 1);
        CHECK(found.sources.text(place.inlined_at[0]) == "twice(x[i])");
    }
    CHECK(inlined == 1);
}

TEST_CASE("a loop of too many rounds is not unrolled") {
    Elaborated found(
        "@kernel\n"
        "def k(x: f32[n], o: mut f32[n]):\n"
        "    acc = [0.0, 0.0]\n"
        "    for a in range(1000):\n"
        "        for b in range(1000):\n"
        "            acc[(a + b) % 2] += x[0]\n"
        "    o[0] = acc[0]\n");
    REQUIRE(found.diagnostics.has_errors());
    for (const Diagnostic& message : found.diagnostics.all()) {
        CHECK(message.code == "E0335");
        CHECK(found.sources.text(message.span).starts_with("for b in range(1000)"));
    }
}

TEST_CASE("inlining ends") {
    std::string text = "def f0(v: f32) -> f32:\n    return v + 1.0\n";
    for (int i = 1; i < 30; ++i) {
        const std::string inner = "f" + std::to_string(i - 1);
        text += "def f" + std::to_string(i) + "(v: f32) -> f32:\n    return " + inner + "(v) + " + inner + "(v)\n";
    }
    Elaborated found(text +
                     "@kernel\n"
                     "def k(x: mut f32[n]):\n"
                     "    i = tile.linear_id()\n"
                     "    if i < n:\n"
                     "        x[i] = f29(x[i])\n");
    REQUIRE(found.diagnostics.has_errors());
    REQUIRE(found.diagnostics.all().size() == 1);
    CHECK(found.diagnostics.all()[0].code == "E0336");
}

TEST_CASE("a kernel's header is in its record") {
    Elaborated found(
        "@kernel tile[(16, 8)] shared(8_KiB)\n"
        "def grouped(x: mut f32[n]):\n"
        "    x[tile.local_id(0)] = 1.0\n"
        "\n"
        "@kernel tile[h * w]\n"
        "def flat(x: mut f32[h, w]):\n"
        "    i = tile.linear_id()\n"
        "    x[i // w, i % w] = 1.0\n"
        "\n"
        "@kernel\n"
        "def plain(x: mut f32[n]):\n"
        "    for i in tile.range(n):\n"
        "        x[i] = 1.0\n");
    REQUIRE_MESSAGE(!found.diagnostics.has_errors(), found.messages());
    const ir::KernelInfo& grouped = found.module.find("grouped")->kernel;
    CHECK(grouped.group_shape == std::vector<int64_t>{16, 8});
    CHECK(grouped.shared_limit == 8192);
    CHECK(grouped.names_group);
    const ir::KernelInfo& flat = found.module.find("flat")->kernel;
    CHECK(flat.header_tiles.size() == 1);
    CHECK_FALSE(flat.names_group);
    const ir::KernelInfo& plain = found.module.find("plain")->kernel;
    CHECK(plain.group_shape.empty());
    CHECK_FALSE(plain.names_group);
    CHECK_FALSE(plain.launch.valid());
}

}  // namespace tsr
