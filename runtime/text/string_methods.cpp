// Python's methods of strings. Positions count code points.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/fail.h"
#include "runtime/text/quoted.h"
#include "runtime/text/string.h"

namespace tsr::runtime {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

// Where each code point begins, and the end.
std::vector<size_t> character_starts(std::string_view text) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < text.size(); ++i) {
        if (starts_character(text[i])) starts.push_back(i);
    }
    starts.push_back(text.size());
    return starts;
}

int64_t characters_before(std::string_view text, size_t byte) {
    return std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), starts_character);
}

enum class Side : uint8_t { both, left, right };

// Without what of `set` stands at its ends; of white space where the set is empty.
std::string_view stripped(std::string_view text, std::string_view set, Side side) {
    const auto dropped = [&](std::string_view character) {
        return set.empty() ? is_space(character[0]) : set.find(character) != set.npos;
    };
    while (side != Side::right && !text.empty()) {
        size_t length = 1;
        while (length < text.size() && !starts_character(text[length])) ++length;
        if (!dropped(text.substr(0, length))) break;
        text.remove_prefix(length);
    }
    while (side != Side::left && !text.empty()) {
        size_t begin = text.size() - 1;
        while (begin > 0 && !starts_character(text[begin])) --begin;
        if (!dropped(text.substr(begin))) break;
        text.remove_suffix(text.size() - begin);
    }
    return text;
}

void append_string(TsrList* list, std::string_view text) {
    TsrSlot item{};
    item.string = make_string(text);
    tsr_list_append(list, item);
    tsr_string_release(item.string);
}

template <typename Change>
TsrString* changed(const TsrString* string, Change change) {
    std::string text(view(string));
    for (char& c : text) c = change(c);
    return make_string(text);
}

