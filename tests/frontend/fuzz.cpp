// Broken copies of the corpus: the parser ends, gives a tree whose spans lie in the text, and, where it finds nothing
// wrong, a tree that survives formatting.
#include <cstdlib>
#include <random>

#include <doctest/doctest.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

constexpr const char* kSnippets[] = {
    "(",     ")",  "[",        "]",    "{",    "}",    "\"",   "'",      "f\"",    "\"\"\"",  "\n",   "    ",    "\t",
    ":",     ",",  "=",        "==",   "@",    "*",    "**",   "\\",     "#",      ".",       "...",  "->",      "!",
    ":=",    ";",  "if ",      "else", "for ", " in ", "def ", "class ", "lambda", "not ",    "mut ", "static ", "try:",
    "8_KiB", "1e", "\xC2\xA0", "α",    "\r\n", "f'{",  "}'",   "with ",  "return", "import ", "from "};

class Mutator {
public:
    explicit Mutator(uint32_t seed) : random_(seed) {}

    std::string operator()(std::string text) {
        for (size_t n = 1 + pick(4); n > 0; --n) mutate(text);
        return text;
    }

private:
    size_t pick(size_t below) { return below == 0 ? 0 : random_() % below; }

    void mutate(std::string& text) {
        size_t at = pick(text.size() + 1);
        size_t length = std::min(pick(12), text.size() - at);
        switch (pick(8)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, kSnippets[pick(std::size(kSnippets))]);
                break;
            case 2:
                text.replace(at, length, kSnippets[pick(std::size(kSnippets))]);
                break;
            case 3:
                text.insert(pick(text.size() + 1), text.substr(at, length * 4));
                break;
            case 4:
                text.resize(at);
                break;
            case 5: {
                // A line goes, or comes twice.
                size_t begin = text.rfind('\n', at);
                begin = begin == std::string::npos ? 0 : begin + 1;
                size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
                if (begin >= end) break;
                auto line = text.substr(begin, end - begin);
                if (pick(2) == 0) {
                    text.erase(begin, end - begin);
                } else {
                    text.insert(begin, line);
                }
                break;
            }
            default:
                break;
        }
    }

    std::mt19937 random_;
};

void check_spans(const Parsed& parsed) {
    auto size = parsed.sources.text(parsed.file).size();
    for (const auto& expr : parsed.module->exprs) {
        bool inside = !expr.span.valid() || (expr.span.begin <= expr.span.end && expr.span.end <= size);
        REQUIRE(inside);
    }
    for (const auto& stmt : parsed.module->stmts) {
        bool inside = stmt.span.begin <= stmt.span.end && stmt.span.end <= size;
        REQUIRE(inside);
    }
    for (const auto& d : parsed.diagnostics.all()) {
        bool inside = d.span.begin <= d.span.end && d.span.end <= size;
        REQUIRE(inside);
    }
}

bool has_hole(const ast::Module& module) {
    auto holds = [](const auto& node) { return std::holds_alternative<ast::Hole>(node.node); };
    auto broken = [](const auto& node) { return std::holds_alternative<ast::BrokenStmt>(node.node); };
    return std::ranges::any_of(module.exprs, holds) || std::ranges::any_of(module.stmts, broken);
}

}  // namespace

TEST_CASE("mutated programs") {
    auto programs = corpus();
    // More for a longer search.
    const char* asked = std::getenv("TSR_MUTANTS");
    const uint32_t mutants = asked ? static_cast<uint32_t>(std::strtoul(asked, nullptr, 10)) : 3000;
    uint32_t whole = 0;
    size_t messages = 0;
    for (uint32_t seed = 0; seed < mutants; ++seed) {
        CAPTURE(seed);
        auto text = Mutator(seed)(programs[seed % programs.size()].text);
        CAPTURE(text);
        Parsed parsed(text);
        check_spans(parsed);
        messages += parsed.diagnostics.all().size();
        if (parsed.diagnostics.has_errors()) continue;
        ++whole;
        REQUIRE(!has_hole(*parsed.module));
        auto formatted = parsed.format();
        CAPTURE(formatted);
        Parsed again(formatted);
        REQUIRE(again.messages() == "");
        REQUIRE(again.outline() == parsed.outline());
        REQUIRE(again.module->comments.size() == parsed.module->comments.size());
        REQUIRE(again.format() == formatted);
    }
    MESSAGE(mutants << " mutants, " << whole << " of them programs, " << messages << " messages");
}

TEST_CASE("random bytes") {
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
        std::string text(random() % 200, '\0');
        // Half of them only of the characters that programs are made of.
        for (char& c : text) {
            c = i % 2 == 0 ? static_cast<char>(random() % 256) : "()[]{}\"'\\\n\t :=.,@#fr0x_ai!*"[random() % 28];
        }
        CAPTURE(text);
        check_spans(Parsed(text));
    }
}
