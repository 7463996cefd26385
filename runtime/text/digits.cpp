#include "runtime/text/digits.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "runtime/numbers/float_format.h"

namespace tsr::runtime {

namespace {

// "-d.ddde+xx" to digits and point.
Decimal from_scientific(const char* begin, const char* end) {
    Decimal result;
    const char* p = begin;
    if (p < end && *p == '-') {
        result.negative = true;
        ++p;
    }
    for (; p < end && *p != 'e'; ++p) {
        if (*p != '.') result.digits += *p;
    }
    const int exponent = p < end ? static_cast<int>(std::strtol(p + 1, nullptr, 10)) : 0;
    while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
    result.point = result.digits == "0" ? 1 : exponent + 1;
    return result;
}

// Tries more and more digits. Halves and bfloats need 5 at most.
Decimal shortest_by_search(double value, const FloatFormat& format) {
    uint64_t code = encode(format, value);
    std::array<char, 48> buffer{};
    for (int places = 0;; ++places) {
        int length = std::snprintf(buffer.data(), buffer.size(), "%.*e", places, value);
        if (encode(format, std::strtod(buffer.data(), nullptr)) == code || places == 17) {
            return from_scientific(buffer.data(), buffer.data() + length);
        }
    }
}

}  // namespace

Decimal shortest(double value, int32_t dtype) {
    if (dtype == TSR_F16 || dtype == TSR_BF16) return shortest_by_search(value, float_format(dtype));
    std::array<char, 48> buffer{};
    char* end = buffer.data() + buffer.size();
    std::to_chars_result written =
        dtype == TSR_F64 ? std::to_chars(buffer.data(), end, value, std::chars_format::scientific)
                         : std::to_chars(buffer.data(), end, static_cast<float>(value), std::chars_format::scientific);
    return from_scientific(buffer.data(), written.ptr);
}

Decimal rounded(double value, int places, bool scientific) {
    std::array<char, 512> buffer{};
    if (scientific) {
        int length = std::snprintf(buffer.data(), buffer.size(), "%.*e", places, value);
        return from_scientific(buffer.data(), buffer.data() + length);
    }
    int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", places, value);
    Decimal result;
    result.negative = std::signbit(value);
    result.point = 0;
    bool whole = true;
    for (int i = result.negative ? 1 : 0; i < length; ++i) {
        char c = buffer[static_cast<size_t>(i)];
        if (c == '.') {
            whole = false;
            continue;
        }
        bool leading = result.digits.empty() && c == '0';
        if (!leading) result.digits += c;
        if (whole && !leading) ++result.point;
        if (!whole && leading) --result.point;
    }
    while (!result.digits.empty() && result.digits.back() == '0') result.digits.pop_back();
    if (result.digits.empty()) {
        result.digits = "0";
        result.point = 1;
    }
    return result;
}

std::string float_text(double value, int32_t dtype) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    Decimal d = shortest(value, dtype);
    std::string sign = d.negative ? "-" : "";
    auto count = static_cast<int>(d.digits.size());
    // Python's repr: positional from 1e-4 up to below 1e16.
    if (d.point > 16 || d.point < -3) {
        std::array<char, 16> exponent{};
        std::snprintf(exponent.data(), exponent.size(), "e%+03d", d.point - 1);
        return sign + d.digits.substr(0, 1) + (count > 1 ? "." + d.digits.substr(1) : "") + exponent.data();
    }
    if (d.point <= 0) return sign + "0." + std::string(static_cast<size_t>(-d.point), '0') + d.digits;
    if (count <= d.point) return sign + d.digits + std::string(static_cast<size_t>(d.point - count), '0') + ".0";
    return sign + d.digits.substr(0, static_cast<size_t>(d.point)) + "." +
           d.digits.substr(static_cast<size_t>(d.point));
}

}  // namespace tsr::runtime
