// Every diagnostic of the front end: where it points and what it says.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

// `LINE:COLUMN CODE message`, one line per diagnostic.
std::string told(const std::string& text) {
    Parsed parsed(text);
    std::string out;
    for (const auto& d : parsed.diagnostics.all()) {
        auto at = parsed.sources.position(parsed.file, d.span.begin);
        out += fmt::format("{}:{} {} {}\n", at.line, at.column, d.code, d.message);
    }
    return out;
}

// The text with the fix of its first diagnostic made.
std::string fixed(const std::string& text) {
    Parsed parsed(text);
    REQUIRE(!parsed.diagnostics.all().empty());
    const auto& fix = parsed.diagnostics.all()[0].fix;
    REQUIRE(fix.has_value());
    auto out = text;
    return out.replace(fix->span.begin, fix->span.end - fix->span.begin, fix->replacement);
}

}  // namespace

TEST_CASE("characters") {
    CHECK(told("x = 1\ny = \xFF\n") == "2:5 E0101 this file is not UTF-8: byte 0xff begins no character\n");
    CHECK(told("a = 3 $ 4\n") == "1:7 E0102 the character `$` (U+0024) has no meaning here\n");
    CHECK(told("a = b × c\n") == "1:7 E0102 the character `×` (U+00D7) has no meaning here\n");
    CHECK(fixed("a = b × c\n") == "a = b * c\n");
    CHECK(told("d\u00A0= 3\n") == "1:2 E0102 the character U+00A0 has no meaning here\n");
    CHECK(fixed("a = “b\"\n") == "a = \"b\"\n");
    CHECK(told("a = b \\ c\n") == "1:7 E0137 after a `\\` that joins lines the line must end\n");
}

TEST_CASE("brackets are told where they were opened") {
    CHECK(told("x = foo(1, 2\ny = 3\nz = 4\n") == "1:8 E0103 `(` is never closed\n");
    CHECK(told("x = foo(bar(1, 2)\ny = h(2)\n") == "1:8 E0103 `(` is never closed\n");
    CHECK(told("def g(a, b:\n    return a\nq = 1\n") == "1:6 E0103 `(` is never closed\n");
    CHECK(told("k = [\n1,\n2,\ndef f():\n    pass\n") == "1:5 E0103 `[` is never closed\n");
    CHECK(told("m = {\"a\": [1, 2]\nx = 1\n\ny = (2\n") ==
          "1:5 E0103 `{` is never closed\n4:5 E0103 `(` is never closed\n");
    CHECK(told("z = [1, (2, 3]\n") == "1:14 E0104 `]` does not close the bracket `(`\n");
    CHECK(told("z = (1]\n") == "1:7 E0104 `]` does not close the bracket `(`\n");
    CHECK(told("w = a)\nx = 1\n") == "1:6 E0105 `)` closes nothing\n");
    CHECK(told("x = f\"{(a}\"\n") == "1:8 E0104 this bracket is not closed before its hole ends\n");
}

TEST_CASE("strings") {
    CHECK(told("x = \"abc\ny = 1\n") == "1:5 E0106 this string is never closed\n");
    CHECK(told("x = foo(\"abc)\ny = 1\n") == "1:9 E0106 this string is never closed\n");
    CHECK(told("x = 1\ny = \"\"\"abc\nz = 2\n") == "2:5 E0106 this string is never closed\n");
    CHECK(told("x = f\"a{b\ny = 1\n") == "1:5 E0106 this string is never closed\n");
    CHECK(told("x = f\"a{b:3\ny = 1\n") == "1:5 E0106 this string is never closed\n");
    CHECK(told("x = f\"a{b:3\"\ny = 1\n") == "1:5 E0106 this string is never closed\n");
    CHECK(told("x = f'''a{b\ny = 1\n") == "1:5 E0106 this string is never closed\n");
    CHECK(told("x = \"a\\qb\"\n") == "1:7 E0107 there is no escape `\\q`; a backslash itself is written `\\\\`\n");
    CHECK(told("x = f\"a\\x4\"\n") == "1:8 E0107 `\\x` takes 2 hexadecimal digits\n");
    CHECK(told("x = b\"a\"\n") == "1:5 E0132 strings have no prefix `b`\n");
    CHECK(told("x = f\"{a!q}\"\n") == "1:9 E0124 an f-string has the conversions `!r` and `!s`\n");
    CHECK(told("x = f\"{a!r} {a=} {a!s:>8} {a = }\"\n").empty());
    CHECK(told("x = f\"{a:{b}}{a!r:<{b}.{c + 1}}\"\n").empty());
    CHECK(told("x = f\"{a:{b:{c}}}\"\n") == "1:13 E0124 the holes of a format have no holes in their own formats\n");
    CHECK(told("x = f\"{}\"\n") == "1:7 E0125 this hole of an f-string is empty; a brace itself is written `{{`\n");
    CHECK(told("x = f\"}\"\n") == "1:7 E0125 a `}` in an f-string's text is written `}}`\n");
}

