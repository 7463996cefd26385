#include "frontend/parse_lex.h"

#include "TesseraLexer.h"
#include "base/cancel.h"
#include "frontend/lexer_tables.h"

namespace tsr {

namespace {

using Type = TesseraLexer;

// An f-string being read. Outside its holes the lexer is in the string's own mode, inside in the default mode.
struct OpenString {
    char quote = '"';
    bool triple = false;
    struct Hole {
        int brackets = 0;  // open inside the hole
        int braces = 0;    // `{` among them
        bool in_format = false;
    };
    std::vector<Hole> holes;  // more than one where a format holds holes
};

class WordReader {
public:
    explicit WordReader(std::string_view text) : text_(text) {
        if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;
        words_.reserve(text.size() / 3);
    }

    std::vector<Lexeme> run() {
        while (at_ < text_.size()) {
            stop_if_cancelled();
            const uint32_t begin = at_;
            const LexerTables::Accepted word = match();
            if (!word.skips) take({word.type, begin, at_});
        }
        close_strings(at_, true);
        words_.push_back({kEndOfFile, at_, at_});
        return std::move(words_);
    }

private:
    // Reads the longest word. There is one for each character.
    LexerTables::Accepted match() {
        const LexerTables& tables = kLexerTables;
        size_t state = tables.begins[modes_.back()];
        size_t i = at_, accepting = 0;
        while (true) {
            const bool ends = i == text_.size();
            const auto c = static_cast<unsigned char>(ends ? 0 : text_[i]);
            state = tables.steps[state * tables.classes + (ends       ? tables.end
                                                           : c < 0x80 ? tables.ascii[c]
                                                                      : tables.other)];
            if (state == 0) break;
            if (!ends) i += c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
            if (tables.accepted[state].type != 0) {
                accepting = state;
                at_ = static_cast<uint32_t>(i);
                if (ends) break;
            }
        }
        const LexerTables::Accepted word = tables.accepted[accepting];
        if (word.pops) pop_mode();
        if (word.pushes != 0) push_mode(word.pushes);
        return word;
    }

    void push_mode(size_t mode) { modes_.push_back(mode); }
    void pop_mode() { modes_.pop_back(); }

    void take(Lexeme word);
    void take_in_hole(Lexeme word);
    void take_in_format(Lexeme word);
    // Ends the open strings that end with their line, or all.
    void close_strings(uint32_t at, bool all);
    void open(Lexeme word) { opened_.push_back({text_[word.end - 1], word.end - word.begin > 2, {}}); }

    std::string_view text_;
    uint32_t at_ = 0;
    std::vector<size_t> modes_{Type::DEFAULT_MODE};
    std::vector<Lexeme> words_;
    std::vector<OpenString> opened_;
};

void WordReader::take(Lexeme word) {
    if (!opened_.empty() && !opened_.back().holes.empty()) {
        take_in_hole(word);
        return;
    }
    words_.push_back(word);
    switch (word.type) {
        case Type::FSTRING_DOUBLE:
        case Type::FSTRING_SINGLE:
        case Type::FSTRING_TRIPLE_DOUBLE:
        case Type::FSTRING_TRIPLE_SINGLE:
            open(word);
            break;
        case Type::HOLE_OPEN:
            opened_.back().holes.emplace_back();
            push_mode(Type::DEFAULT_MODE);
            break;
        case Type::FSTRING_END:
            opened_.pop_back();
            break;
        case Type::BAD_FSTRING_END:
            opened_.pop_back();
            words_.back().end = word.begin;
            // A string inside another's hole ends it too.
            close_strings(word.begin, false);
            words_.push_back({Type::NEWLINE, word.begin, word.end});
            break;
        default:
            break;
    }
}

void WordReader::take_in_hole(Lexeme word) {
    auto& hole = opened_.back().holes.back();
    if (hole.in_format) {
        take_in_format(word);
        return;
    }
    switch (word.type) {
        case Type::LPAREN:
        case Type::LBRACK:
            ++hole.brackets;
            break;
        case Type::LBRACE:
            ++hole.brackets;
            ++hole.braces;
            break;
        case Type::RPAREN:
        case Type::RBRACK:
            if (hole.brackets > hole.braces) --hole.brackets;
            break;
        case Type::RBRACE:
            if (hole.braces > 0) {
                --hole.brackets;
                --hole.braces;
            } else {
                // The hole ends, whatever is still open in it.
                word.type = Type::HOLE_CLOSE;
                opened_.back().holes.pop_back();
                pop_mode();
            }
            break;
        case Type::COLON:
            if (hole.brackets == 0) {
                word.type = Type::SPEC_COLON;
                hole.in_format = true;
                push_mode(Type::FORMAT);
            }
            break;
        case Type::WALRUS:  // `{x:=8}`: the format begins with `=`
            if (hole.brackets == 0) {
                words_.push_back({Type::SPEC_COLON, word.begin, word.begin + 1});
                word = {Type::FSTRING_TEXT, word.begin + 1, word.end};
                hole.in_format = true;
                push_mode(Type::FORMAT);
            }
            break;
        case Type::NEWLINE:
            close_strings(word.begin, false);
            break;
        case Type::FSTRING_DOUBLE:
        case Type::FSTRING_SINGLE:
        case Type::FSTRING_TRIPLE_DOUBLE:
        case Type::FSTRING_TRIPLE_SINGLE:
            open(word);
            break;
        default:
            break;
    }
    words_.push_back(word);
}

void WordReader::take_in_format(Lexeme word) {
    OpenString& string = opened_.back();
    switch (word.type) {
        case Type::HOLE_CLOSE:
            string.holes.pop_back();
            pop_mode();  // the format
            pop_mode();  // the hole
            break;
        case Type::HOLE_OPEN:
            string.holes.emplace_back();
            push_mode(Type::DEFAULT_MODE);
            break;
        case Type::FORMAT_BREAK:
            if (text_[word.begin] == string.quote && !string.triple) {
                // The quote ends the string; its holes were not closed.
                word.type = Type::BAD_FSTRING_END;
                for (; !string.holes.empty(); string.holes.pop_back()) {
                    words_.push_back({Type::HOLE_CLOSE, word.begin, word.begin});
                    if (string.holes.back().in_format) pop_mode();
                    pop_mode();
                }
                pop_mode();
                opened_.pop_back();
            } else if (text_[word.end - 1] == '\n' && !string.triple) {
                close_strings(word.begin, false);
                word.type = Type::NEWLINE;
            } else {
                word.type = Type::FSTRING_TEXT;
            }
            break;
        default:
            break;
    }
    words_.push_back(word);
}

void WordReader::close_strings(uint32_t at, bool all) {
    while (!opened_.empty() && (all || !opened_.back().triple)) {
        for (; !opened_.back().holes.empty(); opened_.back().holes.pop_back()) {
            words_.push_back({Type::HOLE_CLOSE, at, at});
            if (opened_.back().holes.back().in_format) pop_mode();
            pop_mode();
        }
        words_.push_back({Type::BAD_FSTRING_END, at, at});
        pop_mode();
        opened_.pop_back();
    }
}

}  // namespace

std::vector<Lexeme> lex(std::string_view text) { return WordReader(text).run(); }

}  // namespace tsr
