// Dimensions as text, and back.
#include <cctype>
#include <charconv>

#include "ir/core/dim.h"

namespace tsr::ir {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

std::string symbol_text(const std::string& name) {
    bool plain = !name.empty() && starts_name(name[0]);
    for (char c : name) plain = plain && continues_name(c);
    return plain ? name : "`" + name + "`";
}

std::string part_of_quotient(const Dim& part) {
    std::string text = part.text();
    std::optional<int64_t> value = part.constant_value();
    return part.symbol_name() || (value && *value >= 0) ? text : "(" + text + ")";
}

std::string atom_text(const Dim::Atom& atom, bool alone) {
    if (atom.kind == Dim::Atom::Kind::symbol) return symbol_text(atom.name);
    if (atom.kind == Dim::Atom::Kind::maximum) {
        return "max(" + atom.numerator->text() + ", " + atom.denominator->text() + ")";
    }
    std::string text = part_of_quotient(*atom.numerator) + (atom.kind == Dim::Atom::Kind::exact_quotient ? "/" : "//") +
                       part_of_quotient(*atom.denominator);
    return alone ? text : "(" + text + ")";
}

// Without its sign.
std::string term_text(const Dim::Term& term) {
    const uint64_t magnitude =
        term.coefficient < 0 ? 0 - static_cast<uint64_t>(term.coefficient) : static_cast<uint64_t>(term.coefficient);
    std::string text;
    if (magnitude != 1 || term.factors.empty()) text = std::to_string(magnitude);
    const bool alone = text.empty() && term.factors.size() == 1;
    for (const Dim::Atom& factor : term.factors) {
        if (!text.empty()) text += '*';
        text += atom_text(factor, alone);
    }
    return text;
}

class DimReader {
public:
    explicit DimReader(const std::string& text) : text_(text) {}

    std::optional<Dim> whole() {
        std::optional<Dim> dim = sum();
        skip_blanks();
        if (at_ != text_.size()) return std::nullopt;
        return dim;
    }

private:
    std::optional<Dim> sum() {
        std::optional<Dim> left = product();
        while (left) {
            const char sign = peek();
            if (sign != '+' && sign != '-') break;
            ++at_;
            std::optional<Dim> right = product();
            if (!right) return std::nullopt;
            left = sign == '+' ? *left + *right : *left - *right;
        }
        return left;
    }

    std::optional<Dim> product() {
        std::optional<Dim> left = atom();
        while (left) {
            const char sign = peek();
            if (sign != '*' && sign != '/') break;
            ++at_;
            const bool floor = sign == '/' && at_ < text_.size() && text_[at_] == '/';
            if (floor) ++at_;
            std::optional<Dim> right = atom();
            if (!right) return std::nullopt;
            if (sign == '*') {
                left = *left * *right;
            } else {
                left = floor ? Dim::floor_quotient(*left, *right) : Dim::exact_quotient(*left, *right);
            }
        }
        return left;
    }

    std::optional<Dim> atom() {
        const char c = peek();
        if (++depth_ > kDeepest) return std::nullopt;
        std::optional<Dim> result;
        if (c == '(') {
            ++at_;
            result = sum();
            if (peek() != ')') return std::nullopt;
            ++at_;
        } else if (c == '-') {
            ++at_;
            std::optional<Dim> operand = atom();
            if (operand) result = Dim() - *operand;
        } else if (c == '`') {
            const size_t end = text_.find('`', at_ + 1);
            if (end == std::string::npos) return std::nullopt;
            result = Dim::symbol(text_.substr(at_ + 1, end - at_ - 1));
            at_ = end + 1;
        } else if (starts_name(c)) {
            const size_t begin = at_;
            while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
            const std::string name = text_.substr(begin, at_ - begin);
            const bool of_two = name == "max" && at_ < text_.size() && text_[at_] == '(';
            result = of_two ? maximum() : Dim::symbol(name);
        } else {
            result = number();
        }
        --depth_;
        return result;
    }

    // Behind its name: "(n - 1, 0)".
    std::optional<Dim> maximum() {
        ++at_;
        const std::optional<Dim> a = sum();
        if (!a || peek() != ',') return std::nullopt;
        ++at_;
        const std::optional<Dim> b = sum();
        if (!b || peek() != ')') return std::nullopt;
        ++at_;
        return Dim::maximum(*a, *b);
    }

    // The smallest number has no positive counterpart: its magnitude is read unsigned and wraps.
    std::optional<Dim> number() {
        uint64_t value = 0;
        const char* begin = text_.data() + at_;
        auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc() || end == begin || value > static_cast<uint64_t>(INT64_MAX) + 1) return std::nullopt;
        at_ += static_cast<size_t>(end - begin);
        return Dim::constant(static_cast<int64_t>(value));
    }

    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    char peek() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    static constexpr int kDeepest = 200;
    const std::string& text_;
    size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::string Dim::text() const {
    if (terms().empty()) return "0";
    std::string text;
    auto add = [&](const Term& term) {
        if (text.empty()) {
            text = (term.coefficient < 0 ? "-" : "") + term_text(term);
        } else {
            text += (term.coefficient < 0 ? " - " : " + ") + term_text(term);
        }
    };
    // The number stands last, as people write it; in the normal form it is first.
    for (const Term& term : terms()) {
        if (!term.factors.empty()) add(term);
    }
    for (const Term& term : terms()) {
        if (term.factors.empty()) add(term);
    }
    return text;
}

std::optional<Dim> Dim::parse(const std::string& text) { return DimReader(text).whole(); }

}  // namespace tsr::ir
