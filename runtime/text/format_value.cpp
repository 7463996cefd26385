// Values by a format specification, as Python formats them.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/number.h"
#include "runtime/text/digits.h"
#include "runtime/text/format_spec.h"

namespace tsr::runtime {

namespace {

// Digits with a separator every `every` from the right.
std::string grouped(std::string_view digits, char separator, size_t every) {
    std::string result;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % every == 0) result += separator;
        result += digits[i];
    }
    return result;
}

std::string repeated(std::string_view fill, int64_t count) {
    std::string result;
    for (int64_t i = 0; i < count; ++i) result += fill;
    return result;
}

// Puts fill around, or between sign and digits for '='.
std::string padded(std::string_view prefix, std::string_view body, const FormatSpec& spec, char usual_align) {
    int64_t missing = spec.width - characters(prefix) - characters(body);
    std::string whole = std::string(prefix) + std::string(body);
    if (missing <= 0) return whole;
    switch (spec.align != 0 ? spec.align : usual_align) {
        case '<':
            return whole + repeated(spec.fill, missing);
        case '^':
            return repeated(spec.fill, missing / 2) + whole + repeated(spec.fill, missing - missing / 2);
        case '=':
            return std::string(prefix) + repeated(spec.fill, missing) + std::string(body);
        default:
            return repeated(spec.fill, missing) + whole;
    }
}

char number_align(const FormatSpec& spec) { return spec.align != 0 ? spec.align : spec.zero ? '=' : '>'; }

std::string sign_text(bool negative, const FormatSpec& spec) {
    if (negative) return "-";
    return spec.sign == '+' || spec.sign == ' ' ? std::string(1, spec.sign) : "";
}

// The whole part of a number with separators; zeros that fill up to the width are separated too.
std::string grouped_number(std::string_view prefix, std::string_view number, const FormatSpec& spec, size_t every) {
    size_t whole = 0;
    while (whole < number.size() && std::isxdigit(static_cast<unsigned char>(number[whole])) &&
           !(every == 3 && std::isalpha(static_cast<unsigned char>(number[whole])))) {
        ++whole;
    }
    std::string digits(number.substr(0, whole));
    std::string_view tail = number.substr(whole);
    std::string result = grouped(digits, spec.grouping, every);
    if (spec.fill == "0" && number_align(spec) == '=') {
        int64_t room = spec.width - characters(prefix) - static_cast<int64_t>(tail.size());
        while (static_cast<int64_t>(result.size()) < room) {
            digits.insert(digits.begin(), '0');
            result = grouped(digits, spec.grouping, every);
        }
    }
    return result + std::string(tail);
}

std::string fixed(const char* format, int precision, double magnitude) {
    std::string result(static_cast<size_t>(precision) + 400, '\0');
    int length = std::snprintf(result.data(), result.size(), format, precision, magnitude);
    result.resize(static_cast<size_t>(length));
    return result;
}

// `precision` significant digits, positional when -4 <= exponent < precision; Python's add_dot_0 keeps one digit after
// the point and gives it up one digit earlier.
std::string general(double magnitude, int precision, bool alternate, bool keep_point) {
    if (precision == 0) precision = 1;
    std::array<char, 64> probe{};
    int shown = precision > 40 ? 40 : precision;
    std::snprintf(probe.data(), probe.size(), "%.*e", shown - 1, magnitude);
    std::string_view text(probe.data());
    const auto exponent = static_cast<int>(std::strtol(probe.data() + text.find('e') + 1, nullptr, 10));
    if (keep_point && exponent == precision - 1) {
        Decimal d = rounded(magnitude, precision - 1, true);
        std::array<char, 16> tail{};
        std::snprintf(tail.data(), tail.size(), "e%+03d", exponent);
        std::string fraction = d.digits.substr(1);
        if (alternate) fraction.resize(static_cast<size_t>(precision) - 1, '0');
        return d.digits.substr(0, 1) + (alternate || !fraction.empty() ? "." + fraction : "") + tail.data();
    }
    std::string result = fixed(alternate ? "%#.*g" : "%.*g", precision, magnitude);
    if (keep_point && result.find_first_of(".e") == result.npos) result += ".0";
    return result;
}

std::string float_body(double magnitude, int32_t dtype, const FormatSpec& spec) {
    int precision = spec.precision < 0 ? 6 : spec.precision;
    bool alternate = spec.alternate;
    switch (spec.type) {
        case 'f':
        case 'F':
            return fixed(alternate ? "%#.*f" : "%.*f", precision, magnitude);
        case 'e':
            return fixed(alternate ? "%#.*e" : "%.*e", precision, magnitude);
        case 'E':
            return fixed(alternate ? "%#.*E" : "%.*E", precision, magnitude);
        case '%':
            return fixed(alternate ? "%#.*f" : "%.*f", precision, magnitude * 100) + "%";
        case 'g':
        case 'n':
            return general(magnitude, precision, alternate, false);
        case 'G': {
            std::string text = general(magnitude, precision, alternate, false);
            for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            return text;
        }
        default:
            break;
    }
    if (spec.precision < 0) {
        std::string text = float_text(magnitude, dtype);
        size_t exponent = text.find('e');
        if (alternate && exponent != text.npos && text.find('.') == text.npos) text.insert(exponent, ".");
        return text;
    }
    return general(magnitude, precision, alternate, true);
}