TEST_CASE("numbers") {
    CHECK(told("a = 12abc\n") == "1:5 E0108 the number `12` runs into `abc`\n");
    CHECK(told("a = 8_KB\n") == "1:5 E0108 the size suffixes are `_KiB`, `_MiB` and `_GiB`, not `_KB`\n");
    CHECK(told("a = 1.5_KiB\n") == "1:5 E0108 a size is a whole number of `KiB`\n");
    CHECK(told("a = 012\n") == "1:5 E0108 a decimal number has no leading zeros; octal is written `0o17`\n");
    CHECK(told("a = 18446744073709551616\n") == "1:5 E0109 this integer does not fit in 64 bits\n");
    CHECK(told("a = 1e999\n") ==
          "1:5 E0110 this number is beyond the range of f64; infinity is written `float(\"inf\")`\n");
}

TEST_CASE("indentation") {
    CHECK(told("if x:\n    a = 1\n\tb = 2\n\tc = 3\n    d = 4\n") ==
          "3:1 E0111 this line's indentation mixes tabs with spaces\n");
    CHECK(told("if x:\n    a = 1\nif y:\n\tb = 2\n") == "4:1 E0111 this line's indentation mixes tabs with spaces\n");
    CHECK(told("x = 1\n    y = 2\n    z = 3\nw = 4\n") ==
          "2:5 E0112 this line is indented deeper, but nothing before it opens a block\n");
    CHECK(told("if x: y = 1\n    z = 3\n") ==
          "2:5 E0112 this line is indented deeper, but nothing before it opens a block\n");
    CHECK(told("if x:\n        a = 1\n    b = 2\n    c = 3\nd = 4\n") ==
          "3:5 E0113 this line's indentation fits no block around it\n");
    CHECK(told("if x:\ny = 3\n") == "1:1 E0114 this `if` needs an indented block after it\n");
    CHECK(told("def f():\n    for i in x:\n\n# end\n") == "2:5 E0114 this `for` needs an indented block after it\n");
    CHECK(told("if x:\n    y\nelse:\nz = 1\n") == "3:1 E0114 this `else` needs an indented block after it\n");
}

TEST_CASE("headers without a colon keep their blocks") {
    CHECK(told("def f(x)\n    return x y\n") ==
          "1:9 E0117 expected `:` before the end of the line\n2:14 E0116 expected the end of the line, found `y`\n");
    CHECK(told("while x y:\n    z = 1\n") == "1:9 E0117 expected `:` before `y`\n");
    CHECK(told("if x:\n    y = 1\nelse\n    z = (\n") ==
          "3:5 E0117 expected `:` before the end of the line\n4:9 E0103 `(` is never closed\n");
    CHECK(fixed("class A\n    b = 1\n") == "class A:\n    b = 1\n");
    CHECK(told("if x: if y: z\n") == "1:7 E0140 `if` begins on a line of its own\n");
}

TEST_CASE("`=` where `==` is meant") {
    CHECK(told("if x = 3:\n    y = 1\n") == "1:6 E0118 `=` assigns; a condition compares with `==`\n");
    CHECK(fixed("while x = 3:\n    y = 1\n") == "while x == 3:\n    y = 1\n");
    CHECK(told("y = (a = b)\n") == "1:8 E0118 `=` can not stand in an expression\n");
    CHECK(told("f(a.b = c)\n") == "1:7 E0118 `=` can not stand in an expression\n");
}

