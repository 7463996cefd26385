#include "frontend/parse_text.h"

namespace tsr {

namespace {

// Length of the well-formed sequence at the head of `rest`, 0 if there is none (Unicode 15, table 3-7).
size_t sequence_length(std::string_view rest) {
    auto at = [&](size_t i) { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U; };
    auto continues = [&](size_t i) { return (at(i) & 0xC0U) == 0x80U; };
    unsigned lead = at(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    if (lead < 0xE0) return continues(1) ? 2 : 0;
    unsigned second = at(1);
    if (lead < 0xF0) {
        bool overlong = lead == 0xE0 && second < 0xA0;
        bool surrogate = lead == 0xED && second > 0x9F;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead > 0xF4 || (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        size_t length = sequence_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

}  // namespace tsr
