// The examples on the pages of the front end's diagnostics: the wrong one gives the page's code, the right one nothing.
#include <doctest/doctest.h>

#include "corpus.h"

using namespace tsr;
using namespace tsr::test;

namespace {

// The fenced blocks of a page, in order.
std::vector<std::string> examples(const std::string& page) {
    std::vector<std::string> out;
    for (size_t at = page.find("```"); at != std::string::npos; at = page.find("```", at)) {
        size_t begin = page.find('\n', at) + 1;
        size_t end = page.find("```", begin);
        out.push_back(page.substr(begin, end - begin));
        at = end + 3;
    }
    return out;
}

}  // namespace

TEST_CASE("the pages' examples show what they say") {
    size_t pages = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TSR_FRONTEND_TESTS "/../../docs/errors")) {
        std::string code = entry.path().stem();
        if (!code.starts_with("E01")) continue;
        CAPTURE(code);
        ++pages;
        std::ifstream in(entry.path());
        auto shown = examples({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
        REQUIRE(shown.size() == 2);
        // Bytes that are not UTF-8 and a thousand operators do not fit on a page; strings are read as types only where
        // a type is asked for.
        if (code != "E0101" && code != "E0115" && code != "E0142") {
            Parsed wrong(shown[0]);
            REQUIRE(wrong.diagnostics.all().size() == 1);
            CHECK(wrong.diagnostics.all()[0].code == code);
        }
        CHECK(Parsed(shown[1]).messages() == "");
    }
    CHECK(pages >= 41);
}