Refusal wrong_type(char type, const char* what) { return Refusal{text("unknown format code '%c' for %s", type, what)}; }

}  // namespace

Result<std::string> format_integer(Integer value, const FormatSpec& spec) {
    if (std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos && spec.type != 0) {
        double magnitude = static_cast<double>(value.magnitude);
        return format_float(value.negative ? -magnitude : magnitude, TSR_F64, spec);
    }
    if (spec.precision >= 0) return Refusal{"a precision is not possible for an integer"};
    if (spec.type == 's') return wrong_type('s', "an integer");
    if (spec.type == 'c') {
        if (spec.sign != 0 || spec.alternate || spec.grouping != 0) {
            return Refusal{"a sign, '#', ',' and '_' are not possible with format code 'c'"};
        }
        if (value.negative || value.magnitude > 0x10FFFF)
            return Refusal{"format code 'c' needs a number below 0x110000"};
        auto code = static_cast<uint32_t>(value.magnitude);
        std::string utf8;
        if (code < 0x80) {
            utf8 += static_cast<char>(code);
        } else {
            int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
            utf8 += static_cast<char>((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | code >> (6 * more));
            while (more-- > 0) utf8 += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
        }
        return padded("", utf8, spec, number_align(spec));
    }
    int base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
    std::array<char, 72> buffer{};
    auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.magnitude, base).ptr;
    std::string digits(buffer.data(), end);
    std::string prefix = sign_text(value.negative, spec);
    if (spec.alternate && base != 10) prefix += base == 2 ? "0b" : base == 8 ? "0o" : "0x";
    if (spec.type == 'X') {
        for (std::string* part : {&digits, &prefix}) {
            for (char& c : *part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    if (spec.grouping == ',' && base != 10) return wrong_type(',', "a number that is not decimal");
    if (spec.grouping != 0) digits = grouped_number(prefix, digits, spec, base == 10 ? 3 : 4);
    return padded(prefix, digits, spec, number_align(spec));
}

Result<std::string> format_float(double value, int32_t dtype, const FormatSpec& spec) {
    if (spec.type != 0 && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos) {
        return wrong_type(spec.type, "a float");
    }
    bool upper = spec.type == 'F' || spec.type == 'E' || spec.type == 'G';
    std::string prefix = sign_text(std::signbit(value) && !std::isnan(value), spec);
    std::string body;
    if (!std::isfinite(value)) {
        body = std::isnan(value) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf";
        if (spec.type == '%') body += '%';
    } else {
        body = float_body(std::fabs(value), dtype, spec);
        if (spec.grouping != 0) body = grouped_number(prefix, body, spec, 3);
    }
    return padded(prefix, body, spec, number_align(spec));
}

Result<std::string> format_text(std::string_view value, const FormatSpec& spec) {
    if (spec.type != 0 && spec.type != 's') return wrong_type(spec.type, "a string");
    if (spec.sign != 0) return Refusal{"a sign is not possible for a string"};
    if (spec.alternate || spec.grouping != 0) return Refusal{"'#', ',' and '_' are not possible for a string"};
    if (spec.align == '=') return Refusal{"the alignment '=' is not possible for a string"};
    if (spec.precision >= 0) {
        size_t bytes = 0;
        for (int kept = 0; bytes < value.size(); ++bytes) {
            bool starts = (static_cast<unsigned char>(value[bytes]) & 0xC0) != 0x80;
            if (starts && kept++ == spec.precision) break;
        }
        value = value.substr(0, bytes);
    }
    return padded("", value, spec, '<');
}

Result<std::string> format_value(uint64_t bits, int32_t dtype, std::string_view spec_text) {
    Result<FormatSpec> spec = parse_format_spec(spec_text);
    if (!spec) return spec.refusal();
    // With a format it is the integer that it is in Python.
    if (dtype == TSR_BOOL && spec_text.empty()) return std::string((bits & 0xFF) != 0 ? "True" : "False");
    Number number = number_of(bits, dtype);
    if (dtype == TSR_C64) {
        FormatSpec part = *spec, whole = *spec;
        part.width = 0;
        Result<std::string> real = format_float(number.floating, TSR_F32, part);
        part.sign = '+';
        Result<std::string> imaginary = format_float(double{number.imaginary}, TSR_F32, part);
        if (!real) return real;
        if (!imaginary) return imaginary;
        if (spec->type == 0 && spec->precision < 0) {
            for (std::string* text : {&*real, &*imaginary}) {
                if (text->ends_with(".0")) text->resize(text->size() - 2);
            }
        }
        whole.type = 0, whole.precision = -1, whole.sign = 0, whole.alternate = false, whole.grouping = 0;
        std::string inner = *real + *imaginary + "j";
        return format_text(spec->type == 0 ? "(" + inner + ")" : inner, whole);
    }
    switch (number.kind) {
        case Number::Kind::floating:
            return format_float(number.floating, dtype, *spec);
        case Number::Kind::unsigned_integer:
            return format_integer({false, number.unsigned_integer}, *spec);
        case Number::Kind::integer:
            break;
    }
    bool negative = number.integer < 0;
    auto magnitude = static_cast<uint64_t>(number.integer);
    return format_integer({negative, negative ? 0 - magnitude : magnitude}, *spec);
}

}  // namespace tsr::runtime
