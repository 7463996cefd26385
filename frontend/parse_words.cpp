#include "frontend/parse_words.h"

#include <fmt/core.h>

#include "TesseraLexer.h"
#include "frontend/unicode.h"

namespace tsr {

namespace {

using Type = TesseraLexer;

// `'§'`, or the number alone where the character has no visible form.
std::string shown(char32_t c) {
    bool visible = c > 0x20 && c != 0x7F && !(c >= 0x80 && c <= 0xA0) && !(c >= 0x2000 && c <= 0x200F) && c != 0xFEFF &&
                   !(c >= 0x2028 && c <= 0x202F) && c != 0x3000;
    auto number = fmt::format("U+{:04X}", static_cast<uint32_t>(c));
    return visible ? fmt::format("`{}` ({})", encode_utf8(c), number) : number;
}

class WordChecker {
public:
    WordChecker(std::string_view text, SyntaxReport& report) : text_(text), report_(report) {}

    // False if the word is to be dropped.
    bool check(Lexeme& word) {
        switch (word.type) {
            case Type::BAD_CHARACTER:
                bad_character(word);
                return false;
            case Type::BAD_STRING:
                unclosed(word.begin, word.begin + (text_[word.begin] == 'r' || text_[word.begin] == 'R' ? 2 : 1));
                word.type = Type::STRING;
                break;
            case Type::TRIPLE:
                triple(word);
                break;
            case Type::FSTRING_DOUBLE:
            case Type::FSTRING_SINGLE:
            case Type::FSTRING_TRIPLE_DOUBLE:
            case Type::FSTRING_TRIPLE_SINGLE:
                fstrings_.push_back(word);
                break;
            case Type::FSTRING_END:
                fstrings_.pop_back();
                break;
            case Type::BAD_FSTRING_END:
                unclosed(fstrings_.back().begin, fstrings_.back().end);
                fstrings_.pop_back();
                word.type = Type::FSTRING_END;
                break;
            case Type::NAME:
                return name(word);
            default:
                break;
        }
        return true;
    }

private:
    void unclosed(uint32_t begin, uint32_t end) {
        report_.word("E0106", report_.span(begin, end), "this string is never closed");
    }
    void triple(const Lexeme& word);
    void bad_character(const Lexeme& word);
    // False if nothing of the name is a letter.
    bool name(const Lexeme& word);
    void bad_letter(uint32_t at, DecodedChar c);

    std::string_view text_;
    SyntaxReport& report_;
    std::vector<Lexeme> fstrings_;  // where the open ones begin
};

void WordChecker::triple(const Lexeme& word) {
    auto body = text_.substr(word.begin, word.end - word.begin);
    uint32_t prefix = body[0] == 'r' || body[0] == 'R' ? 1 : 0;
    auto quotes = body.substr(prefix, 3);
    body.remove_prefix(prefix + 3);
    // The quotes at the end may be escaped: then the file ended first.
    bool closed = false;
    for (size_t i = 0; i < body.size(); i += body[i] == '\\' ? 2 : 1) closed = closed || body.substr(i) == quotes;
    if (!closed) unclosed(word.begin, word.begin + prefix + 3);
}

void WordChecker::bad_character(const Lexeme& word) {
    DecodedChar c = decode_utf8(text_.substr(word.begin));
    auto span = report_.span(word.begin, word.end);
    if (c.value == '\\') {
        report_.word("E0137", span, "after a `\\` that joins lines the line must end");
        return;
    }
    report_.word("E0102", span, fmt::format("the character {} has no meaning here", shown(c.value)));
}

bool WordChecker::name(const Lexeme& word) {
    bool any_letter = false;
    for (uint32_t i = word.begin; i < word.end;) {
        auto byte = static_cast<unsigned char>(text_[i]);
        DecodedChar c = byte < 0x80 ? DecodedChar{byte, 1} : decode_utf8(text_.substr(i));
        bool fits = i == word.begin ? is_identifier_start(c.value) : is_identifier_continue(c.value);
        if (fits) any_letter = true;
        if (!fits) bad_letter(i, c);
        i += c.length;
    }
    return any_letter;
}

void WordChecker::bad_letter(uint32_t at, DecodedChar c) {
    auto span = report_.span(at, at + c.length);
    auto& message = report_.word("E0102", span, fmt::format("the character {} has no meaning here", shown(c.value)));
    auto meant = ascii_lookalike(c.value);
    if (!meant.empty()) message.suggest(span, std::string(meant), fmt::format("write `{}`", meant));
}

}  // namespace

std::vector<Lexeme> check_words(std::vector<Lexeme> words, std::string_view text, SyntaxReport& report) {
    WordChecker checker(text, report);
    std::erase_if(words, [&](Lexeme& word) { return !checker.check(word); });
    return words;
}

}  // namespace tsr