TEST_CASE("missing expressions and names") {
    CHECK(told("y = \n") == "1:4 E0119 expected an expression after `=`\n");
    CHECK(told("z = (1 + )\n") == "1:10 E0119 expected an expression after `+`, found `)`\n");
    CHECK(told("x.\ny = 1\n") == "1:3 E0119 expected a name after `.`\n");
    CHECK(told("def f(x: ): pass\n") == "1:10 E0119 expected an expression after `:`, found `)`\n");
    CHECK(told("a, , b\n") == "1:4 E0119 expected an expression after `,`, found `,`\n");
    CHECK(told("for in x:\n    pass\n") == "1:5 E0119 expected an expression after `for`, found `in`\n");
    CHECK(told("def class(x): pass\n") == "1:5 E0131 `class` is a word of the language and can not be a name\n");
    CHECK(told("def (x): pass\n") == "1:5 E0116 expected a name, found `(`\n");
    CHECK(told("from import x\n") == "1:6 E0116 expected a name, found `import`\n");
    CHECK(told("from x import\n") == "1:14 E0116 expected `(`, `*` or a name, found the end of the line\n");
}

TEST_CASE("words that do not follow") {
    CHECK(told("x[1 2]\n") == "1:5 E0116 expected `,` or `]`, found `2`\n");
    CHECK(fixed("x = [\n    1\n    2,\n]\n") == "x = [\n    1,\n    2,\n]\n");
    CHECK(fixed("def f(a b): pass\n") == "def f(a, b): pass\n");
    CHECK(told("return x y\n") == "1:10 E0116 expected the end of the line, found `y`\n");
    CHECK(told("x = a if b\n") == "1:11 E0116 expected `else`, found the end of the line\n");
    CHECK(told("print \"x\"\n") == "1:7 E0116 expected the end of the line, found a string\n");
    CHECK(fixed("whlie x < 3:\n    y = 1\n") == "while x < 3:\n    y = 1\n");
    CHECK(told("x = 1\nelse:\n    y = 2\n") == "2:1 E0138 this `else` follows no `if`\n");
    CHECK(told("if x:\n    pass\nelse if y:\n    pass\n") == "3:1 E0139 `else if` is one word\n");
    CHECK(fixed("if x:\n    pass\nelse if y:\n    pass\n") == "if x:\n    pass\nelif y:\n    pass\n");
}

TEST_CASE("targets") {
    CHECK(told("f(x) = 3\n") == "1:1 E0120 can not assign to a call\n");
    CHECK(told("a, 1 = x\n") == "1:4 E0120 can not assign to a number\n");
    CHECK(told("a + b += 1\n") == "1:1 E0120 can not update an expression\n");
    CHECK(told("(a, b) += 1\n") == "1:1 E0120 can not update a tuple\n");
    CHECK(told("x, y: i32\n") == "1:1 E0120 can not annotate a tuple\n");
    CHECK(told("for f(x) in y: pass\n") == "1:5 E0120 can not bind a call\n");
    CHECK(told("x = [a for 1 in y]\n") == "1:12 E0120 can not bind a number\n");
}

