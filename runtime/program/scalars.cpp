#include "runtime/program/scalars.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"

namespace tsr::runtime {

namespace {

Refusal expected(const char* what, const std::string& word) {
    return Refusal{text("expected %s, found '%s'", what, word.c_str())};
}

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

Result<uint64_t> parse_integer(const std::string& word, int32_t dtype) {
    std::string_view digits = word;
    bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.remove_prefix(1);
    unsigned base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
        char letter = static_cast<char>(digits[1] | 0x20);
        base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
        if (base != 10) digits.remove_prefix(2);
    }
    uint64_t magnitude = 0;
    bool overflow = false, digit_before = false;
    for (char c : digits) {
        if (c == '_' && digit_before) {
            digit_before = false;
            continue;
        }
        auto value = static_cast<unsigned>(digit_value(c));
        if (value >= base) return expected("an integer", word);
        overflow |=
            __builtin_mul_overflow(magnitude, base, &magnitude) | __builtin_add_overflow(magnitude, value, &magnitude);
        digit_before = true;
    }
    if (!digit_before) return expected("an integer", word);
    int width = bits(dtype);
    bool is_signed = family(dtype) == Family::signed_integer;
    uint64_t most = is_signed ? (uint64_t{1} << (width - 1)) - (negative ? 0 : 1) : ~uint64_t{0} >> (64 - width);
    if (overflow || magnitude > most || (negative && !is_signed && magnitude > 0)) {
        return Refusal{text("%s is outside the range of %s", word.c_str(), std::string(name(dtype)).c_str())};
    }
    auto value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
    return bits_of(is_signed ? Number::of(value) : Number::of_unsigned(magnitude), dtype);
}

// The number at the front of `text`; empty when there is none. `rest` is what follows.
bool read_float(const char* text, bool single, double& value, const char*& rest) {
    char* end = nullptr;
    bool starts = *text != 0 && std::string_view(" \t\n").find(*text) == std::string_view::npos;
    value = single ? double{std::strtof(text, &end)} : std::strtod(text, &end);
    rest = end;
    return starts && end != text;
}

Result<uint64_t> parse_complex(const std::string& word) {
    double first = 0, second = 0;
    const char* rest = nullptr;
    if (!read_float(word.c_str(), true, first, rest)) return expected("a complex number", word);
    auto bits = [](double value) { return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(value))}; };
    if (*rest == 0) return bits(first);
    if (std::string_view(rest) == "j") return bits(first) << 32;
    if ((*rest != '+' && *rest != '-') || !read_float(rest, true, second, rest) || std::string_view(rest) != "j") {
        return expected("a complex number like 1+2j", word);
    }
    return bits(first) | bits(second) << 32;
}

}  // namespace

Result<uint64_t> parse_scalar(const std::string& word, int32_t dtype) {
    switch (family(dtype)) {
        case Family::boolean:
            if (word == "true" || word == "True" || word == "1") return uint64_t{1};
            if (word == "false" || word == "False" || word == "0") return uint64_t{0};
            return expected("true or false", word);
        case Family::signed_integer:
        case Family::unsigned_integer:
            return parse_integer(word, dtype);
        case Family::complex:
            return parse_complex(word);
        case Family::floating:
        case Family::scale:
            break;
    }
    double value = 0;
    const char* rest = nullptr;
    if (!read_float(word.c_str(), dtype == TSR_F32, value, rest) || *rest != 0) return expected("a number", word);
    const uint64_t bits = bits_of(Number::of(value), dtype);
    // What is written as a number is one: only `inf` gives an infinity.
    const bool written_infinite = word.find_first_of("nN") != std::string::npos;
    // Arithmetic saturates the narrow types; a number that somebody wrote is not changed in silence.
    const double largest = to_f64(number_of(bits_of(Number::of(std::numeric_limits<double>::max()), dtype), dtype));
    const bool beyond = std::isinf(to_f64(number_of(bits, dtype))) || std::fabs(value) > largest;
    const bool negative_scale = family(dtype) == Family::scale && value <= 0;
    if ((beyond || negative_scale) && !written_infinite) {
        return Refusal{text("%s is outside the range of %s", word.c_str(), std::string(name(dtype)).c_str())};
    }
    return bits;
}

}  // namespace tsr::runtime
