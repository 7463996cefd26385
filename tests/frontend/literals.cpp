#include "frontend/literals.h"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "frontend/unicode.h"

using namespace tsr;

namespace {

uint64_t integer(std::string_view text) {
    auto value = read_number(text);
    REQUIRE(std::holds_alternative<ast::IntLiteral>(value));
    return std::get<ast::IntLiteral>(value).value;
}

double real(std::string_view text) {
    auto value = read_number(text);
    REQUIRE(std::holds_alternative<ast::FloatLiteral>(value));
    return std::get<ast::FloatLiteral>(value).value;
}

bool bad(std::string_view text) { return std::holds_alternative<BadNumber>(read_number(text)); }

std::string text_of(std::string_view text) {
    auto out = unescape(text, false);
    CHECK(out.bad.empty());
    return out.value;
}

}  // namespace

TEST_CASE("integers") {
    CHECK(integer("0") == 0);
    CHECK(integer("00") == 0);
    CHECK(integer("1_000_000") == 1000000);
    CHECK(integer("0xFF") == 255);
    CHECK(integer("0x_ff") == 255);
    CHECK(integer("0o17") == 15);
    CHECK(integer("0b1010") == 10);
    CHECK(integer("8_KiB") == 8192);
    CHECK(integer("2_MiB") == 2097152);
    CHECK(integer("1_GiB") == 1073741824);
    CHECK(integer("18446744073709551615") == UINT64_MAX);
}

TEST_CASE("an integer past 64 bits is told apart from a bad one") {
    for (const char* text : {"18446744073709551616", "0x10000000000000000", "17179869184_GiB"}) {
        CAPTURE(text);
        auto value = read_number(text);
        REQUIRE(std::holds_alternative<ast::IntLiteral>(value));
        CHECK(std::get<ast::IntLiteral>(value).overflow);
    }
}

TEST_CASE("floats") {
    CHECK(real("1.") == 1.0);
    CHECK(real(".5") == 0.5);
    CHECK(real("1e-10") == 1e-10);
    CHECK(real("1E+5") == 1e5);
    CHECK(real("1_0.0_1") == 10.01);
    CHECK(real("1e-400") == 0.0);
    CHECK(std::isinf(real("1e999")));
}

TEST_CASE("bad numbers") {
    for (const char* text : {"12abc", "1__0", "1_", "0x", "0x_", "0xg", "0b12", "0o8", "8_KB", "8KiB", "012", "1e",
                             "1e+", "1._5", "3j", "1.5_KiB", "0x1__0", "1.0f", "1_e5"}) {
        CAPTURE(text);
        CHECK(bad(text));
    }
}

TEST_CASE("escapes") {
    CHECK(text_of("plain") == "plain");
    CHECK(text_of(R"(\n\t\\\'\"\a\b\f\v\r)") == "\n\t\\'\"\a\b\f\v\r");
    CHECK(text_of(R"(\x41\u00e9\U0001F600)") == "A\xC3\xA9\xF0\x9F\x98\x80");
    CHECK(text_of(R"(\101\0)") == std::string("A\0", 2));
    CHECK(text_of("a\\\nb") == "ab");
    CHECK(text_of("a\\\r\nb\r\nc") == "ab\nc");
    CHECK(unescape(R"(\n\q)", true).value == R"(\n\q)");
    CHECK(unescape("{{a}}", false, true).value == "{a}");
}

TEST_CASE("bad escapes are named with their place and kept") {
    auto one = unescape(R"(ab\qc)", false);
    REQUIRE(one.bad.size() == 1);
    CHECK(one.bad[0].begin == 2);
    CHECK(one.bad[0].end == 4);
    CHECK(one.value == R"(ab\qc)");
    CHECK(unescape(R"(\x4)", false).bad.size() == 1);
    CHECK(unescape(R"(\uD800)", false).bad.size() == 1);
    CHECK(unescape(R"(\U00110000)", false).bad.size() == 1);
    CHECK(unescape("\\", false).bad.size() == 1);
    CHECK(unescape("\\\xC3\xA9", false).value == "\\\xC3\xA9");
}

TEST_CASE("identifiers follow Unicode's XID classes") {
    CHECK(is_identifier_start(U'_'));
    CHECK(is_identifier_start(U'α'));
    CHECK(is_identifier_start(U'名'));
    CHECK(!is_identifier_start(U'1'));
    CHECK(!is_identifier_start(0x0301));
    CHECK(is_identifier_continue(0x0301));
    CHECK(is_identifier_continue(U'9'));
    CHECK(!is_identifier_continue(U'×'));
    CHECK(!is_identifier_continue(0x00A0));
    CHECK(!is_identifier_continue(0x1F600));
}
