#include "corpus.h"

#include <chrono>

#include <doctest/doctest.h>

#include "frontend/format.h"

using namespace tsr;
using namespace tsr::test;

TEST_CASE("every program of the corpus is read without a diagnostic") {
    auto programs = corpus();
    CHECK(programs.size() >= 41);
    for (const auto& program : programs) {
        CAPTURE(program.name);
        Parsed parsed(program.text);
        CHECK(parsed.messages() == "");
        CHECK(!parsed.module->body.empty());
    }
}

TEST_CASE("formatting keeps the tree and the comments, and formatting again changes nothing") {
    for (const auto& program : corpus()) {
        CAPTURE(program.name);
        Parsed parsed(program.text);
        auto formatted = parsed.format();
        Parsed again(formatted);
        CHECK(again.messages() == "");
        CHECK(again.outline() == parsed.outline());
        CHECK(again.module->comments.size() == parsed.module->comments.size());
        CHECK(again.format() == formatted);
    }
}

TEST_CASE("line ends of either kind, a byte order mark and a missing last line end change nothing") {
    for (const auto& program : corpus()) {
        CAPTURE(program.name);
        std::string text = "\xEF\xBB\xBF";
        for (char c : program.text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
        Parsed plain(program.text);
        Parsed windows(text.substr(0, text.size() - 2));
        CHECK(windows.messages() == "");
        CHECK(windows.outline() == plain.outline());
        CHECK(windows.format() == plain.format());
    }
}

// Not a check: the machine may be busy.
TEST_CASE("time to parse about 500 lines") {
    std::string text;
    for (const auto& program : corpus()) text += program.name.starts_with("00") ? program.text : "";
    double best = 1e9;
    size_t lines = 0;
    for (int i = 0; i < 10; ++i) {
        auto begin = std::chrono::steady_clock::now();
        Parsed parsed(text);
        best =
            std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        lines = parsed.sources.line_count(parsed.file);
        CHECK(!parsed.diagnostics.has_errors());
    }
    MESSAGE(lines << " lines are parsed in " << best << " ms");
}