TEST_CASE("what Python has and Tessera has not") {
    CHECK(told("try:\n    x = 1\nexcept E as e:\n    y = 2\nelse:\n    z = 3\nfinally:\n    pass\n") ==
          "1:1 E0121 Tessera has no `try`\n");
    CHECK(told("with open(f) as g:\n    a = b c\n") ==
          "1:1 E0121 Tessera has no `with`\n2:11 E0116 expected the end of the line, found `c`\n");
    CHECK(told("match x:\n    case 1:\n        b = 2\n    case _:\n        c = 3\n") ==
          "1:1 E0121 Tessera has no `match`\n");
    CHECK(told("async def f():\n    pass\n") == "1:1 E0121 Tessera has no `async`\n");
    for (const char* word : {"global", "nonlocal", "del", "raise", "yield", "await"}) {
        CHECK(told(fmt::format("{} x\n", word)) == fmt::format("1:1 E0121 Tessera has no `{}`\n", word));
    }
    CHECK(told("raise\n") == "1:1 E0121 Tessera has no `raise`\n");
    CHECK(told("y = yield x\n") == "1:5 E0121 Tessera has no `yield`\n");
    CHECK(told("y = await f()\n") == "1:5 E0121 Tessera has no `await`\n");
    CHECK(told("x = (a := 3)\n") == "1:8 E0122 Tessera has no `:=`; assign on a line of its own\n");
    CHECK(told("x is None\n") == "1:3 E0122 Tessera has no `is`; values are compared with `==`\n");
    CHECK(fixed("a && b\n") == "a and b\n");
    CHECK(fixed("a || b\n") == "a or b\n");
    CHECK(fixed("a <> b\n") == "a != b\n");
    CHECK(fixed("x = !a\n") == "x = not a\n");
    CHECK(fixed("x++\n") == "x += 1\n");
    CHECK(told("f(*a, 1, *b)\n").empty());
    CHECK(told("f(**b)\n") == "1:3 E0123 Tessera does not unpack dictionaries with `**`\n");
    CHECK(told("f(a=1, *b)\n") == "1:8 E0127 an argument by position stands after one by name\n");
    CHECK(told("def g(*a, **b): pass\n") == "1:7 E0123 Tessera has no `*` parameters; a function says what it takes\n");
    CHECK(told("def g(a, /, b): pass\n") == "1:10 E0123 Tessera has no `/` among parameters\n");
    CHECK(told("def g(a, *): pass\n") == "1:7 E0123 a bare `*` stands before parameters that are given by name\n");
    CHECK(told("a, *b = c\n") == "1:4 E0123 Tessera does not unpack with `*`\n");
    CHECK(told("for x in y:\n    pass\nelse:\n    pass\nwhile x:\n    pass\nelse:\n    pass\n").empty());
    CHECK(told("for x in y:\n    pass\nelse:\nz = 1\n") == "3:1 E0114 this `else` needs an indented block after it\n");
    CHECK(told("x = {1, 2}\n") == "1:7 E0134 Tessera has no sets; `{}` holds `key: value` pairs\n");
    CHECK(told("x = {a: b for a in c}\n").empty());
    CHECK(told("f(x for x in y)\nf((x for x in y), 1)\n").empty());
    CHECK(fixed("f(x for x in y, 1)\n") == "f((x for x in y), 1)\n");
    CHECK(told("x = (a, b for a in c)\n") == "1:6 E0134 a generator has one element; a tuple needs parentheses\n");
    CHECK(told("x = [a, b for a in c]\n") == "1:6 E0134 a comprehension has one element; a tuple needs parentheses\n");
    CHECK(told("from . import x\n") == "1:1 E0136 Tessera has no relative imports; a file is found by its name\n");
}

TEST_CASE("definitions") {
    CHECK(told("def h(a=1, b): pass\n") == "1:12 E0126 `b` needs a default, as a parameter before it has one\n");
    CHECK(told("f(a=1, 2)\n") == "1:8 E0127 an argument by position stands after one by name\n");
    CHECK(told("@jit\nx = 3 3\n") ==
          "1:1 E0128 a decorator stands before a `def` or a `class`\n"
          "2:7 E0116 expected the end of the line, found `3`\n");
    CHECK(told("@kernel tile\ndef f(): pass\n") ==
          "1:9 E0129 a clause of a header is written `tile[...]` or `tile(...)`\n");
    CHECK(told("a = mut b\n") == "1:5 E0130 `mut` stands only at the head of an annotation\n");
    CHECK(told("a: mut mut f32\n") == "1:4 E0130 `mut` stands twice\n");
    CHECK(told("class A(b=1): pass\n") == "1:9 E0141 a class takes no arguments by name\n");
}

TEST_CASE("`not` inside a tighter operator") {
    CHECK(told("x = a == not b\n") ==
          "1:10 E0135 `not` binds less tightly than the operator before it; put it in parentheses\n");
    CHECK(told("x = -not b\n") ==
          "1:6 E0135 `not` binds less tightly than the operator before it; put it in parentheses\n");
    CHECK(told("x = a and not b\n") == "");
}

TEST_CASE("each mistake speaks once, and all of them speak") {
    CHECK(told("a = (1\nb = 2 3\nif c\n    d = $\ne = 'x\nf = 4\n") ==
          "1:5 E0103 `(` is never closed\n"
          "2:7 E0116 expected the end of the line, found `3`\n"
          "3:5 E0117 expected `:` before the end of the line\n"
          "4:9 E0102 the character `$` (U+0024) has no meaning here\n"
          "5:5 E0106 this string is never closed\n");
}
