#include "frontend/format.h"

#include <doctest/doctest.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

std::string formatted(const std::string& text) {
    Parsed parsed(text);
    CHECK(parsed.messages() == "");
    return parsed.format();
}

void stays(const std::string& text) { CHECK(formatted(text) == text); }

}  // namespace

TEST_CASE("spaces") {
    CHECK(formatted("x=a+b *c\n") == "x = a + b * c\n");
    CHECK(formatted("f( a,b = 1 )\n") == "f(a, b=1)\n");
    CHECK(formatted("A[ m : m + 64,k:k+32 , :]\n") == "A[m:m+64, k:k+32, :]\n");
    CHECK(formatted("def f(x:f32[n,K / tp]=1,y=2)->f32 [n]:pass\n") ==
          "def f(x: f32[n, K/tp] = 1, y=2) -> f32[n]:\n    pass\n");
    CHECK(formatted("x: Tensor[\"B\",fp6@accum( fp32 )]\n") == "x: Tensor[\"B\", fp6 @accum(fp32)]\n");
    CHECK(formatted("x = (a,)\ny = a,\nz = {1 :2}\n") == "x = (a,)\ny = a,\nz = {1: 2}\n");
    CHECK(formatted("if(a):b;c\n") == "if (a):\n    b\n    c\n");
    CHECK(formatted("for x in y :\n  a\n\n# why\nelse : # or\n  b\nwhile x:a\nelse:b\n") ==
          "for x in y:\n    a\n\n# why\nelse:  # or\n    b\nwhile x:\n    a\nelse:\n    b\n");
    CHECK(formatted("f( * a,b )\ng(*[1,2],* x.y)\n") == "f(*a, b)\ng(*[1, 2], *x.y)\n");
    CHECK(formatted("sum( x*x for x in y if x )\nf(( x for x in y ),1)\n") ==
          "sum(x * x for x in y if x)\nf((x for x in y), 1)\n");
    CHECK(formatted("x = a ** 2 + f(b) ** c\n") == "x = a**2 + f(b) ** c\n");
}

TEST_CASE("literals stay as written") {
    stays("x = 1_000 + 8_KiB + 1e-10 + 0xFF + .5 + 'a' + \"b\" + r'\\c' + f\"{ d }\"\n");
}

TEST_CASE("blank lines") {
    CHECK(formatted("\n\nx = 1\n\n\n\ny = 2\nz = 3\ndef f():\n\n    a\n\n\n    b\nw = 4\n") ==
          "x = 1\n\ny = 2\nz = 3\n\n\ndef f():\n    a\n\n    b\n\n\nw = 4\n");
    CHECK(formatted("class A:\n    x = 1\n    def f(self): pass\n    def g(self): pass\n") ==
          "class A:\n    x = 1\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n");
    CHECK(formatted("") == "");
}

TEST_CASE("comments") {
    CHECK(
        formatted(
            "# head\n\nx = 1 # behind\n# above f\ndef f(): # header\n    a\n    # tail of f\n# after f\ny = 2\n") ==
        "# head\n\nx = 1  # behind\n\n\n# above f\ndef f():  # header\n    a\n    # tail of f\n\n\n# after f\ny = 2\n");
    stays(
        "if a:\n    b\n    # tail of if\nelif c:\n    d\n# before else\nelse:  # behind else\n    # head of else\n    "
        "e\n");
    stays("f(\n    # first\n    a,  # behind a\n    # second\n    b,\n    # last\n)\n");
    stays("x = (\n    # above\n    a + b\n    # below\n)\n");
    CHECK(formatted("x = [ # one\n]\n") == "x = [\n    # one\n]\n");
    stays("@jit  # why\n# and\n@kernel\ndef f():\n    \"\"\"Doc.\"\"\"  # behind\n    # head\n    return\n");
}

TEST_CASE("lines break at brackets, outermost first") {
    CHECK(formatted("some_function_name(first_argument_of_it, second_argument_of_it, third=[1, 2, 3], fourth=inner(1, "
                    "2), fifth=5)\n") ==
          "some_function_name(\n    first_argument_of_it,\n    second_argument_of_it,\n    third=[1, 2, 3],\n"
          "    fourth=inner(1, 2),\n    fifth=5,\n)\n");
    CHECK(formatted("xxxxxxxx = (aaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + "
                    "ccccccccccccccccccccccccc)\n") ==
          "xxxxxxxx = (\n    aaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb + "
          "ccccccccccccccccccccccccc\n)\n");
    CHECK(formatted("from some_module import first_name_of_many, second_name_of_many, third_name_of_many, "
                    "fourth_name_of_many\n") ==
          "from some_module import (\n    first_name_of_many,\n    second_name_of_many,\n    third_name_of_many,\n"
          "    fourth_name_of_many,\n)\n");
}

TEST_CASE("subscripts and results break last, and of brackets in a row the last one does") {
    CHECK(formatted("b[i + 1, j + 1] = 0.5 * a[i + 1, j + 1] + 0.125 * (a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + "
                    "a[i + 1, j + 2])\n") ==
          "b[i + 1, j + 1] = 0.5 * a[i + 1, j + 1] + 0.125 * (\n"
          "    a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]\n)\n");
    CHECK(formatted("def f(first_parameter: f32[n, m], second_parameter: f32[n, m]) -> (Tensor[\"n\", \"m\", bf16], "
                    "f32[n, m]): pass\n") ==
          "def f(\n    first_parameter: f32[n, m],\n    second_parameter: f32[n, m],\n"
          ") -> (Tensor[\"n\", \"m\", bf16], f32[n, m]):\n    pass\n");
    CHECK(formatted("y = first_function(an_argument, another_argument).second_function(an_argument, "
                    "another_argument_of_it)\n") ==
          "y = first_function(an_argument, another_argument).second_function(\n    an_argument,\n    "
          "another_argument_of_it,\n)\n");
    CHECK(formatted("a_tensor_with_a_long_name[some_first_index_expression, some_second_index_expression, "
                    "the_third_index] = b\n") ==
          "a_tensor_with_a_long_name[\n    some_first_index_expression,\n    some_second_index_expression,\n    "
          "the_third_index,\n] = b\n");
}

TEST_CASE("a comma and a line end before the bracket keep one element per line") {
    stays("x = [\n    1,\n    2,\n]\n");
    CHECK(formatted("x = [\n    1,\n    2\n]\n") == "x = [1, 2]\n");
}

TEST_CASE("a line never grows past the width where brackets allow a break") {
    for (const auto& program : corpus()) {
        CAPTURE(program.name);
        Parsed parsed(program.text);
        auto text = parsed.format();
        Parsed again(text);
        for (uint32_t line = 1; line <= again.sources.line_count(again.file); ++line) {
            auto shown = again.sources.line(again.file, line);
            shown = shown.substr(0, shown.find("  #"));
            CAPTURE(shown);
            CHECK(shown.size() <= 100);
        }
    }
}
