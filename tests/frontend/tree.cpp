// The shape of the tree, as its outline.
#include <doctest/doctest.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

std::string outline_of(const std::string& text) {
    Parsed parsed(text);
    CHECK(parsed.messages() == "");
    return parsed.outline();
}

// Of a broken text.
std::string rest_of(const std::string& text) {
    Parsed parsed(text);
    CHECK(parsed.diagnostics.has_errors());
    return parsed.outline();
}

// Both texts mean the same.
void same(const std::string& a, const std::string& b) { CHECK(outline_of(a) == outline_of(b)); }

}  // namespace

TEST_CASE("precedence is Python's") {
    same("x = a + b * c ** -d\n", "x = a + (b * (c ** (-d)))\n");
    same("x = -a ** b\n", "x = -(a ** b)\n");
    same("x = a ** b ** c\n", "x = a ** (b ** c)\n");
    same("x = a - b - c @ d\n", "x = (a - b) - (c @ d)\n");
    same("x = a | b ^ c & d << e + f\n", "x = a | (b ^ (c & (d << (e + f))))\n");
    same("x = not a == b and c or d\n", "x = ((not (a == b)) and c) or d\n");
    same("x = a < b + c\n", "x = a < (b + c)\n");
    same("x = a if b else c if d else e\n", "x = a if b else (c if d else e)\n");
    same("x = lambda: a if b else c\n", "x = lambda: (a if b else c)\n");
    same("x = -a.b[c](d)\n", "x = -(((a.b)[c])(d))\n");
    same("x = ~a + b\n", "x = (~a) + b\n");
}

TEST_CASE("chains are one node") {
    CHECK(outline_of("a < b <= c != d\n") ==
          "expression\n"
          "  compare\n"
          "    name a\n"
          "    <\n"
          "      name b\n"
          "    <=\n"
          "      name c\n"
          "    !=\n"
          "      name d\n");
    CHECK(outline_of("(a < b) < c\n") ==
          "expression\n"
          "  compare\n"
          "    compare\n"
          "      name a\n"
          "      <\n"
          "        name b\n"
          "    <\n"
          "      name c\n");
    CHECK(outline_of("a and b and c\n") ==
          "expression\n"
          "  and\n"
          "    name a\n"
          "    name b\n"
          "    name c\n");
}

TEST_CASE("a subscript's commas are its own") {
    CHECK(outline_of("x = A[i, j]\n") != outline_of("x = A[(i, j)]\n"));
    CHECK(outline_of("A[:, None, 1:2:3, ...]\n") ==
          "expression\n"
          "  subscript\n"
          "    name A\n"
          "    slice\n"
          "      -\n"
          "      -\n"
          "      -\n"
          "    none\n"
          "    slice\n"
          "      int 1\n"
          "      int 2\n"
          "      int 3\n"
          "    ellipsis\n");
}

TEST_CASE("`@` adds a policy in annotations only") {
    CHECK(outline_of("x: mut T[\"M\", bf16 @accum(f32) @p.q] @stochastic_round\n") ==
          "annotated\n"
          "  name x\n"
          "  mut\n"
          "    with policy\n"
          "      subscript\n"
          "        name T\n"
          "        string \"M\"\n"
          "        with policy\n"
          "          name bf16\n"
          "          call\n"
          "            name accum\n"
          "            argument \n"
          "              name f32\n"
          "          attribute q\n"
          "            name p\n"
          "      name stochastic_round\n"
          "  -\n");
    CHECK(outline_of("x = a @b(c)\n") ==
          "assign\n"
          "  name x\n"
          "  binary @\n"
          "    name a\n"
          "    call\n"
          "      name b\n"
          "      argument \n"
          "        name c\n");
    CHECK(outline_of("x: T[K @ (a)] = b @ c\n") ==
          "annotated\n"
          "  name x\n"
          "  subscript\n"
          "    name T\n"
          "    binary @\n"
          "      name K\n"
          "      name a\n"
          "  binary @\n"
          "    name b\n"
          "    name c\n");
}

