#include "frontend/unicode.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "frontend/unicode_tables.h"

namespace tsr {

namespace {

bool within(std::span<const unicode::Range> ranges, char32_t c) {
    auto after = std::ranges::upper_bound(ranges, c, {}, &unicode::Range::first);
    return after != ranges.begin() && c <= std::prev(after)->last;
}

bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

DecodedChar decode_utf8(std::string_view text) {
    auto at = [&](size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
    char32_t lead = at(0);
    if (lead < 0x80) return {lead, 1};
    unsigned length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t value = lead & (0x7FU >> length);
    for (unsigned i = 1; i < length; ++i) value = (value << 6U) | (at(i) & 0x3FU);
    return {value, length};
}

std::string encode_utf8(char32_t value) {
    auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | ((value >> shift) & 0x3FU)); };
    if (value < 0x80) return {static_cast<char>(value)};
    if (value < 0x800) return {static_cast<char>(0xC0U | (value >> 6U)), tail(0)};
    if (value >= 0xD800 && value <= 0xDFFF) return {};
    if (value < 0x10000) return {static_cast<char>(0xE0U | (value >> 12U)), tail(6), tail(0)};
    if (value > 0x10FFFF) return {};
    return {static_cast<char>(0xF0U | (value >> 18U)), tail(12), tail(6), tail(0)};
}

bool is_identifier_start(char32_t c) { return c < 0x80 ? is_ascii_letter(c) : within(unicode::kStart, c); }

bool is_identifier_continue(char32_t c) {
    if (c < 0x80) return is_ascii_letter(c) || (c >= '0' && c <= '9');
    return within(unicode::kStart, c) || within(unicode::kContinueOnly, c);
}

std::string_view ascii_lookalike(char32_t c) {
    static constexpr std::pair<char32_t, std::string_view> kLookalikes[] = {
        {0x00A0, " "}, {0x00D7, "*"},  {0x00F7, "/"},  {0x2002, " "},   {0x2003, " "},  {0x2009, " "},
        {0x2010, "-"}, {0x2011, "-"},  {0x2012, "-"},  {0x2013, "-"},   {0x2014, "-"},  {0x2018, "'"},
        {0x2019, "'"}, {0x201C, "\""}, {0x201D, "\""}, {0x2026, "..."}, {0x202F, " "},  {0x2192, "->"},
        {0x2212, "-"}, {0x2215, "/"},  {0x2217, "*"},  {0x2260, "!="},  {0x2264, "<="}, {0x2265, ">="},
        {0x22C5, "*"}, {0x3000, " "},  {0xFF08, "("},  {0xFF09, ")"},   {0xFF0C, ","},  {0xFF1A, ":"},
        {0xFF1B, ";"}, {0xFF1D, "="},  {0xFF3B, "["},  {0xFF3D, "]"},   {0xFF5B, "{"},  {0xFF5D, "}"},
    };
    auto found = std::ranges::find(kLookalikes, c, &std::pair<char32_t, std::string_view>::first);
    return found == std::end(kLookalikes) ? std::string_view() : found->second;
}

}  // namespace tsr
