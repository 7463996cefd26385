#include "frontend/literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "frontend/unicode.h"

namespace tsr {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// An underscore stands between two digits.
bool well_grouped(std::string_view digits) {
    for (size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '_') continue;
        bool between = i > 0 && i + 1 < digits.size() && is_hex(digits[i - 1]) && is_hex(digits[i + 1]);
        if (!between) return false;
    }
    return true;
}

std::string without_underscores(std::string_view text) {
    std::string out(text);
    std::erase(out, '_');
    return out;
}

std::variant<ast::IntLiteral, ast::FloatLiteral, BadNumber> integer(std::string_view digits, int base,
                                                                    uint64_t factor) {
    auto plain = without_underscores(digits);
    ast::IntLiteral out;
    auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), out.value, base);
    if (error == std::errc::invalid_argument || (end != plain.data() + plain.size() && error == std::errc())) {
        return BadNumber{"this is not a number"};
    }
    out.overflow = error == std::errc::result_out_of_range || __builtin_mul_overflow(out.value, factor, &out.value);
    if (out.overflow) out.value = 0;
    return out;
}

struct Suffix {
    std::string_view text;
    uint64_t factor;
};
constexpr Suffix kSuffixes[] = {{"_KiB", 1ULL << 10U}, {"_MiB", 1ULL << 20U}, {"_GiB", 1ULL << 30U}};

BadNumber bad_tail(std::string_view text, std::string_view tail) {
    if (tail == "j" || tail == "J") return {"there are no imaginary literals"};
    if (std::ranges::any_of(kSuffixes, [&](const Suffix& suffix) { return tail == suffix.text; })) {
        return {fmt::format("a size is a whole number of `{}`", tail.substr(1))};
    }
    if (tail.starts_with('_') && tail.size() > 1 && tail.ends_with('B')) {
        return {fmt::format("the size suffixes are `_KiB`, `_MiB` and `_GiB`, not `{}`", tail)};
    }
    if (tail.front() == '_') return {"an underscore in a number stands between two digits"};
    return {fmt::format("the number `{}` runs into `{}`", text.substr(0, text.size() - tail.size()), tail)};
}

// The part of `text` from `at` on that is digits and underscores between them.
size_t digits_end(std::string_view text, size_t at) {
    while (at < text.size() &&
           (is_digit(text[at]) || (text[at] == '_' && at + 1 < text.size() && is_digit(text[at + 1])))) {
        ++at;
    }
    return at;
}

std::variant<ast::IntLiteral, ast::FloatLiteral, BadNumber> decimal(std::string_view text) {
    size_t end = digits_end(text, 0);
    auto whole = text.substr(0, end);
    bool is_float = false;
    if (end < text.size() && text[end] == '.') {
        is_float = true;
        end = digits_end(text, end + 1);
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        size_t digits = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? end + 2 : end + 1;
        if (digits >= text.size() || !is_digit(text[digits]))
            return BadNumber{"the exponent of this number is missing"};
        is_float = true;
        end = digits_end(text, digits);
    }
    auto tail = text.substr(end);
    auto written = text.substr(0, end);
    if (!well_grouped(written)) return BadNumber{"an underscore in a number stands between two digits"};
    if (is_float) {
        if (!tail.empty()) return bad_tail(text, tail);
        return ast::FloatLiteral{std::strtod(without_underscores(written).c_str(), nullptr)};
    }
    uint64_t factor = 1;
    for (const Suffix& suffix : kSuffixes) {
        if (tail != suffix.text) continue;
        factor = suffix.factor;
        tail = {};
    }
    if (!tail.empty()) return bad_tail(text, tail);
    bool leading_zero = whole.size() > 1 && whole[0] == '0' && whole.find_first_not_of("0_") != std::string_view::npos;
    if (leading_zero) return BadNumber{"a decimal number has no leading zeros; octal is written `0o17`"};
    return integer(written, 10, factor);
}

