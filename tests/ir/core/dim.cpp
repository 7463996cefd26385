// Dimensions: one normal form, three answers, text that reads back.
#include "ir/core/dim.h"

#include <doctest/doctest.h>

using namespace tsr::ir;

namespace {

Dim dim(const std::string& text) {
    std::optional<Dim> parsed = Dim::parse(text);
    REQUIRE_MESSAGE(parsed, text);
    return *parsed;
}

std::string normal(const std::string& text) { return dim(text).text(); }

}  // namespace

TEST_CASE("equal dimensions have one normal form") {
    CHECK(normal("m + n") == "m + n");
    CHECK(normal("n + m") == "m + n");
    CHECK(normal("1 + n*2 - 3") == "2*n - 2");
    CHECK(normal("(a + b)*(a - b)") == "a*a - b*b");
    CHECK(normal("n - n") == "0");
    CHECK(normal("-(n)") == "-n");
    CHECK(normal("b*a*3*a") == "3*a*a*b");
    CHECK(dim("(a + b)*2") == dim("b*2 + a*2"));
    CHECK(dim("n") != dim("m"));
}

TEST_CASE("quotients give what divides") {
    CHECK(normal("(128*n + m)//128") == "n + m//128");
    CHECK(normal("(n + 255)//128") == "(n + 127)//128 + 1");
    CHECK(normal("7//2") == "3");
    CHECK(normal("-7//2") == "-4");
    CHECK(normal("7//-2") == "-4");
    CHECK(normal("(n + 2)/2") == "n/2 + 1");
    CHECK(normal("2*n/4") == "n/2");
    CHECK(normal("n/-2") == "(-n)/2");
    CHECK(normal("K/tp*tp") == "K");
    CHECK(normal("K/tp*4*tp*m") == "4*K*m");
    CHECK(normal("a*b/b") == "a");
    CHECK(normal("n//n") == "n//n");  // n may be 0
    CHECK(normal("7/2") == "7/2");    // does not divide: no number
    CHECK(normal("n//0") == "n//0");
    CHECK(normal("m*(n//2)") == "m*(n//2)");
    CHECK(normal("m*n//2") == "(m*n)//2");
    CHECK(normal("(m*n)/tp") == "(m*n)/tp");
    CHECK(dim("m*(n/tp)") != dim("(m*n)/tp"));
}

TEST_CASE("the greater of two is one of them where that is known") {
    CHECK(normal("max(n - 1, 0)") == "max(0, n - 1)");
    CHECK(normal("max(0, n - 1)") == normal("max(n - 1, 0)"));
    CHECK(normal("max(n + 2, n)") == "n + 2");
    CHECK(normal("max(n*m + 1, 0)") == normal("n*m + 1"));
    CHECK(normal("max(n, n//2)") == "n");  // 2*n - n is not negative
    CHECK(normal("max(max(n - 1, 0) - 2, 0)") == normal("max(n - 3, 0)"));
    CHECK(normal("2*max(n, m) + k") == normal("k + max(m, n)*2"));
    CHECK(Dim::minimum(dim("n + 3"), dim("n")) == dim("n"));
    CHECK(dim("max(n - 1, 0)").substitute([](const std::string&) { return std::optional(Dim::constant(0)); }) == Dim());
    const auto five = [](const std::string&) { return std::optional<int64_t>(5); };
    CHECK(dim("max(n - 7, 0)").evaluate(five) == 0);
    CHECK(dim("max(n - 2, 0) * m").evaluate(five) == 15);
    CHECK(normal("max*2") == "2*max");  // a symbol of that name
    CHECK_FALSE(Dim::parse("max(n)"));
    CHECK_FALSE(Dim::parse("max(n, m"));
}

TEST_CASE("what is never negative is known of sums, products, quotients") {
    CHECK(is_never_negative(dim("n*m + 3")));
    CHECK(is_never_negative(dim("n - n//2")));
    CHECK(is_never_negative(dim("max(n - 1, 0)")));
    CHECK_FALSE(is_never_negative(dim("n - 1")));
    CHECK_FALSE(is_never_negative(dim("n - m")));
    CHECK_FALSE(is_never_negative(dim("n - n//2 - 1")));
}

TEST_CASE("equality has three answers") {
    CHECK(compare(dim("2*n"), dim("n + n")) == Equality::equal);
    CHECK(compare(dim("n"), dim("n + 1")) == Equality::different);
    CHECK(compare(dim("3"), dim("4")) == Equality::different);
    CHECK(compare(dim("n"), dim("m")) == Equality::unknown);
    CHECK(compare(dim("n"), dim("3")) == Equality::unknown);
    CHECK(compare(dim("n//2"), dim("n//2 + 1")) == Equality::different);
}

TEST_CASE("text reads back, names of any kind too") {
    for (const char* text : {"0", "-5", "n", "K/tp", "2*n + 1", "-n + 3", "(n + 127)//128", "-k.1 + 2*m*(K/tp)",
                             "`B*H` + 1", "(a/(b + c))//2", "a//(-b + 2)"}) {
        CHECK(normal(text) == text);
    }
    CHECK(Dim::symbol("odd name").text() == "`odd name`");
    CHECK(dim("`odd name`") == Dim::symbol("odd name"));
    for (const char* text : {"", "n +", "(n", "n)", "2n", "n m", "/n", "`n", "99999999999999999999", "n % 2"}) {
        CHECK_MESSAGE(!Dim::parse(text), text);
    }
}

TEST_CASE("the smallest number survives") {
    const Dim least = Dim::constant(INT64_MIN);
    CHECK(least.text() == "-9223372036854775808");
    CHECK(dim(least.text()) == least);
    CHECK(Dim::floor_quotient(least, Dim::constant(-1)) == least);  // wraps
}

TEST_CASE("values and substitution") {
    auto value_of = [](const std::string& name) -> std::optional<int64_t> {
        if (name == "n") return 300;
        if (name == "m") return 7;
        return std::nullopt;
    };
    CHECK(dim("(n + 127)//128*m").evaluate(value_of) == 21);
    CHECK(dim("n/m").evaluate(value_of) == std::nullopt);  // 7 does not divide 300
    CHECK(dim("n/3").evaluate(value_of) == 100);
    CHECK(dim("n//(m - 7)").evaluate(value_of) == std::nullopt);
    CHECK(dim("n + k").evaluate(value_of) == std::nullopt);
    auto m_is = [](const std::string& name) { return name == "m" ? std::optional(Dim::constant(128)) : std::nullopt; };
    CHECK(dim("(m*n + 5)//m").substitute(m_is).text() == "n");
    CHECK(dim("n").symbol_name() == "n");
    CHECK(!dim("2*n").symbol_name());
    CHECK(dim("b/(c + a)*b").symbols() == std::vector<std::string>{"a", "b", "c"});
}
