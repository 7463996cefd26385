// What stands at a place of a program's text, and where else it is named.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/diagnostics.h"
#include "frontend/parse.h"
#include "sema/query.h"

using namespace tsr;
using namespace tsr::sema;

namespace {

struct Checked {
    explicit Checked(const std::string& text) : text(text) {
        file = sources.add("example.tsr", text);
        options.verify = true;
        sources.overlay("shapes.tsr", "WIDTH = 4\ndef area(w: i32, h: i32) -> i32:\n    return w * h\n");
        tree = parse(file, sources, diagnostics);
        program = check(*tree, sources, options, diagnostics);
    }

    // The place of the nth `word` that is no part of a longer one.
    [[nodiscard]] uint32_t place(const std::string& word, int nth = 1) const {
        const auto letter = [&](size_t at) {
            return at < text.size() && (text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])) != 0);
        };
        for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
            const bool whole = !letter(at + word.size()) && (at == 0 || !letter(at - 1));
            if (whole && --nth == 0) return static_cast<uint32_t>(at);
        }
        FAIL("no ", word);
        return 0;
    }
    [[nodiscard]] const NameUse* use(const std::string& word, int nth = 1) const {
        return name_at(program, ModuleId(0), place(word, nth));
    }
    [[nodiscard]] std::string said() const {
        std::string all;
        for (const Diagnostic& d : diagnostics.all()) all += d.code + " " + d.message + "\n";
        return all;
    }
    // "parameter x of f"
    [[nodiscard]] std::string named(const std::string& word, int nth = 1) const {
        const NameUse* found = use(word, nth);
        if (!found) return "nothing";
        const Entity& e = found->entity;
        std::string all = fmt::format("{} {}", sema::text(e.kind), e.name);
        if (e.function.valid()) all += " of " + program.function(e.function).name;
        return all;
    }
    // How often each place that names the same says so, and the first place that declares or assigns it.
    [[nodiscard]] size_t count(const std::string& word, int nth = 1) const {
        const NameUse* found = use(word, nth);
        REQUIRE(found);
        const auto all = occurrences(program, found->entity);
        for (const NameUse& one : all) CHECK(sources.text(one.at).find('\n') == std::string_view::npos);
        return all.size();
    }

    std::string text;
    Sources sources;
    FileId file;
    CheckOptions options;
    Diagnostics diagnostics;
    std::unique_ptr<ast::Module> tree;
    Program program;
};

}  // namespace

TEST_CASE("names of functions, their parameters and variables") {
    const Checked p(R"(
N = 3
def scaled(x: f32[n], factor: f32 = 2.0) -> f32[n]:
    y = zeros((n,), f32)
    for i in range(len(x)):
        y[i] = x[i] * factor
    return y
def main():
    y = ones((N,), f32)
    z = scaled(y, factor=3.0)
    print("🐙", z.shape, len(z))
)");
    CHECK(p.diagnostics.all().empty());
    CHECK(p.named("N") == "variable N");
    CHECK(p.count("N") == 2);
    CHECK(p.named("scaled") == "function scaled of scaled");
    CHECK(p.count("scaled") == 2);
    CHECK(p.named("x") == "parameter x of scaled");
    CHECK(p.count("x") == 3);
    CHECK(p.named("factor", 2) == "parameter factor of scaled");
    CHECK(p.count("factor") == 3);  // also before the `=` of an argument
    CHECK(p.named("n") == "dimension n of scaled");
    CHECK(p.count("n") == 3);
    CHECK(p.named("f32") == "element type f32");
    CHECK(p.count("f32") == 5);
    CHECK(p.named("i") == "variable i of scaled");
    CHECK(p.named("y") == "variable y of scaled");
    CHECK(p.count("y") == 3);
    CHECK(p.named("y", 4) == "variable y of main");
    CHECK(p.count("y", 4) == 2);
    CHECK(p.named("zeros") == "builtin zeros");
    CHECK(p.named("z", 2) == "variable z of main");  // behind an octopus of four bytes
    CHECK(p.named("shape") == "property shape");
    CHECK(p.use("y")->binds);
    CHECK_FALSE(p.use("y", 2)->binds);
}

