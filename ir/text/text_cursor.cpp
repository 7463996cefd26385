#include "ir/text/text_cursor.h"

#include <charconv>

#include <fmt/format.h>

#include "ir/core/spell.h"

namespace tsr::ir {

namespace {

// "f32x16" and its kin; the whole word may be an element type.
struct Element {
    DType type;
    uint32_t width = 0;
};
std::optional<Element> element_named(std::string_view word) {
    if (auto type = dtype_named(word)) return Element{*type, 0};
    const size_t x = word.rfind('x');
    if (x == std::string_view::npos) return std::nullopt;
    auto type = dtype_named(word.substr(0, x));
    uint32_t width = 0;
    const char* end = word.data() + word.size();
    auto [stop, error] = std::from_chars(word.data() + x + 1, end, width);
    if (!type || error != std::errc() || stop != end || width == 0) return std::nullopt;
    return Element{*type, width};
}

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

void TextCursor::skip() {
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
            while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at_;
        } else {
            break;
        }
    }
}

bool TextCursor::at_end() {
    skip();
    return at_ >= text_.size();
}

char TextCursor::peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool TextCursor::take(char c) {
    if (failed() || peek() != c) return false;
    ++at_;
    return true;
}

bool TextCursor::take(std::string_view what) {
    skip();
    if (failed() || text_.substr(at_, what.size()) != what) return false;
    const size_t end = at_ + what.size();
    if (is_word(what.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
}

bool TextCursor::want(char c) { return take(c) || fail(fmt::format("'{}' is expected", c)); }

bool TextCursor::more_on_line() const {
    const size_t next = text_.find_first_not_of(" \t\r", at_);
    return next != std::string_view::npos && text_[next] != '\n';
}

bool TextCursor::at_assignment() {
    skip();
    size_t i = at_;
    while (i < text_.size() && is_word(text_[i])) ++i;
    if (i == at_) return false;
    while (i < text_.size() && text_[i] == ' ') ++i;
    return i < text_.size() && text_[i] == '=';
}

bool TextCursor::fail_at(size_t position, const std::string& what) {
    if (failed()) return false;
    size_t line = 1;
    size_t column = 1;
    for (char c : text_.substr(0, position)) {
        if (c == '\n') {
            ++line;
            column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
            ++column;  // columns count code points
        }
    }
    error_ = fmt::format("{}:{}: {}", line, column, what);
    return false;
}

std::optional<std::string> TextCursor::word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (failed() || at_ == begin) {
        fail("a name is expected");
        return std::nullopt;
    }
    return std::string(text_.substr(begin, at_ - begin));
}

std::optional<std::string> TextCursor::value_name() {
    if (!want('%')) return std::nullopt;
    const size_t begin = at_;
    while (at_ < text_.size() && is_value_char(text_[at_])) ++at_;
    if (at_ == begin) {
        fail("the name of a value is expected");
        return std::nullopt;
    }
    return std::string(text_.substr(begin, at_ - begin));
}

std::optional<std::string> TextCursor::quoted() {
    if (!want('"')) return std::nullopt;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
        char c = text_[at_++];
        if (c == '\\' && at_ < text_.size()) {
            c = text_[at_++];
            if (c == 'n') c = '\n';
            if (c == 't') c = '\t';
            if (c == 'x') {
                const int high = at_ < text_.size() ? digit_of(text_[at_]) : -1;
                const int low = at_ + 1 < text_.size() ? digit_of(text_[at_ + 1]) : -1;
                if (high < 0 || low < 0) break;
                c = static_cast<char>(high * 16 + low);
                at_ += 2;
            }
        }
        out += c;
    }
    if (at_ >= text_.size() || text_[at_] != '"') {
        fail("the text in quotes does not end");
        return std::nullopt;
    }
    ++at_;
    return out;
}

std::string_view TextCursor::literal() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_value_char(text_[at_])) ++at_;
    if (text_.substr(begin, at_ - begin) == "nan" && at_ < text_.size() && text_[at_] == '(') {
        const size_t end = text_.find(')', at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
    }
    return text_.substr(begin, at_ - begin);
}

std::optional<int64_t> TextCursor::integer() {
    const std::string_view digits = literal();
    int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed() || error != std::errc() || end != digits.data() + digits.size()) {
        fail(fmt::format("a whole number is expected, '{}' is none of 64 bits", digits));
        return std::nullopt;
    }
    return value;
}

std::optional<uint32_t> TextCursor::number() {
    skip();
    uint32_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed() || error != std::errc()) {
        fail("a number of 32 bits is expected");
        return std::nullopt;
    }
    at_ = static_cast<size_t>(end - text_.data());
    return value;
}

// Up to the comma or bracket that is not inside of it.
std::optional<Dim> TextCursor::dim() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const size_t begin = at_;
    int depth = 0;
    bool name = false;
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '`') name = !name;
        if (name) continue;
        if (c == '(') ++depth;
        if (c == ')' && --depth < 0) break;
        if (depth == 0 && (c == ',' || c == ']' || c == '}' || c == '>')) break;
        if (c == '\n') break;
    }
    const size_t end = at_;
    std::string text(text_.substr(begin, end - begin));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    std::optional<Dim> dim = failed() ? std::nullopt : Dim::parse(text);
    if (!dim) {
        at_ = begin;
        fail(fmt::format("'{}' is no dimension", text));
    }
    return dim;
}