TEST_CASE("qualifiers are words only at the head of an annotation") {
    CHECK(outline_of("def f(a: static i32, b: param, c: mut, static, *, param=static): pass\n") ==
          "def f\n"
          "  parameter a\n"
          "    static\n"
          "      name i32\n"
          "    -\n"
          "  parameter b\n"
          "    name param\n"
          "    -\n"
          "  parameter c\n"
          "    mut\n"
          "      -\n"
          "    -\n"
          "  parameter static\n"
          "    -\n"
          "    -\n"
          "  keyword param\n"
          "    -\n"
          "    name static\n"
          "  pass\n");
}

TEST_CASE("decorators and their clauses") {
    CHECK(outline_of("@a.b @c(1) tile[(2,)] shared(8_KiB)\n@d\ndef f(): ...\n") ==
          "def f\n"
          "  decorator\n"
          "    attribute b\n"
          "      name a\n"
          "  decorator\n"
          "    call\n"
          "      name c\n"
          "      argument \n"
          "        int 1\n"
          "    subscript\n"
          "      name tile\n"
          "      tuple\n"
          "        int 2\n"
          "    call\n"
          "      name shared\n"
          "      argument \n"
          "        int 8192\n"
          "  decorator\n"
          "    name d\n"
          "  expression\n"
          "    ellipsis\n");
}

TEST_CASE("strings") {
    CHECK(outline_of("x = 'a' \"b\\n\" r'\\n' '''c\n'''\n") ==
          "assign\n"
          "  name x\n"
          "  string \"ab\\n\\\\nc\\n\"\n");
}

TEST_CASE("f-strings are text and holes in turn") {
    CHECK(outline_of("x = f'a{b}{{{c + 1:>10.2f}' 'd{e}'\n") ==
          "assign\n"
          "  name x\n"
          "  fstring\n"
          "    text \"a\"\n"
          "    hole \"\"\n"
          "      name b\n"
          "    text \"{\"\n"
          "    hole \">10.2f\"\n"
          "      binary +\n"
          "        name c\n"
          "        int 1\n"
          "    text \"d{e}\"\n");
    same("x = f\"{d[\"k\"]}\"\n", "x = f'{d[\"k\"]}'\n");
    same("x = f'''{\na\n}'''\n", "x = f'{a}'\n");
    CHECK(outline_of("x = f\"{a != b}{ {1: 2}[1] }{(lambda: 3)()}\"\n").find("lambda") != std::string::npos);
}

TEST_CASE("docstrings leave the body") {
    Parsed parsed("'''M'''\ndef f():\n    \"F\"\n    return\nclass C:\n    'C'\n");
    CHECK(parsed.module->docstring == "M");
    CHECK(parsed.outline() ==
          "docstring \"M\"\n"
          "def f\n"
          "  docstring \"F\"\n"
          "  return\n"
          "class C\n"
          "  docstring \"C\"\n");
    CHECK(parsed.sources.text(parsed.module->docstring_span) == "'''M'''");
}

TEST_CASE("spans cover what was written") {
    Parsed parsed("if (a + b) * c:\n    x = f(1)  # c\nelse:\n    y\nz\n");
    const auto& stmt = *parsed.module->body[0];
    CHECK(parsed.sources.text(stmt.span) == "if (a + b) * c:\n    x = f(1)  # c\nelse:\n    y");
    const auto& branch = std::get<ast::If>(stmt.node).branches[0];
    CHECK(parsed.sources.text(branch.header) == "if (a + b) * c:");
    const auto& product = std::get<ast::Binary>(branch.condition->node);
    CHECK(parsed.sources.text(branch.condition->span) == "(a + b) * c");
    CHECK(parsed.sources.text(product.lhs->span) == "(a + b)");
    CHECK(parsed.sources.text(product.op_span) == "*");
    CHECK(parsed.sources.text(branch.body[0]->span) == "x = f(1)");
    REQUIRE(parsed.module->comments.size() == 1);
    CHECK(parsed.sources.text(parsed.module->comments[0].span) == "# c");
    CHECK(!parsed.module->comments[0].own_line);
}