TEST_CASE("names in decorators, annotations and clauses") {
    const Checked p(R"(
import tessera as ts
@ts.kernel.autotune(space=dict(BM=[32, 64], stages=[1, 2])) tile[n] shared(8_KiB)
def k(x: T[n, "B*H"] @accum(f32), y: mut Tensor["n", T], w: Region[read, f32[n]]):
    i = tile.linear_id()
    s: f32 = 0.0
    for j in tile.range(BM, prefetch=stages):
        s += w[i]
    if i < n:
        y[i] = x[i, 0] + cast(s, T)
def run(x: f32[2, 3, 4]):
    k(x.reshape((2, 12)), ones((2,), f32), ones((2,), f32))
)");
    INFO(p.said());
    CHECK(p.named("ts") == "name space tessera");
    CHECK(p.named("kernel") == "builtin kernel");
    CHECK(p.named("autotune") == "decorator kernel.autotune");
    CHECK(p.named("space") == "builtin's parameter kernel.autotune.space");
    CHECK(p.named("dict") == "builtin dict");
    CHECK(p.named("BM") == "tuning parameter BM of k");
    CHECK(p.count("BM") == 2);
    CHECK(p.count("stages") == 2);
    CHECK(p.named("tile") == "clause tile");
    CHECK(p.named("shared") == "clause shared");
    CHECK(p.named("n") == "dimension n of k");
    CHECK(p.count("n") == 5);
    CHECK(p.named("T") == "type variable T of k");
    CHECK(p.count("T") == 3);
    CHECK(p.named("H") == "dimension H of k");
    CHECK(p.named("accum") == "policy accum");
    CHECK(p.named("Tensor") == "builtin Tensor");
    CHECK(p.named("Region") == "builtin Region");
    CHECK(p.named("read") == "policy read");
    CHECK(p.named("range") == "builtin tile.range");
    CHECK(p.named("prefetch") == "builtin's parameter tile.range.prefetch");
}

TEST_CASE("names of classes, fields, methods, modules and names with a scope of their own") {
    const Checked p(R"(
import shapes
from shapes import area as surface
class Layer:
    w: f32[m]
    scale: f32 = 1.0
    def size(self) -> index:
        return len(self.w) * m
def twice(f, x):
    return f(f(x))
def main():
    a = Layer(zeros((4,), f32), scale=0.5)
    b = [v.scale for v in [a, a]]
    sizes: list[index] = []
    sizes.append(a.size())
    def inner(k: i32) -> i32:
        return k + surface(2, h=shapes.WIDTH)
    print(b, sizes, inner(1), twice(lambda v: v + 1, 2))
)");
    INFO(p.said());
    CHECK(p.diagnostics.all().empty());
    CHECK(p.named("shapes") == "module shapes");
    CHECK(p.count("shapes") == 3);
    CHECK(p.named("area") == "function area of area");
    CHECK(p.named("surface") == "function area of area");
    CHECK(p.count("surface") == 4);  // also where it is defined, in the other module
    CHECK(p.named("h") == "parameter h of area");
    CHECK(p.named("WIDTH") == "variable WIDTH");
    CHECK(p.count("WIDTH") == 2);
    CHECK(p.named("Layer") == "class Layer of Layer");
    CHECK(p.count("Layer") == 2);
    CHECK(p.named("scale") == "field scale of Layer");
    CHECK(p.count("scale") == 3);
    CHECK(p.named("w", 2) == "field w of Layer");
    CHECK(p.named("m") == "dimension m of Layer");
    CHECK(p.count("m") == 2);
    CHECK(p.named("size") == "method Layer.size of Layer.size");
    CHECK(p.count("size") == 2);
    CHECK(p.named("append") == "method list.append");
    CHECK(p.named("list") == "builtin list");
    CHECK(p.named("a") == "variable a of main");
    CHECK(p.count("a") == 4);
    CHECK(p.named("v") == "variable v of main");  // the comprehension's own
    CHECK(p.count("v") == 2);
    CHECK(p.named("inner", 2) == "function inner of inner");
    CHECK(p.count("inner") == 2);
    CHECK(p.named("f") == "parameter f of twice");
    CHECK(p.count("f") == 3);
    CHECK(p.named("v", 3) == "parameter v of lambda");
    CHECK(p.count("v", 3) == 2);
}

TEST_CASE("places without a name, and the end of one") {
    const Checked p("def f(x: i32) -> i32:\n    return x + 1\n");
    CHECK(name_at(p.program, ModuleId(0), p.place("return")) == nullptr);
    const NameUse* behind = name_at(p.program, ModuleId(0), p.place("x", 2) + 1);
    REQUIRE(behind);
    CHECK(behind->entity == p.use("x")->entity);
    CHECK(name_at(p.program, ModuleId(0), static_cast<uint32_t>(p.text.size())) == nullptr);
    CHECK(name_at(Checked("").program, ModuleId(0), 0) == nullptr);
}

