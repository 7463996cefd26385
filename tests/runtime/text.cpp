// Printed values: the expected texts are NumPy's and Python's own.
#include <bit>
#include <cmath>
#include <cstdlib>

#include <doctest/doctest.h>

#include "helpers.h"
#include "runtime/text/digits.h"
#include "runtime/text/format_spec.h"
#include "runtime/text/tensor_text.h"

namespace tsr::runtime::tests {

namespace {

std::string formatted(double value, const char* spec, int32_t dtype = TSR_F64) {
    Result<std::string> text = format_value(tsr_f64_to_bits(value, dtype), dtype, spec);
    return text ? *text : "error: " + text.message();
}
std::string formatted_integer(int64_t value, const char* spec) {
    Result<std::string> text = format_value(static_cast<uint64_t>(value), TSR_I64, spec);
    return text ? *text : "error: " + text.message();
}
std::string text_of(const TensorRef& t, const char* spec = "") { return *tensor_text(*t, spec); }

}  // namespace

TEST_CASE("floats print the fewest digits that give them back in their own type") {
    CHECK(float_text(0.1, TSR_F64) == "0.1");
    CHECK(float_text(0.1f, TSR_F32) == "0.1");
    CHECK(float_text(0.1f, TSR_F64) == "0.10000000149011612");
    CHECK(float_text(1e16, TSR_F64) == "1e+16");
    CHECK(float_text(1e15, TSR_F64) == "1000000000000000.0");
    CHECK(float_text(0.0001, TSR_F64) == "0.0001");
    CHECK(float_text(0.00001, TSR_F64) == "1e-05");
    CHECK(float_text(-0.0, TSR_F64) == "-0.0");
    CHECK(float_text(-INFINITY, TSR_F32) == "-inf");
    CHECK(float_text(65504, TSR_F16) == "65500.0");
    CHECK(float_text(tsr_bits_to_f64(0x3DCD, TSR_BF16), TSR_BF16) == "0.1");
    CHECK(float_text(448, TSR_FP8_E4M3) == "448.0");
    CHECK(float_text(0x1p-9, TSR_FP8_E4M3) == "0.001953125");
    Dice dice(5);
    for (int i = 0; i < 20000; ++i) {
        auto value = std::bit_cast<double>(dice.bits());
        auto single = std::bit_cast<float>(static_cast<uint32_t>(dice.bits() >> 20));
        if (std::isfinite(value)) REQUIRE(std::strtod(float_text(value, TSR_F64).c_str(), nullptr) == value);
        if (std::isfinite(single)) REQUIRE(std::strtof(float_text(double{single}, TSR_F32).c_str(), nullptr) == single);
    }
    for (unsigned code = 0; code < 0x7C00; ++code) {
        double value = tsr_bits_to_f64(code, TSR_F16);
        REQUIRE(tsr_f64_to_bits(std::strtod(float_text(value, TSR_F16).c_str(), nullptr), TSR_F16) == code);
    }
}

TEST_CASE("format specifications of floats") {
    CHECK(formatted(3.14159, ".3f") == "3.142");
    CHECK(formatted(2.5, ".0f") == "2");
    CHECK(formatted(1234567.891, ",.2f") == "1,234,567.89");
    CHECK(formatted(-3.5, "+08.2f") == "-0003.50");
    CHECK(formatted(3.5, "+08.2f") == "+0003.50");
    CHECK(formatted(1234.5, "012,.1f") == "00,001,234.5");
    CHECK(formatted(0.000123, "e") == "1.230000e-04");
    CHECK(formatted(0.256, ".1%") == "25.6%");
    CHECK(formatted(123456789, "g") == "1.23457e+08");
    CHECK(formatted(3.0, ".3") == "3.0");
    CHECK(formatted(123.0, ".3") == "1.23e+02");
    CHECK(formatted(0.0, ".1") == "0e+00");
    CHECK(formatted(INFINITY, ">8") == "     inf");
    CHECK(formatted(NAN, "F") == "NAN");
    CHECK(formatted(0.1, "", TSR_F32) == "0.1");
    CHECK(formatted(0.1, ".10f", TSR_F32) == "0.1000000015");
    CHECK(formatted(1, "d") == "error: unknown format code 'd' for a float");
    CHECK(formatted(1, ".f") == "error: invalid format specification '.f'");
    CHECK(formatted(1, "99999999999999999999") == "error: invalid format specification '99999999999999999999'");
}

TEST_CASE("format specifications of integers, bools, strings, complex numbers") {
    CHECK(formatted_integer(42, ">8") == "      42");
    CHECK(formatted_integer(42, "^8d") == "   42   ");
    CHECK(formatted_integer(-42, "*<8") == "-42*****");
    CHECK(formatted_integer(42, "08") == "00000042");
    CHECK(formatted_integer(-42, "08") == "-0000042");
    CHECK(formatted_integer(255, "#x") == "0xff");
    CHECK(formatted_integer(255, "#012_b") == "0b0_1111_1111");
    CHECK(formatted_integer(1234567, ",") == "1,234,567");
    CHECK(formatted_integer(8364, "c") == "€");
    CHECK(formatted_integer(3, ".2f") == "3.00");
    CHECK(formatted_integer(INT64_MIN, "") == "-9223372036854775808");
    CHECK(formatted_integer(3, "s") == "error: unknown format code 's' for an integer");
    CHECK(*format_value(1, TSR_BOOL, "") == "True");
    CHECK(*format_value(0, TSR_BOOL, ">7") == "      0");
    CHECK(*format_value(1, TSR_BOOL, "d") == "1");
    CHECK(*format_value(~uint64_t{0}, TSR_U64, "") == "18446744073709551615");
    CHECK(*format_value(0xFFFFFFFD, TSR_I32, "") == "-3");
    uint64_t complex = std::bit_cast<uint32_t>(1.0f) | uint64_t{std::bit_cast<uint32_t>(-2.5f)} << 32;
    CHECK(*format_value(complex, TSR_C64, "") == "(1-2.5j)");
    CHECK(*format_value(complex, TSR_C64, ".2f") == "1.00-2.50j");
    FormatSpec spec = *parse_format_spec("é^7.3");
    CHECK(*format_text("naïve", spec) == "éénaïéé");
    CHECK(!format_text("a", *parse_format_spec("d")));
}

TEST_CASE("tensors print as NumPy prints them") {
    CHECK(text_of(tensor(TSR_F32, {3}, {1, 2, 3})) == "[1. 2. 3.]");
    CHECK(text_of(tensor(TSR_F64, {3}, {0.1, 0.25, -3})) == "[ 0.1   0.25 -3.  ]");
    CHECK(text_of(tensor(TSR_F64, {2}, {1e-5, 1})) == "[1.e-05 1.e+00]");
    CHECK(text_of(tensor(TSR_F64, {3}, {1.0 / 3, 2e10, -1})) == "[ 3.33333333e-01  2.00000000e+10 -1.00000000e+00]");
    CHECK(text_of(tensor(TSR_F32, {2}, {20407952, -38879272})) == "[ 20407952. -38879272.]");
    CHECK(text_of(tensor(TSR_F32, {4}, {NAN, -INFINITY, 1.5, 0})) == "[ nan -inf  1.5  0. ]");
    CHECK(text_of(tensor(TSR_I32, {2, 3}, {1, -20, 300, 4, 5, 6})) == "[[  1 -20 300]\n [  4   5   6]]");
    CHECK(text_of(tensor(TSR_BOOL, {2}, {1, 0})) == "[ True False]");
    CHECK(text_of(counting(TSR_U8, {2, 2, 2})) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
    CHECK(text_of(counting(TSR_F32, {0, 3})) == "[]");
    CHECK(text_of(tensor(TSR_F32, {}, {0.1})) == "0.1");
    CHECK(text_of(tensor(TSR_BF16, {3}, {0.1, 2, 3.5})) == "[0.1 2.  3.5]");
    CHECK(text_of(tensor(TSR_FP4_E2M1, {3}, {-6, 0.5, 1.5})) == "[-6.   0.5  1.5]");
    CHECK(text_of(tensor(TSR_I4, {3}, {-8, 7, 0})) == "[-8  7  0]");
    CHECK(text_of(tensor(TSR_C64, {2}, {1, -2})) == "[ 1.+0.j -2.+0.j]");
}

TEST_CASE("long rows wrap at 75, more than 1000 elements are summarized") {
    CHECK(text_of(counting(TSR_I32, {30})) ==
          "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
    CHECK(text_of(counting(TSR_I32, {1001})) == "[   0    1    2 ...  998  999 1000]");
    CHECK(text_of(counting(TSR_F64, {40, 30})) ==
          "[[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 2.900e+01]\n"
          " [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]\n"
          " [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 8.900e+01]\n"
          " ...\n"
          " [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 1.139e+03]\n"
          " [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 1.169e+03]\n"
          " [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 1.199e+03]]");
    CHECK(text_of(counting(TSR_F32, {2, 2}), ".2f") == "[[0.00 1.00]\n [2.00 3.00]]");
}

TEST_CASE("strings and lists") {
    TsrString* a = tsr_string("ab", 2);
    TsrString* b = tsr_string("c\n'", 3);
    CHECK(taken(tsr_concat(a, b)) == "abc\n'");
    const TsrString* parts[] = {a, b, a};
    CHECK(taken(tsr_join(parts, 3, ", ")) == "ab, c\n', ab");
    CHECK(tsr_string_compare(a, b) < 0);
    CHECK(tsr_string_compare(b, a) > 0);
    CHECK(tsr_string_compare(a, a) == 0);
    TsrList* list = tsr_list("LS", 0);
    tsr_list_append(list, TsrSlot{.string = a});
    tsr_list_append(list, TsrSlot{.string = b});
    CHECK(a->refs == 2);
    CHECK(taken(tsr_format_list(list, nullptr)) == "['ab', \"c\\n'\"]");
    tsr_list_set(list, -1, TsrSlot{.string = a}, nullptr);
    CHECK(taken(tsr_format_list(list, nullptr)) == "['ab', 'ab']");
    tsr_list_release(list);
    CHECK(a->refs == 1);
    TsrString constant{-1, 0, 2, "xy"};
    tsr_string_release(tsr_string_retain(&constant));
    CHECK(constant.refs == -1);
    tsr_string_release(a);
    tsr_string_release(b);
    TsrList* numbers = tsr_list("Lm", 0);
    tsr_list_append(numbers, TsrSlot{.bits = std::bit_cast<uint32_t>(0.1f)});
    tsr_list_append(numbers, TsrSlot{.bits = std::bit_cast<uint32_t>(2.0f)});
    CHECK(taken(tsr_format_list(numbers, nullptr)) == "[0.1, 2.0]");
    tsr_list_release(numbers);
}

}  // namespace tsr::runtime::tests
