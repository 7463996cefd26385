// JSON (RFC 8259), as much as file headers need: read into a tree, strings quoted for writing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"

namespace tsr::runtime {

struct Json {
    enum class Kind : uint8_t { null, boolean, integer, number, string, array, object } kind = Kind::null;
    bool boolean = false;
    int64_t integer = 0;  // numbers without fraction and exponent, within 64 bits
    double number = 0;
    std::string string;
    std::vector<Json> items;        // of an array; of an object the values
    std::vector<std::string> keys;  // of an object: unique, in the order of the text

    // NULL when there is none.
    const Json* member(std::string_view key) const;
};

// Refused with the byte where it goes wrong: bad syntax, invalid UTF-8, a key twice, nesting past 64.
Result<Json> parse_json(std::string_view text);
std::string json_quoted(std::string_view text);

}  // namespace tsr::runtime