class Unescaper {
public:
    Unescaper(std::string_view text, bool raw, bool braces) : text_(text), raw_(raw), braces_(braces) {}

    Unescaped run() {
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '\r' && next() == '\n') {
                ++at_;
            } else if (c == '\\' && !raw_) {
                escape();
            } else {
                out_.value += c;
                at_ += braces_ && (c == '{' || c == '}') && next() == c ? 2 : 1;
            }
        }
        return std::move(out_);
    }

private:
    [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
    void escape();
    void coded(size_t digits);
    void octal();
    void bad(size_t length, std::string message) {
        length = std::min(length, text_.size() - at_);
        out_.bad.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length), std::move(message)});
        out_.value += text_.substr(at_, length);
        at_ += length;
    }

    std::string_view text_;
    bool raw_;
    bool braces_;
    size_t at_ = 0;
    Unescaped out_;
};

void Unescaper::escape() {
    static constexpr std::string_view kNames = "\\'\"abfnrtv";
    static constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
    char c = next();
    if (auto simple = kNames.find(c); c != '\0' && simple != std::string_view::npos) {
        out_.value += kValues[simple];
        at_ += 2;
    } else if (c == '\n') {
        at_ += 2;  // a joined line
    } else if (c == '\r') {
        at_ += 3;
    } else if (c == 'x') {
        coded(2);
    } else if (c == 'u') {
        coded(4);
    } else if (c == 'U') {
        coded(8);
    } else if (c >= '0' && c <= '7') {
        octal();
    } else {
        size_t length = at_ + 1 < text_.size() ? 1 + decode_utf8(text_.substr(at_ + 1)).length : 1;
        bad(length,
            fmt::format("there is no escape `{}`; a backslash itself is written `\\\\`", text_.substr(at_, length)));
    }
}

void Unescaper::coded(size_t digits) {
    auto code = text_.substr(at_ + 2, digits);
    auto end = static_cast<size_t>(std::ranges::find_if_not(code, is_hex) - code.begin());
    if (end != digits) {
        bad(2 + end, fmt::format("`\\{}` takes {} hexadecimal digits", next(), digits));
        return;
    }
    uint32_t value = 0;
    std::from_chars(code.data(), code.data() + digits, value, 16);
    auto encoded = encode_utf8(value);
    if (encoded.empty()) {
        bad(2 + digits, "this is no Unicode character");
        return;
    }
    out_.value += encoded;
    at_ += 2 + digits;
}

void Unescaper::octal() {
    uint32_t value = 0;
    size_t end = at_ + 1;
    for (; end < text_.size() && end < at_ + 4 && text_[end] >= '0' && text_[end] <= '7'; ++end) {
        value = value * 8 + static_cast<uint32_t>(text_[end] - '0');
    }
    out_.value += encode_utf8(value);
    at_ = end;
}

}  // namespace

std::variant<ast::IntLiteral, ast::FloatLiteral, BadNumber> read_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '0' && !is_digit(text[1]) && text[1] != '.' && text[1] != '_') {
        char kind = static_cast<char>(text[1] | 0x20);
        int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
        if (base != 0) {
            auto digits = text.substr(2);
            if (digits.empty()) return BadNumber{"the digits of this number are missing"};
            if (digits.front() == '_') digits.remove_prefix(1);
            bool fits = std::ranges::all_of(digits, [&](char c) { return is_hex(c) || c == '_'; });
            if (!fits || !well_grouped(digits)) return BadNumber{fmt::format("this is no number of base {}", base)};
            auto value = integer(digits, base, 1);
            if (std::holds_alternative<BadNumber>(value))
                return BadNumber{fmt::format("this is no number of base {}", base)};
            return value;
        }
    }
    return decimal(text);
}

Unescaped unescape(std::string_view text, bool raw, bool doubled_braces) {
    return Unescaper(text, raw, doubled_braces).run();
}

}  // namespace tsr
