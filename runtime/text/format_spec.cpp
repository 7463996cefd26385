#include "runtime/text/format_spec.h"

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

constexpr int kWidest = 1 << 20;

bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of the character that starts here; broken UTF-8 counts byte by byte.
size_t character_bytes(std::string_view text) {
    auto first = static_cast<unsigned char>(text[0]);
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    return length <= text.size() ? length : 1;
}

// A number at the front of the text; -1 where it is too large.
int read_number(std::string_view& text) {
    int value = 0;
    while (!text.empty() && is_digit(text[0])) {
        if (value >= 0) value = value * 10 + (text[0] - '0');
        if (value > kWidest) value = -1;
        text.remove_prefix(1);
    }
    return value;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text[0] != c) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

int64_t characters(std::string_view text) {
    int64_t count = 0;
    for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

Result<FormatSpec> parse_format_spec(std::string_view whole) {
    FormatSpec spec;
    std::string_view rest = whole;
    auto invalid = [&] { return Refusal{"invalid format specification '" + std::string(whole) + "'"}; };
    bool fill_given = false;
    if (!rest.empty()) {
        size_t first = character_bytes(rest);
        if (rest.size() > first && is_align(rest[first])) {
            fill_given = true;
            spec.fill = rest.substr(0, first);
            spec.align = rest[first];
            rest.remove_prefix(first + 1);
        } else if (is_align(rest[0])) {
            spec.align = rest[0];
            rest.remove_prefix(1);
        }
    }
    if (!rest.empty() && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ')) {
        spec.sign = rest[0];
        rest.remove_prefix(1);
    }
    spec.alternate = take(rest, '#');
    spec.zero = take(rest, '0');
    spec.width = read_number(rest);
    if (take(rest, ',')) spec.grouping = ',';
    if (take(rest, '_')) {
        if (spec.grouping != 0) return invalid();
        spec.grouping = '_';
    }
    if (take(rest, '.')) {
        if (rest.empty() || !is_digit(rest[0])) return invalid();
        spec.precision = read_number(rest);
        if (spec.precision < 0) return invalid();
    }
    if (!rest.empty()) {
        spec.type = rest[0];
        rest.remove_prefix(1);
    }
    constexpr std::string_view kTypes = "bcdeEfFgGnosxX%";
    if (!rest.empty() || spec.width < 0 || (spec.type != 0 && kTypes.find(spec.type) == kTypes.npos)) return invalid();
    // As of Python 3.10, the 0 is the fill for any alignment.
    if (spec.zero && !fill_given) spec.fill = "0";
    return spec;
}

}  // namespace tsr::runtime