std::optional<std::vector<Dim>> TextCursor::dims() {
    if (!want('[')) return std::nullopt;
    std::vector<Dim> all;
    if (take(']')) return all;
    do {
        std::optional<Dim> next = dim();
        if (!next) return std::nullopt;
        all.push_back(std::move(*next));
    } while (take(','));
    if (!want(']')) return std::nullopt;
    return all;
}

std::optional<std::string> TextCursor::symbol() {
    std::optional<Dim> named = dim();
    if (!named) return std::nullopt;
    std::optional<std::string> name = named->symbol_name();
    if (!name) fail("a dimension's name is expected");
    return name;
}

std::optional<Type> TextCursor::element_type(std::string_view word) {
    std::optional<Element> element = element_named(word);
    if (element) return element->width == 0 ? Type::scalar(element->type) : Type::vector(element->type, element->width);
    fail(fmt::format("'{}' is no type", word));
    return std::nullopt;
}

// What a container holds.
std::optional<Type> TextCursor::part() {
    constexpr int kDepth = 64;
    if (depth_ == kDepth) {
        fail("containers are nested too deeply");
        return std::nullopt;
    }
    ++depth_;
    std::optional<Type> held = type();
    --depth_;
    return held;
}

std::optional<Type> TextCursor::container(std::string_view kind) {
    if (kind == "list" || kind == "dict") {
        std::optional<Type> first = part();
        if (!first || kind == "list") return first ? std::optional(Type::list(*first)) : std::nullopt;
        std::optional<Type> value = part();
        return value ? std::optional(Type::dict(*first, *value)) : std::nullopt;
    }
    std::vector<std::string> names;
    std::vector<Type> parts;
    const bool record = kind == "record";
    const auto name = [&] {
        std::optional<std::string> read = word();
        if (read) names.push_back(*read);
        return read.has_value();
    };
    if ((record && !name()) || !want('(')) return std::nullopt;
    while (!take(')')) {
        if (!parts.empty() && !want(',')) return std::nullopt;
        if (record && !name()) return std::nullopt;
        std::optional<Type> held = part();
        if (!held) return std::nullopt;
        parts.push_back(std::move(*held));
    }
    return record ? Type::record(std::move(names), parts) : Type::tuple(parts);
}

std::optional<Policy> TextCursor::policy() {
    Policy policy;
    while (take('@')) {
        const std::optional<std::string> kind = word();
        if (!kind) return std::nullopt;
        if (*kind == "stochastic_round") {
            policy.round = Rounding::stochastic;
            continue;
        }
        const size_t at = at_;
        if (!want('(')) return std::nullopt;
        const std::optional<std::string> argument = word();
        if (!argument || !want(')')) return std::nullopt;
        const std::optional<DType> type = dtype_named(*argument);
        if (*kind == "accum" && type) {
            policy.accum = type;
        } else if (*kind == "compute" && *argument == "tf32") {
            policy.compute_tf32 = true;
        } else if (*kind == "compute" && type) {
            policy.compute = type;
        } else if (*kind == "round" && (*argument == "rn" || *argument == "rz")) {
            policy.round = *argument == "rz" ? Rounding::toward_zero : Rounding::nearest_even;
        } else {
            fail_at(at, "'" + *kind + "(" + *argument + ")' is no policy");
            return std::nullopt;
        }
    }
    return policy;
}

std::optional<Type> TextCursor::type() {
    std::optional<std::string> first = word();
    if (!first) return std::nullopt;
    for (const char* kind : {"list", "dict", "tuple", "record"}) {
        if (*first == kind) return container(kind);
    }
    if (*first == "none") return Type::none();
    if (*first == "string") return Type::string();
    const bool prefixed =
        *first == "mut" || *first == "shared" || *first == "lanes" || *first == "tile" || *first == "ptr";
    std::optional<std::string> second = prefixed ? word() : first;
    std::optional<Type> element = second ? element_type(*second) : std::nullopt;
    if (!element) return std::nullopt;
    if (*first == "lanes") return Type::lane_array(element->elem, element->width);
    if (*first == "ptr") {
        for (auto [text, space] :
             {std::pair{"global", Space::global}, {"shared", Space::shared}, {"stack", Space::stack}}) {
            if (take(std::string_view(text))) return Type::pointer(element->elem, space);
        }
        fail("'global', 'shared' or 'stack' is expected");
        return std::nullopt;
    }
    if (peek() != '[' && !prefixed) return element;
    std::optional<std::vector<Dim>> shape = dims();
    if (!shape) return std::nullopt;
    if (element->is_vector()) {
        fail("a tensor of vectors");
        return std::nullopt;
    }
    if (*first == "shared") return Type::buffer(element->elem, std::move(*shape));
    if (*first == "tile") return Type::tile(element->elem, std::move(*shape));
    const std::optional<Policy> held = policy();
    return held ? std::optional(Type::tensor(element->elem, std::move(*shape), *first == "mut", *held)) : std::nullopt;
}

}  // namespace tsr::ir
