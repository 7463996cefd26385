// Whole programs: lowered from text, compiled for several processors, linked with the runtime, run.
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "codegen/link.h"
#include "codegen/program/family.h"
#include "harness.h"
#include "ir/pipeline.h"
#include "ir/text/parse_text.h"
#include "ir/text/print.h"

using namespace tsr;

namespace {

namespace fs = std::filesystem;

// A folder of its own, removed with all that is in it.
struct Folder {
    fs::path path = fs::temp_directory_path() / fmt::format("tsr-programs-{}", getpid());
    Folder() { fs::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

struct Lowered {
    ir::Module module;
    std::deque<std::vector<ir::CpuVariant>> variants;
    codegen::Program program;
};

void lower(Lowered& lowered, const std::string& text, const std::vector<std::string>& machines) {
    auto module = ir::parse_text(text);
    REQUIRE_MESSAGE(module.ok(), module.message());
    lowered.module = std::move(module).value();
    Diagnostics diagnostics;
    ir::PassManager manager({});
    REQUIRE(ir::lower_module(lowered.module, manager, ir::Points::all, diagnostics) == ir::PassOutcome::done);
    for (const ir::Function& kernel : lowered.module.functions) {
        if (kernel.level != ir::Level::tile) continue;
        codegen::KernelFamily family = codegen::family_of(kernel);
        for (const std::string& machine : machines) {
            auto& variants = lowered.variants.emplace_back();
            REQUIRE(ir::lower_to_cpu(kernel, machine, {}, lowered.module, manager, diagnostics, variants) ==
                    ir::PassOutcome::done);
            for (const ir::CpuVariant& variant : variants) codegen::add_variant(family, kernel, variant);
        }
        lowered.program.families.push_back(std::move(family));
    }
    lowered.program.name = "program";
    lowered.program.host = &lowered.module;
    lowered.program.main = "main";
}

struct Output {
    std::string text;
    int code = -1;
};

Output run(const std::string& command) {
    Output output;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    for (size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        output.text.append(buffer.data(), got);
    const int status = pclose(pipe);
    output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return output;
}

fs::path build(const Folder& folder, const Lowered& lowered, const Sources& sources, const codegen::Options& options) {
    auto objects = codegen::compile(lowered.program, sources, options);
    REQUIRE_MESSAGE(objects.ok(), objects.message());
    codegen::LinkOptions link;
    link.resources = TSR_TEST_RESOURCES;
    link.debug = options.debug;
    const auto path = folder.path / "program";
    const auto fault = test::link_to(path, objects.value(), link);
    REQUIRE_MESSAGE(fault.empty(), fault);
    return path;
}

constexpr const char* kSaxpy = R"(
kernel @saxpy<n>(%x: f32[n], %y: mut f32[n], %alpha: f32) {
  %i = tile_id : index
  %n = dim {dim = n} : index
  %in = lt %i, %n : bool
  if %in {
    %a = read %x[%i] : f32
    %b = read %y[%i] : f32
    %s = fma %alpha, %a, %b : f32
    write %y[%i], %s
  }
}
host @main(%count: i64, %alpha: f32) -> f32, f32 {
  %zero = constant 0 : i64
  %one = constant 1 : i64
  %x = host %zero, %count, %one {callee = "arange_i64", type = f32} : mut f32[n]
  %n = cast %count {type = index} : index
  %y = host %n {callee = "ones", type = f32} : mut f32[n]
  launch %x, %y, %alpha, %n {callee = "saxpy", count = 0, names = ["n"]}
  %first = constant 0 : index
  %last = constant -1 : index
  %a = read %y[%first] : f32
  %b = read %y[%last] : f32
  print %a, %b, %n {text = "from {} to {:.1f} of {}"}
  yield %a, %b
})";

}  // namespace

TEST_CASE("a program is compiled, linked and run, on every level of the processor") {
    const Folder folder;
    Lowered lowered;
    lower(lowered, kSaxpy, {"x86-64-v4", "x86-64-v3", "x86-64"});
    lowered.program.docstring = "Scale and add.";
    lowered.program.results = {"first", "last"};
    lowered.program.defaults["alpha"] = {"2.0", 0x40000000, ""};
    const Sources sources;
    for (const int level : {0, 2}) {
        codegen::Options options;
        options.level = level;
        const fs::path program = build(folder, lowered, sources, options);
        CHECK(fs::file_size(program) < 4U << 20);
        for (const char* cpu : {"v1", "v3", "v4"}) {
            const Output output = run(fmt::format("TESSERA_CPU={} {} --count 1000", cpu, program.string()));
            CHECK_MESSAGE(output.text.find("from 1.0 to 1999.0 of 1000\n") != std::string::npos, output.text);
            CHECK(output.code == 0);
        }
        const Output other = run(program.string() + " --count 7 --alpha -1.5");
        CHECK(other.text.find("from 1.0 to -8.0 of 7\n") != std::string::npos);
        const Output help = run(program.string() + " --help");
        CHECK(help.text.find("Scale and add.") != std::string::npos);
        CHECK(help.text.find("alpha") != std::string::npos);
    }
    const Output needed = run("ldd " + (folder.path / "program").string());
    CHECK(needed.text.find("LLVM") == std::string::npos);
    CHECK(needed.text.find("libc.so.6") != std::string::npos);
}

TEST_CASE("failures at run time name file, line and column") {
    const Folder folder;
    Sources sources;
    const FileId file = sources.add("divide.tsr", "def main(a: i64, b: i64):\n    return a // b\n");
    Lowered lowered;
    lower(lowered, "host @main(%a: i64, %b: i64) -> i64 {\n  %c = floordiv %a, %b : i64\n  yield %c\n}", {});
    ir::Function& main = *lowered.module.find("main");
    const ir::PlaceId place = main.add_place({Span{file, 37, 43}, {}});
    for (const ir::OpId id : main.region(main.body).ops) main.op(id).place = place;
    const fs::path program = build(folder, lowered, sources, {});
    CHECK(run(program.string() + " --a 7 --b -2").text.find("-4") != std::string::npos);
    const Output failed = run(program.string() + " --a 7 --b 0");
    CHECK(failed.code == 1);
    CHECK(failed.text == "divide.tsr:2:12: error: integer division by zero\n");
    // With line information a debugger stops on the line.
    codegen::Options options;
    options.level = 0;
    options.debug = true;
    const fs::path debuggable = build(folder, lowered, sources, options);
    CHECK(run(debuggable.string() + " --a 7 --b -2").text.find("-4") != std::string::npos);
    const Output lines = run("objdump --dwarf=decodedline " + debuggable.string());
    CHECK(lines.text.find("divide.tsr  ") != std::string::npos);
}

TEST_CASE("what can not be linked is an error, also the second time") {
    codegen::LinkOptions link;
    link.resources = TSR_TEST_RESOURCES;
    for (int i = 0; i < 2; ++i) {
        const auto linked = codegen::link({"no object file"}, link);
        REQUIRE(!linked.ok());
        CHECK(linked.message().starts_with("can not link: "));
    }
    link.resources = "/nowhere/at/all";
    const auto linked = codegen::link({}, link);
    REQUIRE(!linked.ok());
    CHECK(linked.message().starts_with("linking needs `/nowhere/at/all/"));
}
