#include "runtime/io/json.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <unordered_set>

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

constexpr int kDeepest = 64;

// Length of the UTF-8 sequence at the front, 0 when it is none (overlong forms and surrogates are none).
size_t utf8_length(std::string_view s) {
    auto at = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    auto more = [&](size_t i) { return (at(i) & 0xC0) == 0x80; };
    unsigned first = at(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return more(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        bool low = first == 0xE0 && at(1) < 0xA0, surrogate = first == 0xED && at(1) >= 0xA0;
        return more(1) && more(2) && !low && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        bool low = first == 0xF0 && at(1) < 0x90, high = first == 0xF4 && at(1) >= 0x90;
        return more(1) && more(2) && more(3) && !low && !high ? 4 : 0;
    }
    return 0;
}

void append_utf8(std::string& out, uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out += static_cast<char>((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | code >> (6 * more));
    while (more-- > 0) out += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<Json> document() {
        Json value;
        if (!read_value(value, 0)) return error();
        skip_space();
        if (at_ != text_.size()) return error();
        return value;
    }

private:
    Refusal error() const { return Refusal{text("malformed JSON at byte %zu", at_)}; }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool word(std::string_view expected) {
        if (text_.substr(at_, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }

    bool read_value(Json& out, int depth) {
        skip_space();
        if (depth > kDeepest || at_ >= text_.size()) return false;
        switch (text_[at_]) {
            case '{':
                out.kind = Json::Kind::object;
                return read_object(out, depth);
            case '[':
                out.kind = Json::Kind::array;
                return read_array(out, depth);
            case '"':
                out.kind = Json::Kind::string;
                return read_string(out.string);
            case 'n':
                return word("null");
            case 't':
                out.kind = Json::Kind::boolean;
                out.boolean = true;
                return word("true");
            case 'f':
                out.kind = Json::Kind::boolean;
                return word("false");
            default:
                return read_number(out);
        }
    }

    bool read_object(Json& out, int depth) {
        std::unordered_set<std::string> keys;
        ++at_;
        if (take('}')) return true;
        do {
            skip_space();
            std::string key;
            if (!read_string(key) || !take(':') || !keys.insert(key).second) return false;
            Json value;
            if (!read_value(value, depth + 1)) return false;
            out.keys.push_back(std::move(key));
            out.items.push_back(std::move(value));
        } while (take(','));
        return take('}');
    }

    bool read_array(Json& out, int depth) {
        ++at_;
        if (take(']')) return true;
        do {
            Json value;
            if (!read_value(value, depth + 1)) return false;
            out.items.push_back(std::move(value));
        } while (take(','));
        return take(']');
    }

    bool read_hex(uint32_t& out) {
        out = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            if (at_ >= text_.size() || !std::isxdigit(static_cast<unsigned char>(text_[at_]))) return false;
            char c = static_cast<char>(text_[at_] | 0x20);
            out = out * 16 + static_cast<uint32_t>(c <= '9' ? (text_[at_] - '0') : (c - 'a' + 10));
        }
        return true;
    }

    bool read_unicode_escape(std::string& out) {
        uint32_t code = 0, low = 0;
        if (!read_hex(code)) return false;
        if (code >= 0xDC00 && code <= 0xDFFF) return false;
        if (code >= 0xD800 && code <= 0xDBFF) {
            if (!word("\\u") || !read_hex(low) || low < 0xDC00 || low > 0xDFFF) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        append_utf8(out, code);
        return true;
    }

    bool read_escape(std::string& out) {
        if (at_ >= text_.size()) return false;
        constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
        char c = text_[at_++];
        if (c == 'u') return read_unicode_escape(out);
        size_t which = kNames.find(c);
        if (which == kNames.npos) return false;
        out += kValues[which];
        return true;
    }

    bool read_string(std::string& out) {
        if (at_ >= text_.size() || text_[at_] != '"') return false;
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) return false;
            if (text_[at_] == '\\') {
                ++at_;
                if (!read_escape(out)) return false;
                continue;
            }
            size_t length = utf8_length(text_.substr(at_));
            if (length == 0) return false;
            out += text_.substr(at_, length);
            at_ += length;
        }
        if (at_ >= text_.size()) return false;
        ++at_;
        return true;
    }

    bool digits() {
        size_t first = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ > first;
    }

    bool read_number(Json& out) {
        size_t first = at_;
        if (at_ < text_.size() && text_[at_] == '-') ++at_;
        size_t whole = at_;
        if (!digits() || (text_[whole] == '0' && at_ > whole + 1)) return false;
        bool integer = true;
        if (at_ < text_.size() && text_[at_] == '.') {
            integer = false;
            ++at_;
            if (!digits()) return false;
        }
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            integer = false;
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            if (!digits()) return false;
        }
        std::string spelled(text_.substr(first, at_ - first));
        out.number = std::strtod(spelled.c_str(), nullptr);
        errno = 0;
        out.integer = std::strtoll(spelled.c_str(), nullptr, 10);
        out.kind = integer && errno == 0 ? Json::Kind::integer : Json::Kind::number;
        return true;
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

const Json* Json::member(std::string_view key) const {
    const auto found = std::ranges::find(keys, key);
    return found == keys.end() ? nullptr : &items[static_cast<size_t>(found - keys.begin())];
}

Result<Json> parse_json(std::string_view text) { return Parser(text).document(); }

std::string json_quoted(std::string_view text) {
    std::string result = "\"";
    for (size_t at = 0; at < text.size();) {
        auto byte = static_cast<unsigned char>(text[at]);
        size_t length = utf8_length(text.substr(at));
        if (byte == '"' || byte == '\\') {
            result += {'\\', text[at]};
        } else if (byte < 0x20) {
            result += runtime::text("\\u%04x", byte);
        } else if (length == 0) {
            result += "\\ufffd";  // what is no UTF-8 is shown as such
        } else {
            result += text.substr(at, length);
        }
        at += length > 0 ? length : 1;
    }
    return result + '"';
}

}  // namespace tsr::runtime
