// Every program of this folder gets exactly the diagnostics that its comments expect.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "base/diagnostics.h"
#include "driver/verify_expectations.h"
#include "frontend/parse.h"
#include "sema/program/program.h"

using namespace tsr;

namespace {

std::vector<std::string> programs() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(TSR_SEMA_PROGRAMS)) {
        if (entry.path().extension() == ".tsr") paths.push_back(entry.path().string());
    }
    std::ranges::sort(paths);
    return paths;
}

// The blocks of a page that are programs by themselves.
std::vector<std::string> examples(const std::string& page) {
    std::vector<std::string> blocks;
    for (size_t at = page.find("```tessera\n"); at != std::string::npos; at = page.find("```tessera\n", at)) {
        size_t begin = at + 11, end = page.find("```", begin);
        blocks.push_back(page.substr(begin, end - begin));
        at = end + 3;
    }
    return blocks;
}

std::vector<std::string> codes_of(const std::string& text) {
    Sources sources;
    FileId file = sources.add("example.tsr", text);
    Diagnostics diagnostics;
    auto tree = parse(file, sources, diagnostics);
    sema::check(*tree, sources, {.verify = true}, diagnostics);
    std::vector<std::string> codes;
    for (const Diagnostic& d : diagnostics.all()) codes.push_back(d.code);
    return codes;
}

}  // namespace

TEST_CASE("the examples of the error pages show what they say") {
    int shown = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TSR_ERROR_PAGES)) {
        std::string code = entry.path().stem().string();
        // Of the codes between, elaboration and the passes give some; E0610 takes a machine.
        bool ours = (code > "E0200" && code < "E0335") || (code > "E0400" && code < "E0417") ||
                    (code > "E0500" && code < "E0610") || code == "E0612";
        if (!ours && code != "W0101") continue;
        std::ifstream stream(entry.path());
        std::string page((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        std::vector<std::string> blocks = examples(page);
        if (blocks.size() != 2 || blocks[0].find("def ") == std::string::npos) continue;
        INFO(code);
        std::vector<std::string> wrong = codes_of(blocks[0]), right = codes_of(blocks[1]);
        CHECK_MESSAGE(std::ranges::find(wrong, code) != wrong.end(), "the wrong example is accepted");
        for (const std::string& other : wrong) CHECK(other == code);
        for (const std::string& other : right) CHECK_MESSAGE(false, "the right example gets ", other);
        ++shown;
    }
    CHECK(shown > 30);
}

TEST_CASE("programs get the diagnostics that they expect") {
    REQUIRE(programs().size() > 20);
    for (const std::string& path : programs()) {
        INFO(path);
        Sources sources;
        auto file = sources.load(path);
        REQUIRE(file.ok());
        Diagnostics diagnostics;
        auto tree = parse(file.value(), sources, diagnostics);
        sema::CheckOptions options;
        options.verify = true;
        options.import_folders = {std::string(TSR_SEMA_PROGRAMS) + "/modules"};
        sema::Program program = sema::check(*tree, sources, options, diagnostics);
        std::string mismatches;
        for (const std::string& line : driver::verify_expectations(diagnostics, sources, file.value()))
            mismatches += line + "\n";
        CHECK_MESSAGE(mismatches.empty(), mismatches);
    }
}
