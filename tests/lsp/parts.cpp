// Parts of the language server by themselves: places, URIs, what a failure leaves behind.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>

#include <doctest/doctest.h>

#include "base/cancel.h"
#include "frontend/format.h"
#include "lsp/analysis.h"
#include "lsp/document_uri.h"
#include "lsp/inbox.h"
#include "lsp/positions.h"
#include "lsp/reproducer.h"

using namespace tsr::lsp;

TEST_CASE("each character has a place, and the place leads back to it") {
    std::mt19937 random(1);
    const std::vector<std::string> pieces{"a",  "\n", "\r\n",         "\r",           "é",
                                          "🐙", "\t", "\xEF\xBB\xBF", "\xE2\x80\xA8", "\xFF"};
    for (int round = 0; round < 300; ++round) {
        std::string text;
        std::vector<uint32_t> starts;  // of characters
        const size_t count = random() % 40;
        for (size_t i = 0; i < count; ++i) {
            const std::string& piece = pieces[random() % pieces.size()];
            // A line feed behind a carriage return would make one end of line of two.
            if (piece[0] == '\n' && text.ends_with('\r')) continue;
            starts.push_back(static_cast<uint32_t>(text.size()));
            text += piece;
        }
        starts.push_back(static_cast<uint32_t>(text.size()));
        const LineIndex lines(text);
        for (const Encoding encoding : {Encoding::utf8, Encoding::utf16}) {
            Position last;
            for (const uint32_t start : starts) {
                const Position at = lines.position(text, start, encoding);
                CHECK(lines.offset(text, at, encoding) == start);
                CHECK((at.line > last.line || (at.line == last.line && at.character >= last.character)));
                last = at;
            }
            CHECK(lines.offset(text, {last.line + 1, 0}, encoding) == text.size());
            CHECK(lines.offset(text, {last.line, 1000}, encoding) == text.size());
        }
    }
}

namespace {

// What is said of a text, and its trees as text.
std::string told(const Analysis& analysis) {
    std::string all = tsr::outline(*analysis.tree) + "\n";
    for (const tsr::Diagnostic& d : analysis.diagnostics.all())
        all += d.code + " " + std::to_string(d.span.begin) + " " + d.message + "\n";
    return all;
}

}  // namespace

TEST_CASE(
    "a check may be given up at each place that looks whether it shall, and the next one is as if it had not been") {
    const std::string text =
        "@jit\ndef f(x: f32[n, m], w: f32[m, k]) -> f32[n, k]:\n    return softmax(x @ w) + layernorm(x @ w)\n\n\n"
        "@kernel\ndef twice(x: mut f32[n]):\n    i = tile.linear_id()\n    if i < n:\n        x[i] = x[i] + x[i]\n\n\n"
        "def main():\n    x = ones((2, 3), f32)\n    y = grad(lambda x: sum(f(x, x.T)))(x)\n    print(f\"{y[0]:.3f}\", "
        "zeroes)\n";
    for (const std::string& broken : {text, text + "    print((\n", text.substr(0, text.size() - 9) + ")\n"}) {
        const std::atomic<bool> never = false;
        const std::vector<std::pair<std::string, std::string>> open{{"/tmp/none/text.tsr", broken}};
        const auto analyze = [&] { return Analysis("/tmp/none/text.tsr", open, {}, Reader{Encoding::utf8}, never); };
        const std::string wanted = told(analyze());
        size_t given_up = 0;
        bool whole = false;
        for (size_t looks = 0; !whole; looks += 1 + looks / 20) {
            try {
                const tsr::CancelScope scope(never, looks);
                const Analysis analysis = analyze();
                whole = true;
                CHECK(told(analysis) == wanted);
            } catch (const tsr::Cancelled&) {
                ++given_up;
            }
            if (given_up % 10 == 0) CHECK(told(analyze()) == wanted);
        }
        CHECK(given_up > 50);
    }
}

TEST_CASE("an edit gives back the requests that it makes worthless, and ends the one that is worked on") {
    Inbox inbox;
    const auto request = [](int id, const char* method) { return Json{{"id", id}, {"method", method}}; };
    const auto outdates = [](const Json& message) { return message["method"] == "hover"; };
    inbox.put(request(1, "hover"));
    CHECK(inbox.take(true).message == request(1, "hover"));
    inbox.put(request(2, "hover"));
    inbox.put(request(3, "rename"));
    const std::vector<Json> outdated = inbox.put({{"method", "didChange"}}, outdates);
    CHECK(outdated == std::vector<Json>{request(2, "hover")});
    CHECK(inbox.cancel().load());
    CHECK(inbox.was_outdated());
    CHECK(inbox.take(true).message == request(3, "rename"));
    CHECK(!inbox.cancel().load());
    CHECK(!inbox.was_outdated());
    CHECK(inbox.put({{"method", "didChange"}}, outdates).empty());
    CHECK(!inbox.cancel().load());
}

TEST_CASE("columns are bytes or UTF-16") {
    const std::string text = "é🐙x\r\ny";
    const LineIndex lines(text);
    CHECK(lines.position(text, 6, Encoding::utf16) == Position{0, 3});
    CHECK(lines.position(text, 6, Encoding::utf8) == Position{0, 6});
    CHECK(lines.offset(text, {0, 2}, Encoding::utf16) == 2);  // in the middle of the octopus: before it
    CHECK(lines.offset(text, {0, 4}, Encoding::utf8) == 2);
    CHECK(lines.offset(text, {0, 99}, Encoding::utf16) == 7);  // before the end of the line
    CHECK(lines.position(text, 9, Encoding::utf16) == Position{1, 0});
    const std::string marked = "\xEF\xBB\xBFx";
    CHECK(LineIndex(marked, true).position(marked, 3, Encoding::utf16) == Position{0, 0});
    CHECK(LineIndex(marked, true).position(marked, 0, Encoding::utf16) == Position{0, 0});
    CHECK(LineIndex(marked, false).position(marked, 3, Encoding::utf16) == Position{0, 1});
}

TEST_CASE("URIs of files") {
    CHECK(path_of("file:///a/b%20c%C3%A9.tsr") == "/a/b cé.tsr");
    CHECK(path_of("file://localhost/a.tsr") == "/a.tsr");
    CHECK(path_of("untitled:Untitled-1") == "untitled:Untitled-1");
    CHECK(path_of("file:///a%2") == "/a%2");
    CHECK(path_of("file:///a%zz") == "/a%zz");
    CHECK(uri_of("/a/b cé#1.tsr") == "file:///a/b%20c%C3%A9%231.tsr");
    CHECK(uri_of("untitled:Untitled-1") == "untitled:Untitled-1");
    for (const char* path : {"/", "/a b/c%d/é", "/x?y=z&w+v"}) CHECK(path_of(uri_of(path)) == path);
}

TEST_CASE("a failure leaves the open texts and the request") {
    const std::atomic<bool> cancel = false;
    Workspace workspace({}, {}, {}, cancel);
    workspace.open("file:///a.tsr", 3, "x = \"🐙\"\n");
    const Json request = {{"id", 1}, {"method", "textDocument/hover"}};
    const std::filesystem::path folder = leave_reproducer(workspace, request);
    REQUIRE(!folder.empty());
    std::ifstream in(folder / "messages.jsonl");
    std::string opened, asked;
    REQUIRE(std::getline(in, opened));
    REQUIRE(std::getline(in, asked));
    CHECK(parse_json(opened)["params"]["textDocument"]["text"] == "x = \"🐙\"\n");
    CHECK(parse_json(asked) == request);
    std::filesystem::remove_all(folder);
}
