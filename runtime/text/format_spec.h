// Python's format specifications: [[fill]align][sign][#][0][width][grouping][.precision][type]
// (Python library reference, "Format Specification Mini-Language").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace tsr::runtime {

struct FormatSpec {
    std::string fill = " ";  // one character, of one or more bytes
    char align = 0;          // < > ^ = or not given
    char sign = 0;           // + - space or not given
    bool alternate = false;
    bool zero = false;
    int width = 0;
    char grouping = 0;   // ',' or '_'
    int precision = -1;  // not given
    char type = 0;
};

Result<FormatSpec> parse_format_spec(std::string_view text);

// Values by a spec; a type letter that does not fit the value is refused.
struct Integer {
    bool negative;
    uint64_t magnitude;
};
Result<std::string> format_integer(Integer value, const FormatSpec& spec);
Result<std::string> format_float(double value, int32_t dtype, const FormatSpec& spec);
Result<std::string> format_text(std::string_view value, const FormatSpec& spec);
// Any scalar.
Result<std::string> format_value(uint64_t bits, int32_t dtype, std::string_view spec);

// Code points of UTF-8 text: what width counts.
int64_t characters(std::string_view text);

}  // namespace tsr::runtime
