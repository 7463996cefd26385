// The bodies of the library's functions are read when they are needed: they are what a reading of the whole file gives.
#include <algorithm>
#include <ranges>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/format.h"
#include "frontend/parse.h"
#include "sema/builtins/library.h"

using namespace tsr;

namespace {

// Of all nodes where they stand and what they are, in an order that does not depend on when they were read.
std::vector<std::tuple<bool, uint32_t, uint32_t, size_t>> nodes(const ast::Module& module) {
    std::vector<std::tuple<bool, uint32_t, uint32_t, size_t>> found;
    for (const ast::Expr& e : module.exprs) found.emplace_back(false, e.span.begin, e.span.end, e.node.index());
    for (const ast::Stmt& s : module.stmts) found.emplace_back(true, s.span.begin, s.span.end, s.node.index());
    std::ranges::sort(found);
    return found;
}

std::vector<uint32_t> comments(const ast::Module& module) {
    std::vector<uint32_t> found;
    for (const ast::Comment& comment : module.comments) found.push_back(comment.span.begin);
    return found;
}

std::vector<ast::StmtId> unread(const ast::Module& module) {
    std::vector<ast::StmtId> found;
    for (const ast::Stmt& stmt : module.stmts) {
        const auto* def = std::get_if<ast::FunctionDef>(&stmt.node);
        if (def && def->later.valid()) found.push_back(stmt.id);
    }
    return found;
}

// The last first: the order does not matter.
void read_all(ast::Module& module, const Sources& sources, Diagnostics& said) {
    const auto later = unread(module);
    for (const ast::StmtId function : later | std::views::reverse) {
        const Span span = module.stmts[function.index].span;
        parse_body(module, function, sources, said);
        const auto& def = std::get<ast::FunctionDef>(module.stmts[function.index].node);
        CHECK(span.begin <= def.header.begin);
        CHECK(span.end == def.body.back()->span.end);
    }
    CHECK(unread(module).empty());
}

}  // namespace

TEST_CASE("bodies of the library that are read later are those of the whole file") {
    for (const sema::LibraryFile& file : sema::library_files()) {
        CAPTURE(file.name);
        Sources sources;
        Diagnostics said;
        const FileId id = sources.add("library.tsr", std::string(file.text));
        const auto whole = parse(id, sources, said);
        const auto parts = parse(id, sources, said, file.bodies);
        CHECK(unread(*parts).size() == file.bodies.size());
        CHECK(parts->exprs.size() < whole->exprs.size());
        read_all(*parts, sources, said);
        CHECK(said.all().empty());
        CHECK(outline(*parts) == outline(*whole));
        CHECK(nodes(*parts) == nodes(*whole));
        CHECK(comments(*parts) == comments(*whole));
    }
}

TEST_CASE("a mistake in a body that is read later is told as of the whole file") {
    const std::string text =
        "def f(x):\n"
        "    \"\"\"Gives x.\"\"\"\n"
        "    if x\n"
        "        y = x +\n"
        "    return x]\n"
        "\n"
        "\n"
        "@jit\n"
        "def g(x):\n"
        "    # A comment.\n"
        "    def h(y):\n"
        "        return y\n"
        "\n"
        "    return h(x\n";
    Sources sources;
    Diagnostics of_whole, of_parts;
    const FileId id = sources.add("t.tsr", text);
    const auto at = [&](const char* words) { return static_cast<uint32_t>(text.find(words)); };
    const std::vector<LaterBody> later{
        {at("def f"), at("    if x"), at("]\n") + 1},
        {at("def g"), at("    # A"), at("h(x\n") + 3},
    };
    parse(id, sources, of_whole);
    const auto parts = parse(id, sources, of_parts, later);
    CHECK(of_parts.all().empty());
    for (const ast::StmtId function : unread(*parts)) parse_body(*parts, function, sources, of_parts);
    CHECK(of_whole.all().size() == 4);
    CHECK(render(of_parts, sources, {}) == render(of_whole, sources, {}));
}
