#include "sema/program/einsum.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::sema {

namespace {

constexpr std::string_view kEllipsis = "...";
constexpr size_t kMostInEllipsis = 10;  // a digit each

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One tensor's letters, before and behind `...`.
struct Term {
    std::string before, behind;
    bool ellipsis = false;
    [[nodiscard]] size_t letters() const { return before.size() + behind.size(); }
};

std::optional<std::string> read_term(std::string_view text, Term& term) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with(kEllipsis)) {
            if (term.ellipsis) return fmt::format("\"{}\" has `...` twice", text);
            term.ellipsis = true;
            i += kEllipsis.size() - 1;
        } else if (is_letter(text[i])) {
            (term.ellipsis ? term.behind : term.before) += text[i];
        } else {
            return fmt::format(
                "\"{}\" is no letter: axes are letters, tensors are separated by \",\", the result stands behind "
                "\"->\"",
                text[i]);
        }
    }
    return std::nullopt;
}

std::string digits(size_t count) {
    std::string all;
    while (count > 0) all += static_cast<char>('0' + --count);
    return all;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        const size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text = text.substr(comma + 1);
    }
}

// The letters that stand once in all operands.
std::string letters_of_result(const std::vector<Term>& terms, size_t ellipsis) {
    std::string all, once;
    for (const Term& term : terms) all += term.before + term.behind;
    std::ranges::sort(all);
    for (char letter : all) {
        if (std::ranges::count(all, letter) == 1) once += letter;
    }
    return digits(ellipsis) + once;
}

std::optional<std::string> read_result(std::string_view text, const EinsumText& read, size_t ellipsis,
                                       std::string& result) {
    Term term;
    if (auto fault = read_term(text, term)) return fault;
    if (ellipsis > 0 && !term.ellipsis) return "the tensors have `...`, the result lacks it";
    for (char letter : term.before + term.behind) {
        if (std::ranges::count(term.before + term.behind, letter) > 1)
            return fmt::format("the result has `{}` twice", letter);
        const auto has = [&](const std::string& operand) { return operand.find(letter) != std::string::npos; };
        if (std::ranges::none_of(read.operands, has))
            return fmt::format("the result has `{}`, which no tensor has", letter);
    }
    result = term.before + (term.ellipsis ? digits(ellipsis) : std::string()) + term.behind;
    return std::nullopt;
}

}  // namespace

std::optional<std::string> read_einsum(std::string_view text, const std::vector<size_t>& ranks, EinsumText& read) {
    std::string dense(text);
    std::erase(dense, ' ');
    const size_t arrow = dense.find("->");
    const std::vector<std::string_view> parts = split(std::string_view(dense).substr(0, arrow));
    std::vector<Term> terms(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
        if (auto fault = read_term(parts[i], terms[i])) return fault;
    }
    if (parts.size() != ranks.size()) {
        return fmt::format("the text names the axes of {} {}, there {} {}", parts.size(),
                           parts.size() == 1 ? "tensor" : "tensors", ranks.size() == 1 ? "is" : "are", ranks.size());
    }
    size_t ellipsis = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
        const size_t letters = terms[i].letters();
        const bool fits = terms[i].ellipsis ? letters <= ranks[i] : letters == ranks[i];
        if (!fits || ranks[i] - letters > kMostInEllipsis) {
            return fmt::format("\"{}\" names {} {}, its tensor has {}", parts[i], letters,
                               letters == 1 ? "axis" : "axes", ranks[i]);
        }
        ellipsis = std::max(ellipsis, ranks[i] - letters);
        read.operands.push_back(terms[i].before + digits(ranks[i] - letters) + terms[i].behind);
    }
    if (arrow != std::string::npos)
        return read_result(std::string_view(dense).substr(arrow + 2), read, ellipsis, read.result);
    read.result = letters_of_result(terms, ellipsis);
    return std::nullopt;
}

}  // namespace tsr::sema
