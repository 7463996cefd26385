#include "driver/verify_expectations.h"

#include <doctest/doctest.h>

using namespace tsr;
using namespace tsr::driver;

namespace {

struct Program {
    Sources sources;
    Diagnostics diagnostics;
    FileId file;

    explicit Program(std::string text) : file(sources.add("t.tsr", std::move(text))) {}

    [[nodiscard]] Span at(std::string_view part) const {
        auto begin = static_cast<uint32_t>(sources.text(file).find(part));
        return {file, begin, begin + static_cast<uint32_t>(part.size())};
    }
    [[nodiscard]] std::vector<std::string> problems() const { return verify_expectations(diagnostics, sources, file); }
};

}  // namespace

TEST_CASE("an expectation under the line takes its diagnostic") {
    Program p("y = missing\n#   ^^^^^^^ error[E0301]: missing\n");
    p.diagnostics.error("E0301", p.at("missing"), "`missing` is not defined");
    CHECK(p.problems().empty());
}

TEST_CASE("several expectations stand under one line, in characters, not bytes") {
    Program p("µµ = aa + b\n#    ^^ error[E1]: aa\n#         ^ warning[W1]: b\n");
    p.diagnostics.error("E1", p.at("aa"), "aa");
    p.diagnostics.warning("W1", {p.file, 12, 13}, "b");
    CHECK(p.problems().empty());
}

TEST_CASE("a range can be spelled where carets can not stand") {
    Program p("x = (\n#@1-1 error[E1]: x\n#@1:5-5 error[E2]: never closed\n");
    p.diagnostics.error("E1", p.at("x"), "x");
    p.diagnostics.error("E2", p.at("("), "'(' was never closed");
    CHECK(p.problems().empty());
}

TEST_CASE("a range of several lines is expected up to the end of its first") {
    Program p("f(a,\n#^^^ error[E1]: wide\n  b)\n");
    p.diagnostics.error("E1", {p.file, 1, 34}, "wide");
    CHECK(p.problems().empty());
}

TEST_CASE("what was expected has to come, what was not must not") {
    const char* text = "y = missing\n#   ^^^^^^^ error[E0301]: missing\n";
    SUBCASE("nothing came") {
        Program p(text);
        CHECK(p.problems() ==
              std::vector<std::string>{"t.tsr:2: did not come: line 1 columns 5-11 error[E0301]: missing"});
    }
    SUBCASE("another code") {
        Program p(text);
        p.diagnostics.error("E0302", p.at("missing"), "missing");
        CHECK(p.problems().size() == 2);
    }
    SUBCASE("another text") {
        Program p(text);
        p.diagnostics.error("E0301", p.at("missing"), "something else");
        CHECK(p.problems().size() == 2);
    }
    SUBCASE("another range") {
        Program p(text);
        p.diagnostics.error("E0301", p.at("missin"), "missing");
        CHECK(p.problems().size() == 2);
    }
    SUBCASE("another severity") {
        Program p(text);
        p.diagnostics.warning("E0301", p.at("missing"), "missing");
        CHECK(p.problems().size() == 2);
    }
    SUBCASE("twice") {
        Program p(text);
        p.diagnostics.error("E0301", p.at("missing"), "missing");
        p.diagnostics.error("E0301", p.at("y"), "missing");
        CHECK(p.problems().size() == 1);
    }
}