TEST_CASE("types, definitions and members") {
    const Checked p(R"(
class Layer:
    w: f32[m]
    def size(self) -> index:
        return len(self.w)
def twice(x):
    y = x + x
    return y
def main():
    a = twice(1.5)
    b = twice(ones((2, 3), f32))
    layer = Layer(zeros((4,), f32))
    for i in range(3):
        print(i, a, layer.w)
    for i in [a, a]:
        print(i, b.T)
)");
    INFO(p.said());
    CHECK(p.diagnostics.all().empty());
    const auto types = [&](const std::string& word, int nth = 1) {
        std::string all;
        for (const Type& type : types_of(p.program, p.use(word, nth)->entity)) all += readable(type.text()) + " ";
        return all;
    };
    CHECK(types("a") == "f32 ");
    CHECK(types("b") == "f32[2, 3] ");
    CHECK(types("y") == "f32 f32[2, 3] ");  // of each signature
    CHECK(types("x") == "f32 f32[2, 3] ");
    CHECK(types("i", 2) == "index ");  // each loop has a variable of its own
    CHECK(types("i", 4) == "f32 ");
    CHECK(types("twice").empty());
    const auto defined_at = [&](const std::string& word, int nth) {
        return definition(p.program, p.use(word, nth)->entity)->begin;
    };
    CHECK(defined_at("a", 2) == p.place("a"));
    CHECK(defined_at("i", 4) == p.place("i", 3));
    CHECK(defined_at("w", 2) == p.place("w"));
    CHECK(defined_at("twice", 2) == p.place("twice"));
    CHECK_FALSE(definition(p.program, p.use("print")->entity));
    const auto members = [&](const std::string& word) {
        std::vector<std::string> names;
        for (const Type& type : types_of(p.program, p.use(word)->entity)) {
            for (const Member& member : members_of(p.program, type)) names.push_back(member.name);
        }
        return names;
    };
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    CHECK((has(members("layer"), "w") && has(members("layer"), "size")));
    CHECK((has(members("b"), "T") && has(members("b"), "sum") && !has(members("b"), "append")));
    CHECK_FALSE(has(members("a"), "shape"));
    const ast::Expr* sum = expression_at(p.program, ModuleId(0), p.place("x", 2) + 2);
    REQUIRE(sum);
    CHECK(p.sources.text(sum->span) == "x + x");
    CHECK(types_of(p.program, ModuleId(0), sum->id).size() == 2);
}

TEST_CASE("what is seen from a place, also of a broken text") {
    const Checked p(R"(
from shapes import area as surface
SIZE = 2
def outer(a: i32):
    b = a
    def inner(c: i32):
        d = c
        d.

    e = 1

def other(q: i32):
    pass
)");
    const auto seen = [&](uint32_t offset) {
        std::string all;
        const FunctionId function = function_at(p.program, ModuleId(0), p.text, offset);
        for (const VisibleName& name : visible_names(p.program, ModuleId(0), function)) all += name.name + " ";
        return all;
    };
    CHECK(seen(p.place("e")) == "a b e inner SIZE outer other surface ");
    CHECK(seen(p.place("d", 2) + 2) == "c d a b e inner SIZE outer other surface ");
    CHECK(seen(p.place("SIZE")) == "SIZE outer other surface ");
    CHECK(seen(p.place("pass")) == "q SIZE outer other surface ");
    CHECK(seen(static_cast<uint32_t>(p.text.size())) == "SIZE outer other surface ");
    const Entity shapes = p.use("shapes")->entity;
    std::string all;
    for (const VisibleName& name : names_of_module(p.program, shapes.module)) all += name.name + " ";
    CHECK(all == "WIDTH area ");
}

TEST_CASE("a check is given up at any moment") {
    std::string text = "class Layer:\n    w: f32[m]\n    def size(self):\n        return len(self.w)\n";
    for (int i = 0; i < 40; ++i) {
        const std::string n = std::to_string(i);
        text += "@kernel\ndef k" + n + "(x: f32[n], y: mut f32[n]):\n    i = tile.linear_id()\n    s = 0.0\n";
        text +=
            "    for j in tile.range(4):\n        s += x[j] * 2.0\n    if i < n:\n        y[i] = s if s > 0.0 else "
            "-s\n";
        text += "def h" + n +
                "(a, b=[1.0, 2.0]):\n    for u, v in zip(a, b):\n        print(f\"{u + v}\", [w * 2 for w in b])\n";
        text +=
            "def run" + n + "():\n    x = ones((3,), f32)\n    k" + n + "(x, x.copy())\n    h" + n + "([1.5], [2.5])\n";
        text += "    print(Layer(x).size(), softmax(x).sum(), map(lambda q: q + 1, [1, 2]))\n";
    }
    for (int moment = 0; moment < 100; ++moment) {
        Sources sources;
        Diagnostics diagnostics;
        const FileId file = sources.add("example.tsr", text);
        const auto tree = parse(file, sources, diagnostics);
        std::atomic<bool> cancel = false;
        CheckOptions options;
        options.cancel = &cancel;
        const auto begin = std::chrono::steady_clock::now();
        std::thread other([&] {
            while (std::chrono::steady_clock::now() - begin < moment * std::chrono::microseconds(97)) {
            }
            cancel = true;
        });
        const Program program = check(*tree, sources, options, diagnostics);
        other.join();
        CHECK(diagnostics.all().empty());  // what is said of half a program is not said
    }
}
