#include "driver/reduction.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "frontend/parse.h"

using namespace tsr;

namespace {

bool is_read(const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    parse(sources.add("p.tsr", text), sources, diagnostics);
    return !diagnostics.has_errors();
}

struct Found {
    std::string text;
    int tries = 0;
    int broken = 0;  // candidates that are no programs
};

Found smallest(const std::string& program, const std::string& wanted) {
    Found found;
    found.text = driver::reduced(program, [&](const std::string& text) {
        ++found.tries;
        if (!is_read(text)) ++found.broken;
        return is_read(text) && text.find(wanted) != std::string::npos;
    });
    return found;
}

}  // namespace

TEST_CASE("one line in a long program is found in few tries") {
    std::string program = "\"\"\"About it.\"\"\"\n\n# A comment.\n";
    for (int i = 0; i < 40; ++i)
        program += fmt::format("def f{}(a: i32) -> i32:\n    b = a + {}\n    return b\n\n", i, i);
    program += "def main(n: i32 = 8):\n";
    for (int i = 0; i < 40; ++i) program += fmt::format("    x{} = n * {} + f{}(n)\n", i, i, i);
    const Found found = smallest(program, "n * 23");
    CHECK(found.text == "def main(n: i32 = 8):\n    n * 23\n");
    CHECK(found.tries < 60);
    CHECK(found.broken == 0);
}

TEST_CASE("what stands around a statement goes, and parts of expressions") {
    const std::string program = R"(@kernel
def scale(x: mut f32[n], a: f32):
    """Doc."""
    i = tile.linear_id()
    if i < n:
        while i > 3 and a < 2.0:
            if x[i] > 2.0:
                x[i] = where(a > 1.0, a * x[i] + magic(1, [a, 2.0, a], k=3), 4.0)  # why
            else:
                x[i] = 1.0
    elif i < 4:
        pass
)";
    const Found found = smallest(program, "magic(");
    CHECK(found.text == "def scale(x: mut 1, a: f32):\n    magic()\n");
    CHECK(found.broken < 5);
}

TEST_CASE("one statement on the line of another, strings over lines, nothing to find") {
    CHECK(smallest("a = 1; b = 2\nif a > 0: c = 3\n", "b = 2").text == "pass; b = 2\n");
    CHECK(smallest("s = \"\"\"one\n\ntwo\"\"\"\nt = 2\n", "\n\ntwo").text == "\"\"\"one\n\ntwo\"\"\"\n");
    CHECK(smallest("a = 1\n", "no such").text == "a = 1\n");
    CHECK(smallest("", "no such").text.empty());
}