// Python's numbers allow white space around and single `_` between digits. Nothing where `_` stands elsewhere.
bool plain_number(std::string_view written, std::string& plain) {
    written = stripped(written, {}, Side::both);
    for (size_t i = 0; i < written.size(); ++i) {
        const auto digit = [&](size_t at) {
            return at < written.size() && std::isdigit(static_cast<unsigned char>(written[at])) != 0;
        };
        if (written[i] != '_') {
            plain += written[i];
        } else if (i == 0 || !digit(i - 1) || !digit(i + 1)) {
            return false;
        }
    }
    return !plain.empty();
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrString* tsr_string_get(const TsrString* text, int64_t index, const TsrPlace* place) {
    const std::vector<size_t> starts = character_starts(view(text));
    const auto length = static_cast<int64_t>(starts.size()) - 1;
    const int64_t at = index < 0 ? index + length : index;
    if (at < 0 || at >= length) {
        fail(place, "index %lld is outside a string of %lld characters", static_cast<long long>(index),
             static_cast<long long>(length));
    }
    const auto i = static_cast<size_t>(at);
    return make_string(view(text).substr(starts[i], starts[i + 1] - starts[i]));
}

TsrString* tsr_string_slice(const TsrString* text, const TsrIndexItem* items, int32_t count, const TsrPlace* place) {
    const std::vector<size_t> starts = character_starts(view(text));
    TsrList* all = tsr_list("Lf", static_cast<int64_t>(starts.size()) - 1);  // positions, as i64
    for (size_t i = 0; i + 1 < starts.size(); ++i) tsr_list_append(all, TsrSlot{.bits = i});
    TsrList* chosen = tsr_list_slice(all, items, count, place);
    std::string part;
    for (int64_t k = 0; k < chosen->length; ++k) {
        const uint64_t i = chosen->items[k].bits;
        part += view(text).substr(starts[i], starts[i + 1] - starts[i]);
    }
    tsr_list_release(chosen);
    tsr_list_release(all);
    return make_string(part);
}

TsrString* tsr_string_repeat(const TsrString* text, int64_t times, const TsrPlace* place) {
    int64_t bytes = 0;
    if (times > 0 && __builtin_mul_overflow(text->length, times, &bytes)) {
        fail(place, "a string of %lld times %lld bytes is too long", static_cast<long long>(times),
             static_cast<long long>(text->length));
    }
    TsrString* all = new_string(bytes, place);
    // The text once, then what is there already, twice as much each time.
    const int64_t once = std::min(bytes, text->length);
    std::copy_n(text->text, once, bytes_of(all));
    for (int64_t done = once; done < bytes; done *= 2)
        std::copy_n(all->text, std::min(done, bytes - done), bytes_of(all) + done);
    return all;
}

TsrString* tsr_string_upper(const TsrString* text) {
    return changed(text, [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
}

TsrString* tsr_string_lower(const TsrString* text) {
    return changed(text, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

TsrString* tsr_string_strip(const TsrString* text, const TsrString* set) {
    return make_string(stripped(view(text), view(set), Side::both));
}
TsrString* tsr_string_lstrip(const TsrString* text, const TsrString* set) {
    return make_string(stripped(view(text), view(set), Side::left));
}
TsrString* tsr_string_rstrip(const TsrString* text, const TsrString* set) {
    return make_string(stripped(view(text), view(set), Side::right));
}

TsrString* tsr_string_replace(const TsrString* text, const TsrString* from, const TsrString* to) {
    const std::string_view all = view(text);
    std::string result;
    if (from->length == 0) {  // before every character, and at the end
        for (const char c : all) {
            if (starts_character(c)) result += view(to);
            result += c;
        }
        return make_string(result += view(to));
    }
    size_t at = 0;
    for (size_t hit = all.find(view(from)); hit != all.npos; hit = all.find(view(from), at)) {
        result.append(all, at, hit - at).append(view(to));
        at = hit + view(from).size();
    }
    return make_string(result.append(all, at));
}

TsrString* tsr_string_join(const TsrString* separator, const TsrList* strings) {
    std::string result;
    for (int64_t i = 0; i < strings->length; ++i) {
        if (i > 0) result += view(separator);
        result += view(strings->items[i].string);
    }
    return make_string(result);
}

TsrList* tsr_string_split(const TsrString* text, const TsrString* separator) {
    TsrList* parts = tsr_list("LS", 0);
    const std::string_view all = view(text);
    if (separator->length > 0) {
        size_t at = 0;
        for (size_t hit = all.find(view(separator)); hit != all.npos; hit = all.find(view(separator), at)) {
            append_string(parts, all.substr(at, hit - at));
            at = hit + view(separator).size();
        }
        append_string(parts, all.substr(at));
        return parts;
    }
    for (size_t at = 0; at < all.size();) {
        size_t end = at;
        while (end < all.size() && !is_space(all[end])) ++end;
        if (end > at) append_string(parts, all.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

TsrList* tsr_string_lines(const TsrString* text) {
    TsrList* lines = tsr_list("LS", 0);
    const std::string_view all = view(text);
    for (size_t at = 0; at < all.size();) {
        const size_t end = std::min(all.find_first_of("\r\n", at), all.size());
        append_string(lines, all.substr(at, end - at));
        at = end + (all.substr(end).starts_with("\r\n") ? 2 : 1);
    }
    return lines;
}

TsrList* tsr_string_characters(const TsrString* text) {
    const std::vector<size_t> starts = character_starts(view(text));
    TsrList* characters = tsr_list("LS", static_cast<int64_t>(starts.size()) - 1);
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        append_string(characters, view(text).substr(starts[i], starts[i + 1] - starts[i]));
    }
    return characters;
}

int64_t tsr_string_find(const TsrString* text, const TsrString* part) {
    const size_t at = view(text).find(view(part));
    return at == std::string_view::npos ? -1 : characters_before(view(text), at);
}

int64_t tsr_string_count(const TsrString* text, const TsrString* part) {
    if (part->length == 0) return tsr_string_length(text) + 1;
    int64_t count = 0;
    const std::string_view all = view(text);
    for (size_t at = all.find(view(part)); at != all.npos; at = all.find(view(part), at + view(part).size())) ++count;
    return count;
}

int32_t tsr_string_starts(const TsrString* text, const TsrString* part) {
    return view(text).starts_with(view(part)) ? 1 : 0;
}
int32_t tsr_string_ends(const TsrString* text, const TsrString* part) {
    return view(text).ends_with(view(part)) ? 1 : 0;
}
int32_t tsr_string_has(const TsrString* text, const TsrString* part) {
    return view(text).find(view(part)) != std::string_view::npos ? 1 : 0;
}
int32_t tsr_string_is_digits(const TsrString* text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return text->length > 0 && std::all_of(view(text).begin(), view(text).end(), digit) ? 1 : 0;
}

int64_t tsr_string_to_integer(const TsrString* text, const TsrPlace* place) {
    std::string plain;
    int64_t value = 0;
    const bool readable = plain_number(view(text), plain);
    const char* begin = plain.c_str() + (plain[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, plain.c_str() + plain.size(), value);
    if (!readable || end != plain.c_str() + plain.size() || (plain[0] == '+' && plain[1] == '-')) {
        fail(place, "%s is not an integer", quoted(view(text)).c_str());
    }
    if (error == std::errc::result_out_of_range) fail(place, "%s does not fit in i64", quoted(view(text)).c_str());
    return value;
}

TsrString* tsr_string_of_code(int64_t code, const TsrPlace* place) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;  // UTF-8 has no form for them
    if (code < 0 || code > 0x10FFFF || surrogate) {
        fail(place, "%lld is the number of no character", static_cast<long long>(code));
    }
    // The first byte says how many follow; each of those holds six bits.
    const int following = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr int kFirst[] = {0, 0xC0, 0xE0, 0xF0};
    std::string bytes(1, static_cast<char>(kFirst[following] | (code >> (6 * following))));
    for (int left = following; left-- > 0;) bytes += static_cast<char>(0x80 | ((code >> (6 * left)) & 0x3F));
    return make_string(bytes);
}

int64_t tsr_code_of_string(const TsrString* text, const TsrPlace* place) {
    if (tsr_string_length(text) != 1)
        fail(place, "a string of one character is wanted, this is %s", quoted(view(text)).c_str());
    const std::string_view bytes = view(text);
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (bytes.size() == 1) return first;
    int64_t code = first & (0x7F >> bytes.size());
    for (size_t i = 1; i < bytes.size(); ++i) code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3F);
    return code;
}

double tsr_string_to_real(const TsrString* text, const TsrPlace* place) {
    std::string plain;
    const bool readable = plain_number(view(text), plain);
    char* end = nullptr;
    const double value = std::strtod(plain.c_str(), &end);  // from_chars knows no `+`
    const bool hexadecimal = plain.find_first_of("xX(") != plain.npos;
    if (!readable || *end != 0 || hexadecimal) fail(place, "%s is not a number", quoted(view(text)).c_str());
    return value;
}
}
