#include "frontend/parse_layout.h"

#include <fmt/core.h>

#include "TesseraLexer.h"

namespace tsr {

namespace {

using Type = TesseraLexer;

bool is_header(uint32_t type) {
    switch (type) {
        case Type::IF:
        case Type::ELIF:
        case Type::ELSE:
        case Type::FOR:
        case Type::WHILE:
        case Type::DEF:
        case Type::CLASS:
            return true;
        default:
            return false;
    }
}

class LineReader {
public:
    LineReader(std::string_view text, bool in_block, SyntaxReport& report)
        : text_(text), report_(report), opens_block_(in_block) {}

    Layout run(const std::vector<Lexeme>& words);

private:
    void take(const Lexeme& word);
    void begin_line(const Lexeme& first);
    void end_line(const Lexeme& newline);
    void deeper(const Lexeme& first, uint32_t column);
    void shallower(const Lexeme& first, uint32_t column);
    void finish(uint32_t at);
    // Column of the line's first word, a tab going to the next multiple of 8. Reports tabs mixed with spaces.
    uint32_t indentation(const Lexeme& first);
    [[nodiscard]] uint32_t line_begin(uint32_t at) const {
        return at == 0 ? 0 : static_cast<uint32_t>(text_.rfind('\n', at - 1) + 1);
    }
    void put(uint32_t type, uint32_t at) { out_.words.push_back({type, at, at}); }

    std::string_view text_;
    SyntaxReport& report_;
    Layout out_;
    std::vector<uint32_t> levels_{0};
    int brackets_ = 0;
    bool in_line_ = false;
    bool too_deep_ = false;
    // Of the line before: whether a block may follow it.
    bool opens_block_;
    // Of this line: its first word, and whether a ':' stood outside brackets.
    uint32_t first_ = 0;
    bool colon_ = false;
    uint32_t stray_ = 0;  // column of an unexpected indentation, told of once for all lines that share it
    char unit_ = 0;       // what this file indents with, by its first indented line
    uint32_t unit_at_ = 0;
    bool mixed_before_ = false;  // the line before was told to mix tabs with spaces
};

uint32_t LineReader::indentation(const Lexeme& first) {
    size_t begin = line_begin(first.begin);
    if (text_.substr(begin).starts_with("\xEF\xBB\xBF")) begin += 3;
    uint32_t column = 0;
    bool mixed = false;
    for (size_t i = begin; i < first.begin && (text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\f'); ++i) {
        if (text_[i] == '\f') {
            column = 0;
            continue;
        }
        if (unit_ == 0) {
            unit_ = text_[i];
            unit_at_ = static_cast<uint32_t>(i);
        }
        mixed = mixed || text_[i] != unit_;
        column = text_[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    }
    if (mixed && !mixed_before_) {
        report_
            .line("E0111", report_.span(static_cast<uint32_t>(begin), first.begin),
                  "this line's indentation mixes tabs with spaces")
            .label(report_.span(unit_at_, unit_at_ + 1),
                   fmt::format("the file is indented with {} from here on", unit_ == ' ' ? "spaces" : "tabs"));
    }
    mixed_before_ = mixed;
    return column;
}

void LineReader::deeper(const Lexeme& first, uint32_t column) {
    if (!opens_block_) {
        if (column != stray_) {
            report_.line("E0112", report_.span(first.begin, first.end),
                         "this line is indented deeper, but nothing before it opens a block");
        }
        stray_ = column;
        return;
    }
    if (levels_.size() > kMostIndents) {
        report_.line("E0115", report_.span(first.begin, first.end),
                     fmt::format("blocks nest deeper than {} here", kMostIndents));
        // A block all the same, so that the header above is not told to lack one.
        put(Type::INDENT, first.begin);
        put(Type::PASS, first.begin);
        put(Type::NEWLINE, first.begin);
        levels_.push_back(column);
        too_deep_ = true;
        return;
    }
    levels_.push_back(column);
    put(Type::INDENT, first.begin);
}

void LineReader::shallower(const Lexeme& first, uint32_t column) {
    while (column < levels_.back()) {
        levels_.pop_back();
        put(Type::DEDENT, first.begin);
    }
    if (column != levels_.back() && column != stray_) {
        report_.line("E0113", report_.span(first.begin, first.end), "this line's indentation fits no block around it");
        stray_ = column;
    }
}

void LineReader::begin_line(const Lexeme& first) {
    in_line_ = true;
    first_ = first.type;
    colon_ = false;
    out_.lines.push_back(line_begin(first.begin));
    uint32_t column = indentation(first);
    if (column > levels_.back()) {
        deeper(first, column);
    } else if (column < levels_.back()) {
        shallower(first, column);
    }
    if (column == levels_.back()) stray_ = 0;
}

void LineReader::end_line(const Lexeme& newline) {
    // A header that forgot its ':' opens a block nevertheless; one with its body on the same line does not.
    opens_block_ = out_.words.back().type == Type::COLON || (is_header(first_) && !colon_);
    out_.words.push_back({Type::NEWLINE, newline.begin, newline.end});
    in_line_ = false;
}

void LineReader::take(const Lexeme& word) {
    switch (word.type) {
        case Type::COMMENT: {
            size_t begin = line_begin(word.begin);
            bool own = text_.find_first_not_of(" \t\f\xEF\xBB\xBF", begin) == word.begin;
            out_.comments.push_back({report_.span(word.begin, word.end), own});
            return;
        }
        case Type::NEWLINE:
            if (in_line_ && brackets_ == 0) end_line(word);
            return;
        case Type::LPAREN:
        case Type::LBRACK:
        case Type::LBRACE:
        case Type::HOLE_OPEN:
            ++brackets_;
            break;
        case Type::RPAREN:
        case Type::RBRACK:
        case Type::RBRACE:
        case Type::HOLE_CLOSE:
            --brackets_;
            break;
        case Type::COLON:
            colon_ = colon_ || brackets_ == 0;
            break;
        default:
            break;
    }
    if (!in_line_) begin_line(word);
    if (!too_deep_) out_.words.push_back(word);
}

void LineReader::finish(uint32_t at) {
    if (in_line_ && !too_deep_) end_line({Type::NEWLINE, at, at});
    for (; levels_.size() > 1; levels_.pop_back()) put(Type::DEDENT, at);
    out_.words.push_back({kEndOfFile, at, at});
}

Layout LineReader::run(const std::vector<Lexeme>& words) {
    out_.words.reserve(words.size());
    uint32_t at = 0;
    for (const Lexeme& word : words) {
        at = word.begin;
        if (word.type == kEndOfFile || too_deep_) break;
        take(word);
    }
    finish(at);
    return std::move(out_);
}

}  // namespace

Layout lay_out(const std::vector<Lexeme>& words, std::string_view text, bool in_block, SyntaxReport& report) {
    return LineReader(text, in_block, report).run(words);
}

}  // namespace tsr
