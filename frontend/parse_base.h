// The generated parser's base. It bounds how deep the parser calls itself, and does what the generated code asks for at
// each word and rule without ANTLR's virtual calls: several of its members have the names of ANTLR's, which the
// generated code would find otherwise.
#pragma once

#include <antlr4-runtime.h>

#include "base/cancel.h"
#include "frontend/parse_tree.h"

namespace tsr {

// Nested brackets, conditionals and lambdas each make the parser call its rule `test`; past this the process's stack
// would decide.
inline constexpr int kMostRecursions = 350;

class ParserBase : public antlr4::Parser {
public:
    // `input` is a WordStream.
    explicit ParserBase(antlr4::TokenStream* input) : Parser(input), _input(static_cast<WordStream*>(input)) {}

    // Where the rule that calls itself begins and ends. Throws a RecognitionException, which the rule that called
    // reports and recovers from like any other.
    void enter();
    void leave() { --depth_; }

    // True while the error being reported is that of the bound.
    [[nodiscard]] bool too_deep() const { return depth_ >= kMostRecursions; }

    // True from an error to the end of its recovery.
    bool recovering = false;

    [[nodiscard]] size_t getState() const final { return state_; }
    void setState(size_t state) { state_ = state; }
    size_t adaptivePredict(antlr4::TokenStream* /*input*/, size_t decision, antlr4::RuleContext* /*rule*/) {
        return decide(decision);
    }

protected:
    void enterRule(ParsedRule* rule, size_t state) {
        stop_if_cancelled();
        state_ = state;
        auto* caller = static_cast<ParsedRule*>(_ctx);
        if (caller) caller->children.add(ParsedChild(rule), _tracker.memory);
        rule->start = &_input->word(0);
        _ctx = rule;
    }
    void exitRule() {
        _ctx->stop = _matchedEOF ? &_input->word(0) : _input->last();
        state_ = _ctx->invokingState;
        _ctx = static_cast<antlr4::ParserRuleContext*>(_ctx->parent);
    }
    void enterOuterAlt(antlr4::ParserRuleContext* /*rule*/, size_t /*alternative*/) {}

    antlr4::Token* consume() final {
        ParsedWord& word = _input->word(0);
        if (word.type() != EOF) _input->consume();
        static_cast<ParsedRule*>(_ctx)->children.add(ParsedChild(&word), _tracker.memory);
        return &word;
    }
    antlr4::Token* match(size_t type) final {
        if (_input->word(0).type() != type) return Parser::_errHandler->recoverInline(this);
        if (type == EOF) _matchedEOF = true;
        if (recovering) Parser::_errHandler->reportMatch(this);
        return consume();
    }

    // The alternative of a decision that the next word does not decide: the first that can begin with the next two
    // words. Where it begins with a rule and not with a word, one word is looked at.
    virtual size_t decide(size_t decision);
    template <class Simulator>
    ParserBase* getInterpreter() {
        return this;
    }

    // Called at the end of a rule, however it ends.
    template <class End>
    auto finally(End end) {
        struct AtEnd {
            End end;
            ~AtEnd() { end(); }
        };
        return AtEnd{end};
    }

    class Nodes {
    public:
        template <class Rule>
        Rule* createInstance(antlr4::ParserRuleContext* caller, size_t state) {
            auto* made = new (memory.take(sizeof(Rule))) Rule(caller, state);
            made->kind = &typeid(Rule);
            return made;
        }
        TreeMemory memory;
    };

    // Asks the strategy what it has an answer to.
    class Errors {
    public:
        explicit Errors(ParserBase& parser) : parser_(parser) {}
        Errors* operator->() { return this; }
        void sync(antlr4::Parser* /*parser*/) {
            if (static_cast<ParsedRule*>(parser_._ctx)->holds_statements) strategy().sync(&parser_);
        }
        void reportMatch(antlr4::Parser* /*parser*/) {
            if (parser_.recovering) strategy().reportMatch(&parser_);
        }
        void recoverInline(antlr4::Parser* /*parser*/) { strategy().recoverInline(&parser_); }
        void reportError(antlr4::Parser* /*parser*/, const antlr4::RecognitionException& error) {
            strategy().reportError(&parser_, error);
        }
        void recover(antlr4::Parser* /*parser*/, const std::exception_ptr& error) {
            strategy().recover(&parser_, error);
        }

    private:
        [[nodiscard]] antlr4::ANTLRErrorStrategy& strategy() const { return *parser_.Parser::_errHandler; }
        ParserBase& parser_;
    };

    WordStream* _input;
    Nodes _tracker;
    Errors _errHandler{*this};

private:
    size_t state_ = antlr4::atn::ATNState::INVALID_STATE_NUMBER;
    int depth_ = 0;
};

}  // namespace tsr
