// Every expression is recorded in the last pass: of a program that keeps this law nothing is missing, of one that does
// not exactly what was left out.
#include "sema/missing_entries.h"

#include <map>

#include <doctest/doctest.h>

#include "base/diagnostics.h"
#include "frontend/parse.h"

using namespace tsr;
using namespace tsr::sema;

namespace {

// A program that was checked, whose entries the test takes away.
struct Emptied {
    explicit Emptied(const std::string& text) {
        tree = parse(sources.add("example.tsr", text), sources, diagnostics);
        checker.run(*tree);
        for (const Diagnostic& d : diagnostics.all()) CHECK_MESSAGE(false, d.code, ": ", d.message);
    }
    [[nodiscard]] std::vector<std::string> missing() const {
        std::vector<std::string> texts;
        for (const MissingEntry& one : missing_entries(checker)) texts.emplace_back(sources.text(one.expr->span));
        return texts;
    }
    // Takes from an instance one entry after the other: each is missed, and no other expression. Gives those that are
    // not missed, in the order of the text.
    std::vector<std::string> not_missed(const std::string& name) {
        std::map<uint32_t, std::string> texts;
        for (Instance& instance : checker.program.instances) {
            if (instance.name != name) continue;
            const auto whole = instance.exprs;
            REQUIRE(!whole.empty());
            for (const auto& [id, info] : whole) {
                const ast::Expr* e = checker.program.expr(instance.module, id);
                if (checker.program.made.find(id)) continue;  // not in the text
                instance.exprs.erase(id);
                const std::string text(sources.text(e->span));
                INFO(text);
                const std::vector<std::string> found = missing();
                if (found.empty()) texts[e->span.begin] = text;
                for (const std::string& each : found) CHECK(each == text);
                CHECK(found.size() <= 1);
                instance.exprs = whole;
            }
        }
        std::vector<std::string> in_order;
        for (auto& [at, text] : texts) in_order.push_back(std::move(text));
        return in_order;
    }

    Sources sources;
    Diagnostics diagnostics;
    CheckOptions options{.verify = true};
    std::unique_ptr<ast::Module> tree;
    Checker checker{sources, options, diagnostics};
};

}  // namespace

TEST_CASE("an expression without an entry is found, whatever it stands in") {
    Emptied program(R"(
def f(x: f32[n, 4], k: i32 = 2 + 1) -> f32:
    m = n // 2
    y: f32[m] = zeros((m,))
    s = 0.0
    for i in range(k):
        if not (i == 1 or i > 7) and i < m:
            s += y[i] if i < 3 else x[i, 0]
    while s > 100.0:
        s = s / 2.0
    assert s < 1e9, f"{s:>{k}} is too much"
    return s + sum([float(j) for j in range(k) if j != 1]) + x[:2, None, ...].sum()

def main(x: f32[n, 4]) -> f32:
    return f(x)
)");
    CHECK(program.missing().empty());
    // What is assigned to, a display for a built-in function, the name of a method.
    const std::vector<std::string> may_be_left_out{"m", "y", "(m,)", "s", "i", "s", "j", "x[:2, None, ...].sum"};
    CHECK(program.not_missed("f") == may_be_left_out);
}

TEST_CASE("what a static condition leaves out needs no entry, what it lets in does") {
    Emptied program(R"(
def g(x, flag: static bool):
    if flag:
        return x + 1
    return x.sum()

def main() -> i32:
    return g(1, True)
)");
    CHECK(program.missing().empty());
    for (Instance& instance : program.checker.program.instances) {
        if (instance.name != "g") continue;
        std::erase_if(instance.exprs, [](const auto& each) {
            const Type& type = each.second.type;
            return !type.is_bool() && !type.is(Kind::type);  // `flag` and its type stay
        });
    }
    CHECK(program.missing() == std::vector<std::string>{"x + 1"});
}

TEST_CASE("forms that stand for no value by themselves need no entry") {
    Emptied program(R"(
def main(x: f32[n], w: Tensor["n", f32]) -> f32[m]:
    names = []
    names.append("a")
    y = concat([x[1:], 2.0 * w])
    return y
)");
    CHECK(program.missing().empty());
}
