// Texts made to break a reader: they give a message or a tree, never a crash.
#include <doctest/doctest.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

std::string times(int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
}

// Codes of the messages, in order.
std::string codes(const std::string& text) {
    Parsed parsed(text);
    std::string out;
    for (const auto& d : parsed.diagnostics.all()) out += (out.empty() ? "" : " ") + d.code;
    return out;
}

}  // namespace

TEST_CASE("nesting has limits") {
    CHECK(codes("x = " + times(199, "(") + "1" + times(199, ")")) == "");
    CHECK(codes("x = " + times(20000, "(") + "1" + times(20000, ")") + "\ny = 1\n") == "E0115");
    CHECK(codes(times(20000, "[")) == "E0115");
    CHECK(codes("x = " + times(20000, "f\"{") + "1" + times(20000, "}\"")) == "E0115");
    CHECK(codes("x = " + times(20000, "-") + "1") == "E0115");
    CHECK(codes("x = " + times(20000, "not ") + "1") == "E0115");
    CHECK(codes("x = " + times(20000, "a if b else ") + "1") == "E0115");
    CHECK(codes("x = " + times(20000, "lambda: ") + "1") == "E0115");
    CHECK(codes("x = " + times(20000, "a ** ") + "1") == "E0115");
    CHECK(codes("x = a" + times(5000, ".b(c)[d]")) == "E0115");
    CHECK(codes("x = 1" + times(20000, " + 1")) == "E0115");
    CHECK(codes("x: " + times(20000, "mut ") + "f32") == "E0130");
    std::string blocks;
    for (int i = 0; i < 150; ++i) blocks += times(i, " ") + "if x:\n";
    CHECK(codes(blocks + times(150, " ") + "pass\n") == "E0115");
}

TEST_CASE("what is just within the limits is read, formatted and read again") {
    std::string text;
    for (int i = 0; i < 99; ++i) text += times(i, " ") + "if x:\n";
    text +=
        times(99, " ") + "x = " + times(190, "(") + times(290, "-") + "1" + times(250, " + 1") + times(190, ")") + "\n";
    CHECK(codes(text) == "");
    Parsed parsed(text);
    CHECK(Parsed(parsed.format()).outline() == parsed.outline());
}

TEST_CASE("what is long but flat is read") {
    CHECK(codes("x = 1" + times(900, " + 1")) == "");
    CHECK(codes("x = [" + times(50000, "1, ") + "]") == "");
    CHECK(codes("x = a" + times(20000, " < a")) == "");
    CHECK(codes("x = a" + times(20000, " and a")) == "");
    CHECK(codes("x = \"" + times(1000000, "a") + "\"") == "");
    CHECK(codes("x = \"a\"" + times(10000, " \"b\"")) == "");
    CHECK(codes(times(10000, "\\\n") + "x = 1\n") == "");
    CHECK(codes(times(10000, "@a\n") + "def f(): pass\n") == "");
    CHECK(codes("if x:\n    y\n" + times(5000, "elif x:\n    y\n") + "else:\n    z\n") == "");
}

TEST_CASE("a file full of errors gives a bounded number of messages") {
    CHECK(Parsed(times(20000, "x y\n")).diagnostics.error_count() == 200);
}

TEST_CASE("texts that are hardly texts") {
    CHECK(codes("") == "");
    CHECK(codes("\n\n") == "");
    CHECK(codes("# only a comment") == "");
    CHECK(codes("\xEF\xBB\xBF") == "");
    CHECK(codes("x = 1") == "");
    CHECK(codes("\\") == "E0137");
    CHECK(codes("\"\"\"" + times(9999, "\\")) == "E0106");
    CHECK(codes(std::string("x = \0 1\n", 8)) == "E0102");
    CHECK(codes("x = \xFF\xFE") == "E0101");
    CHECK(codes("x = \xED\xA0\x80") == "E0101");
    CHECK(codes("x = \xC0\xAF") == "E0101");
    CHECK(codes("x = \xF4\x90\x80\x80") == "E0101");
    CHECK(codes("x = 1\ry = 2\n") == "E0102");
    CHECK(codes("\tx = 1\n") == "E0112");
}

TEST_CASE("offsets are bytes, columns are code points") {
    Parsed parsed("α = \"é😀\" + $\n");
    REQUIRE(parsed.diagnostics.all().size() == 1);
    const auto& d = parsed.diagnostics.all()[0];
    CHECK(d.span.begin == 16);
    CHECK(parsed.sources.position(parsed.file, d.span.begin).column == 12);
}
