#include "frontend/parse_brackets.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "TesseraLexer.h"

namespace tsr {

namespace {

using Type = TesseraLexer;

// A file has few unclosed brackets; each round finds at least one more of them.
constexpr int kMostRounds = 10;

uint32_t closing_of(uint32_t opening) {
    switch (opening) {
        case Type::LPAREN:
            return Type::RPAREN;
        case Type::LBRACK:
            return Type::RBRACK;
        case Type::LBRACE:
            return Type::RBRACE;
        case Type::HOLE_OPEN:
            return Type::HOLE_CLOSE;
        default:
            return 0;
    }
}

bool is_closing(uint32_t type) {
    return type == Type::RPAREN || type == Type::RBRACK || type == Type::RBRACE || type == Type::HOLE_CLOSE;
}

// Words that stand at the head of a statement and nowhere inside brackets.
bool begins_statement_only(uint32_t type) {
    switch (type) {
        case Type::DEF:
        case Type::CLASS:
        case Type::RETURN:
        case Type::WHILE:
        case Type::PASS:
        case Type::BREAK:
        case Type::CONTINUE:
        case Type::ASSERT:
        case Type::IMPORT:
        case Type::ELIF:
            return true;
        default:
            return false;
    }
}

// One reading of the file. `unclosed` are the openings that an earlier reading found to be never closed.
class BracketMatcher {
public:
    BracketMatcher(std::string_view text, const std::set<uint32_t>& unclosed, SyntaxReport& report)
        : text_(text), unclosed_(unclosed), report_(report) {}

    std::vector<Lexeme> run(const std::vector<Lexeme>& words, bool speak);
    // Openings without an end, of this reading.
    [[nodiscard]] const std::set<uint32_t>& found() const { return found_; }

private:
    struct Opening {
        Lexeme word;
        uint32_t indent;  // of the line it stands in
    };

    void open(const Lexeme& word);
    void close(Lexeme word);
    void close_all(bool tell);
    [[nodiscard]] bool ends_before(const Lexeme& first_of_line) const;
    [[nodiscard]] uint32_t indent_of(uint32_t begin) const;
    SyntaxReport& report() { return speak_ ? report_ : unheard_; }

