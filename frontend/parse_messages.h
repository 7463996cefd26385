// The words of the parser's messages: what was written, what can stand there, and what was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <antlr4-runtime.h>

#include "frontend/parse_lex.h"
#include "frontend/parse_report.h"

namespace tsr {

class SyntaxMessages {
public:
    SyntaxMessages(const std::vector<Lexeme>& words, std::string_view text, const antlr4::dfa::Vocabulary& vocabulary,
                   SyntaxReport& report)
        : words_(words), text_(text), vocabulary_(vocabulary), report_(report) {}

    // `words[at]` can not follow; `expected` can, in the rule of `context`.
    void mismatch(size_t at, const antlr4::misc::IntervalSet& expected, const antlr4::ParserRuleContext& context);
    void too_deep(size_t at);

private:
    // Each tells of one mistake and returns true if it is this one.
    bool refused_operator(size_t at);
    bool refused_word(size_t at);
    bool foreign_word(size_t at, size_t head);
    bool misplaced_word(size_t at, const antlr4::misc::IntervalSet& expected, size_t rule);
    bool wrong_equals(size_t at, const antlr4::misc::IntervalSet& expected);
    bool missing_colon(size_t at, const antlr4::misc::IntervalSet& expected, size_t rule);
    bool set_display(size_t at, const antlr4::misc::IntervalSet& expected, const antlr4::ParserRuleContext& context);
    bool missing_expression(size_t at, const antlr4::misc::IntervalSet& expected);
    void anything_else(size_t at, const antlr4::misc::IntervalSet& expected);

    [[nodiscard]] uint32_t type(size_t at) const { return at < words_.size() ? words_[at].type : kEndOfFile; }
    [[nodiscard]] std::string_view text(size_t at) const {
        return text_.substr(words_[at].begin, words_[at].end - words_[at].begin);
    }
    [[nodiscard]] bool adjoins_previous(size_t at) const { return at > 0 && words_[at - 1].end == words_[at].begin; }
    [[nodiscard]] size_t line_head(size_t at) const;
    // The word's range; for what has none, the place behind the word before it.
    [[nodiscard]] Span place(size_t at) const;
    [[nodiscard]] std::string found(size_t at) const;
    [[nodiscard]] std::string name_of(size_t type) const;
    [[nodiscard]] std::string list(const antlr4::misc::IntervalSet& expected) const;

    const std::vector<Lexeme>& words_;
    std::string_view text_;
    const antlr4::dfa::Vocabulary& vocabulary_;
    SyntaxReport& report_;
};

}  // namespace tsr