TEST_CASE("ids are dense") {
    Parsed parsed("x = a + f(b)[1]\nif x:\n    y = 2\n");
    for (size_t i = 0; i < parsed.module->exprs.size(); ++i) CHECK(parsed.module->exprs[i].id.index == i);
    for (size_t i = 0; i < parsed.module->stmts.size(); ++i) CHECK(parsed.module->stmts[i].id.index == i);
}

TEST_CASE("a broken line leaves a hole, and what is around it stays") {
    CHECK(rest_of("x = (1 + )\ny = 2\n") ==
          "assign\n"
          "  name x\n"
          "  hole\n"
          "assign\n"
          "  name y\n"
          "  int 2\n");
    CHECK(rest_of("x = tile.\n") ==
          "assign\n"
          "  name x\n"
          "  attribute \n"
          "    name tile\n");
    CHECK(rest_of("for i in :\n    y = i\n") ==
          "for\n"
          "  name i\n"
          "  hole\n"
          "  assign\n"
          "    name y\n"
          "    name i\n");
    CHECK(rest_of("def f(a, b c:\n    return a\n") ==
          "def f\n"
          "  parameter a\n"
          "    -\n"
          "    -\n"
          "  parameter b\n"
          "    -\n"
          "    -\n"
          "  return\n"
          "    name a\n");
    CHECK(rest_of("f(1, 2 3)\n") ==
          "expression\n"
          "  hole\n");
}

TEST_CASE("the block of an unreadable header joins the block around it") {
    CHECK(rest_of("whlie x:\n    y = 1\nz = 2\n") ==
          "expression\n"
          "  name whlie\n"
          "assign\n"
          "  name y\n"
          "  int 1\n"
          "assign\n"
          "  name z\n"
          "  int 2\n");
    CHECK(rest_of("with f() as x:\n    y = 1\n") ==
          "broken\n"
          "assign\n"
          "  name y\n"
          "  int 1\n");
}

TEST_CASE("an unclosed bracket does not swallow what follows") {
    CHECK(rest_of("x = f(1\ny = 2\n") ==
          "assign\n"
          "  name x\n"
          "  call\n"
          "    name f\n"
          "    argument \n"
          "      int 1\n"
          "assign\n"
          "  name y\n"
          "  int 2\n");
}

namespace {

// The outline and the messages of the text of a string.
std::string type_of(const std::string& literal) {
    Parsed parsed("x = " + literal + "\n");
    REQUIRE(!parsed.diagnostics.has_errors());
    const auto& assign = std::get<ast::Assign>(parsed.module->body[0]->node);
    auto type = parse_type(std::get<ast::StringLiteral>(assign.value->node), parsed.sources, parsed.diagnostics);
    REQUIRE(type.type != nullptr);
    ast::Stmt stmt{ast::StmtId(0), type.type->span, ast::ExprStmt{type.type}};
    type.nodes->body.push_back(&stmt);
    auto out = outline(*type.nodes);
    for (const auto& d : parsed.diagnostics.all()) {
        auto at = parsed.sources.position(parsed.file, d.span.begin);
        out += std::to_string(at.column) + " " + d.code + " " + d.message + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("types in strings") {
    CHECK(type_of("\"bf16 @accum(f32)\"") ==
          "expression\n"
          "  with policy\n"
          "    name bf16\n"
          "    call\n"
          "      name accum\n"
          "      argument \n"
          "        name f32\n");
    CHECK(type_of("'''B*H'''") ==
          "expression\n"
          "  binary *\n"
          "    name B\n"
          "    name H\n");
    CHECK(type_of("\"B*\"") ==
          "expression\n  binary *\n    name B\n    hole\n8 E0119 expected an expression after `*`\n");
    CHECK(type_of("\"B H\"") == "expression\n  hole\n8 E0116 expected the end of the line, found `H`\n");
    CHECK(type_of("\"(B\"") == "expression\n  name B\n6 E0103 `(` is never closed\n");
    CHECK(type_of("\"\"") == "expression\n  hole\n6 E0119 expected an expression\n");
    CHECK(type_of("\"B\" \"*H\"") == "expression\n  name B\n5 E0142 a type is written in one string\n");
}