    std::string_view text_;
    const std::set<uint32_t>& unclosed_;
    SyntaxReport& report_;
    SyntaxReport unheard_{FileId()};
    bool speak_ = false;
    std::set<uint32_t> found_;
    std::vector<Opening> open_;
    std::vector<Lexeme> out_;
    uint32_t indent_ = 0;
};

uint32_t BracketMatcher::indent_of(uint32_t begin) const {
    size_t line = begin == 0 ? 0 : text_.rfind('\n', begin - 1) + 1;
    return begin - static_cast<uint32_t>(line);
}

bool BracketMatcher::ends_before(const Lexeme& first) const {
    if (open_.empty() || is_closing(first.type)) return false;
    if (begins_statement_only(first.type)) return true;
    return std::ranges::any_of(open_, [&](const Opening& opening) {
        return unclosed_.contains(opening.word.begin) && indent_ <= opening.indent;
    });
}

void BracketMatcher::open(const Lexeme& word) {
    open_.push_back({word, indent_});
    out_.push_back(word);
}

void BracketMatcher::close(Lexeme word) {
    if (word.type == Type::HOLE_CLOSE) {
        // The end of a hole ends what is open in it. An empty one was put in for a string that is not closed, which
        // has been told.
        while (!open_.empty() && open_.back().word.type != Type::HOLE_OPEN) {
            if (word.end > word.begin) {
                report().line("E0104", report().span(open_.back().word.begin, open_.back().word.end),
                              "this bracket is not closed before its hole ends");
            }
            out_.push_back({closing_of(open_.back().word.type), word.begin, word.begin});
            open_.pop_back();
        }
        if (!open_.empty()) open_.pop_back();
        out_.push_back(word);
        return;
    }
    auto shown = text_.substr(word.begin, word.end - word.begin);
    if (open_.empty() || open_.back().word.type == Type::HOLE_OPEN) {
        report().line("E0105", report().span(word.begin, word.end), fmt::format("`{}` closes nothing", shown));
        return;
    }
    if (closing_of(open_.back().word.type) != word.type) {
        const Lexeme& opening = open_.back().word;
        auto at = report().span(opening.begin, opening.end);
        report()
            .line("E0104", report().span(word.begin, word.end),
                  fmt::format("`{}` does not close the bracket `{}`", shown, text_.substr(opening.begin, 1)))
            .label(at, "opened here");
        auto holds = [&](const Opening& o) { return o.word.type == Type::HOLE_OPEN; };
        auto hole = std::ranges::find_if(open_.rbegin(), open_.rend(), holds);
        auto match =
            std::find_if(open_.rbegin(), hole, [&](const Opening& o) { return closing_of(o.word.type) == word.type; });
        if (match == hole) {
            word.type = closing_of(opening.type);
        } else {
            for (auto skipped = match - open_.rbegin(); skipped > 0; --skipped) {
                out_.push_back({closing_of(open_.back().word.type), word.begin, word.begin});
                open_.pop_back();
            }
        }
    }
    open_.pop_back();
    out_.push_back(word);
}

void BracketMatcher::close_all(bool tell) {
    if (open_.empty()) return;
    const Lexeme innermost = open_.back().word;
    if (tell) {
        report().line("E0103", report().span(innermost.begin, innermost.end),
                      fmt::format("`{}` is never closed", text_.substr(innermost.begin, 1)));
    }
    // The end belongs to the last line that has words, before its comment and its end.
    auto last = std::find_if(out_.rbegin(), out_.rend(), [](const Lexeme& word) {
        return word.type != Type::NEWLINE && word.type != Type::COMMENT;
    });
    auto place = last.base() - out_.begin();
    uint32_t at = last == out_.rend() ? 0 : last->end;
    for (; !open_.empty(); open_.pop_back()) {
        found_.insert(open_.back().word.begin);
        out_.insert(out_.begin() + place++, {closing_of(open_.back().word.type), at, at});
    }
}

std::vector<Lexeme> BracketMatcher::run(const std::vector<Lexeme>& words, bool speak) {
    speak_ = speak;
    out_.reserve(words.size());
    bool line_begins = true;
    for (const Lexeme& word : words) {
        if (word.type == Type::NEWLINE || word.type == Type::COMMENT) {
            line_begins = line_begins || word.type == Type::NEWLINE;
            out_.push_back(word);
            continue;
        }
        if (line_begins) {
            indent_ = indent_of(word.begin);
            if (ends_before(word)) close_all(true);
        }
        line_begins = false;
        if (word.type == kEndOfFile) {
            close_all(true);
            out_.push_back(word);
        } else if (closing_of(word.type) != 0) {
            if (open_.size() == kMostBrackets) {
                report().line("E0115", report().span(word.begin, word.end),
                              fmt::format("brackets nest deeper than {} here", kMostBrackets));
                close_all(false);
                out_.push_back({Type::NEWLINE, word.begin, word.begin});
                out_.push_back({kEndOfFile, word.begin, word.begin});
                found_.clear();
                break;
            }
            open(word);
        } else if (is_closing(word.type)) {
            close(word);
        } else {
            out_.push_back(word);
        }
    }
    return std::move(out_);
}

}  // namespace

std::vector<Lexeme> match_brackets(const std::vector<Lexeme>& words, std::string_view text, SyntaxReport& report) {
    std::set<uint32_t> unclosed;
    for (int round = 0; round < kMostRounds; ++round) {
        BracketMatcher matcher(text, unclosed, report);
        auto out = matcher.run(words, false);
        size_t before = unclosed.size();
        unclosed.insert(matcher.found().begin(), matcher.found().end());
        if (unclosed.size() == before) break;
    }
    return BracketMatcher(text, unclosed, report).run(words, true);
}

}  // namespace tsr
