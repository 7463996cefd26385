#include "frontend/parse_context.h"

#include <algorithm>
#include <array>

#include "TesseraLexer.h"

namespace tsr {

namespace {

using Type = TesseraLexer;

template <size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
    return std::ranges::find(list, word) != list.end();
}

constexpr std::array<std::string_view, 2> kQualifiers = {"static", "param"};
// Followed by a block; `case` is a statement of the block of `match`.
constexpr std::array<std::string_view, 5> kBlockWords = {"with", "try", "match", "case", "async"};
constexpr std::array<std::string_view, 2> kTailWords = {"except", "finally"};
constexpr std::array<std::string_view, 6> kSimpleWords = {"del", "raise", "global", "nonlocal", "yield", "await"};

// What can follow the word of a simple statement, but no name that is used as one.
bool begins_operand(uint32_t type) {
    switch (type) {
        case Type::NAME:
        case Type::NUMBER:
        case Type::STRING:
        case Type::TRIPLE:
        case Type::FSTRING_DOUBLE:
        case Type::FSTRING_SINGLE:
        case Type::LAMBDA:
        case Type::NOT:
        case Type::NONE:
        case Type::TRUE:
        case Type::FALSE:
        case Type::FROM:
        case Type::DEF:
        case Type::FOR:
            return true;
        default:
            return false;
    }
}

class ContextReader {
public:
    ContextReader(std::vector<Lexeme>& words, std::string_view text) : words_(words), text_(text) {}

    void run() {
        bool line_begins = true;
        for (size_t i = 0; i < words_.size(); ++i) {
            if (words_[i].type == Type::NAME) {
                if (line_begins) begin_line(i);
                qualify(i);
            }
            line_begins = is_edge(words_[i].type);
        }
    }

private:
    static bool is_edge(uint32_t type) { return type == Type::NEWLINE || type == Type::INDENT || type == Type::DEDENT; }
    [[nodiscard]] std::string_view text(size_t i) const {
        return text_.substr(words_[i].begin, words_[i].end - words_[i].begin);
    }
    // The last word of the line is the ':' of a block.
    [[nodiscard]] bool line_opens_block(size_t i) const {
        while (words_[i].type != Type::NEWLINE && words_[i].type != kEndOfFile) ++i;
        return words_[i - 1].type == Type::COLON;
    }
    void begin_line(size_t i);
    void qualify(size_t i);
    [[nodiscard]] bool in_header(size_t i) const;

    std::vector<Lexeme>& words_;
    std::string_view text_;
};

void ContextReader::begin_line(size_t i) {
    auto word = text(i);
    uint32_t next = words_[i + 1].type;
    bool alone = next == Type::NEWLINE;
    if (is_one_of(word, kBlockWords)) {
        bool operand = begins_operand(next) || next == Type::LPAREN || next == Type::LBRACK || next == Type::MINUS;
        bool bare = next == Type::COLON && word == "try";
        if (bare || (operand && line_opens_block(i))) words_[i].type = Type::REFUSED;
    } else if (is_one_of(word, kTailWords)) {
        if (next == Type::COLON || line_opens_block(i)) words_[i].type = Type::REFUSED_TAIL;
    } else if (is_one_of(word, kSimpleWords)) {
        if (begins_operand(next) || (alone && (word == "raise" || word == "yield"))) words_[i].type = Type::REFUSED;
    }
}

// Whether the word stands among the parameters of a `def`.
bool ContextReader::in_header(size_t i) const {
    int open = 0;
    while (i-- > 0) {
        const uint32_t type = words_[i].type;
        if (type == Type::NEWLINE) return false;
        if (type == Type::RPAREN || type == Type::RBRACK || type == Type::RBRACE) ++open;
        if (type != Type::LPAREN && type != Type::LBRACK && type != Type::LBRACE) continue;
        if (open-- == 0) return type == Type::LPAREN && i >= 2 && words_[i - 2].type == Type::DEF;
    }
    return false;
}

void ContextReader::qualify(size_t i) {
    if (i == 0 || !is_one_of(text(i), kQualifiers)) return;
    uint32_t before = words_[i - 1].type;
    uint32_t after = words_[i + 1].type;
    bool heads = before == Type::COLON || before == Type::ARROW || before == Type::MUT || before == Type::QUALIFIER;
    // `axis: static = -1`, `def f(mode: static)`: of any type.
    const bool ends = after == Type::ASSIGN || ((after == Type::COMMA || after == Type::RPAREN) && in_header(i));
    const bool alone = ends && before == Type::COLON && text(i) == "static";
    if (heads && (alone || after == Type::NAME || after == Type::MUT || after == Type::STRING))
        words_[i].type = Type::QUALIFIER;
}

}  // namespace

void mark_contextual_words(std::vector<Lexeme>& words, std::string_view text) { ContextReader(words, text).run(); }

}  // namespace tsr
