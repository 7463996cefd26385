// The nodes of the parse tree and the words below them, for the generated parser: it makes one of each for every few
// characters of a program. ANTLR's own ask for memory several times each, and are told apart by casts at run time.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <antlr4-runtime.h>

#include "frontend/parse_lex.h"

namespace tsr {

// A word, which is a leaf of the tree as well. Its range is in bytes of the file, the end one past the last.
class ParsedWord final : public antlr4::Token, public antlr4::tree::TerminalNode {
public:
    ParsedWord(const Lexeme& word, size_t index)
        : type_(word.type == kEndOfFile ? Token::EOF : word.type), index_(index), begin_(word.begin), end_(word.end) {}

    [[nodiscard]] size_t type() const { return type_; }
    [[nodiscard]] uint32_t begin() const { return begin_; }
    [[nodiscard]] uint32_t end() const { return end_; }

    // What ANTLR asks of a token.
    [[nodiscard]] std::string getText() const override { return {}; }
    [[nodiscard]] size_t getType() const override { return type_; }
    [[nodiscard]] size_t getLine() const override { return 0; }
    [[nodiscard]] size_t getCharPositionInLine() const override { return 0; }
    [[nodiscard]] size_t getChannel() const override { return Token::DEFAULT_CHANNEL; }
    [[nodiscard]] size_t getTokenIndex() const override { return index_; }
    [[nodiscard]] size_t getStartIndex() const override { return begin_; }
    [[nodiscard]] size_t getStopIndex() const override { return end_; }
    [[nodiscard]] antlr4::TokenSource* getTokenSource() const override { return nullptr; }
    [[nodiscard]] antlr4::CharStream* getInputStream() const override { return nullptr; }
    [[nodiscard]] std::string toString() const override { return {}; }

    // What ANTLR asks of a leaf.
    antlr4::Token* getSymbol() override { return this; }
    void setParent(antlr4::RuleContext* rule) override { parent = rule; }
    antlr4::misc::Interval getSourceInterval() override { return antlr4::misc::Interval(index_, index_); }
    antlrcpp::Any accept(antlr4::tree::ParseTreeVisitor* /*visitor*/) override { return {}; }
    std::string getText() override { return {}; }
    std::string toString() override { return {}; }
    std::string toStringTree(bool /*pretty*/) override { return {}; }
    std::string toStringTree(antlr4::Parser* /*parser*/, bool /*pretty*/) override { return {}; }

private:
    size_t type_;
    size_t index_;
    uint32_t begin_, end_;
};

// Memory for the words and nodes of a tree, all given back at once. What stands there owns nothing: nothing is
// destroyed.
class TreeMemory {
public:
    void* take(size_t bytes) {
        bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        if (bytes > left_) grow(bytes);
        left_ -= bytes;
        return std::exchange(free_, free_ + bytes);
    }

private:
    static constexpr size_t kAlignment = alignof(std::max_align_t);
    static constexpr size_t kChunk = size_t{64} << 10;

    void grow(size_t bytes) {
        left_ = std::max(kChunk, bytes);
        chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(left_));
        free_ = chunks_.back().get();
    }

    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte* free_ = nullptr;
    size_t left_ = 0;
};

// The words of a file, for the parser. The last one is the end of the file.
class WordStream final : public antlr4::TokenStream {
public:
    explicit WordStream(const std::vector<Lexeme>& words) {
        words_ = static_cast<ParsedWord*>(memory_.take(words.size() * sizeof(ParsedWord)));
        for (const Lexeme& word : words) new (&words_[count_]) ParsedWord(word, count_), ++count_;
    }

    // The word `ahead` of those read, 0 being the next.
    [[nodiscard]] ParsedWord& word(size_t ahead) { return words_[std::min(next_ + ahead, count_ - 1)]; }
    // The word read last, null before the first.
    [[nodiscard]] ParsedWord* last() { return next_ == 0 ? nullptr : &words_[next_ - 1]; }

    void consume() override { ++next_; }
    size_t LA(ssize_t i) override {
        if (i == 1) return word(0).type();
        const antlr4::Token* at = LT(i);
        return at == nullptr ? antlr4::Token::INVALID_TYPE : at->getType();
    }
    antlr4::Token* LT(ssize_t i) override {
        if (i > 0) return &word(static_cast<size_t>(i) - 1);
        const auto back = static_cast<size_t>(-i);
        return back == 0 || back > next_ ? nullptr : &words_[next_ - back];
    }
    ssize_t mark() override { return 0; }
    void release(ssize_t /*marker*/) override {}
    size_t index() override { return next_; }
    void seek(size_t index) override { next_ = index; }
    size_t size() override { return count_; }
    [[nodiscard]] std::string getSourceName() const override { return {}; }
    [[nodiscard]] antlr4::Token* get(size_t index) const override { return &words_[index]; }
    [[nodiscard]] antlr4::TokenSource* getTokenSource() const override { return nullptr; }
    std::string getText(const antlr4::misc::Interval& /*interval*/) override { return {}; }
    std::string getText() override { return {}; }
    std::string getText(antlr4::RuleContext* /*rule*/) override { return {}; }
    std::string getText(antlr4::Token* /*start*/, antlr4::Token* /*stop*/) override { return {}; }

private:
    TreeMemory memory_;
    ParsedWord* words_ = nullptr;
    size_t count_ = 0;
    size_t next_ = 0;
};

class ParsedRule;

// A rule or a word below a rule.
class ParsedChild {
public:
    ParsedChild() = default;
    explicit ParsedChild(ParsedWord* word) : node_(word), kind_(&typeid(ParsedWord)) {}
    explicit ParsedChild(ParsedRule* rule);

    [[nodiscard]] ParsedWord* word() const {
        return kind_ == &typeid(ParsedWord) ? static_cast<ParsedWord*>(node_) : nullptr;
    }
    [[nodiscard]] ParsedRule* rule() const;
    // Null where it is no rule of this kind.
    template <class Rule>
    [[nodiscard]] Rule* as() const {
        return kind_ == &typeid(Rule) ? static_cast<Rule*>(node_) : nullptr;
    }

private:
    antlr4::tree::ParseTree* node_ = nullptr;
    const std::type_info* kind_ = nullptr;
};

// What stands below a rule, in the order of the text.
class ParsedChildren {
public:
    void add(ParsedChild child, TreeMemory& memory) {
        if (size_ == room_) {
            room_ = room_ == 0 ? 2 : room_ * 2;
            auto* wider = new (memory.take(room_ * sizeof(ParsedChild))) ParsedChild[room_];
            std::copy(begin(), end(), wider);
            first_ = wider;
        }
        first_[size_++] = child;
    }

    [[nodiscard]] const ParsedChild* begin() const { return first_; }
    [[nodiscard]] const ParsedChild* end() const { return first_ + size_; }
    [[nodiscard]] size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    const ParsedChild& operator[](size_t at) const { return first_[at]; }

private:
    ParsedChild* first_ = nullptr;
    size_t size_ = 0, room_ = 0;
};

// Whether a rule could not be read. The generated parser assigns the exception, and hands it to the recovery, which
// does not look at it.
class ParseFailure {
public:
    ParseFailure& operator=(const std::exception_ptr& /*error*/) {
        failed_ = true;
        return *this;
    }
    explicit operator bool() const { return failed_; }
    operator std::exception_ptr() const { return nullptr; }

private:
    bool failed_ = false;
};

// The base of the generated parser's contexts. Its members stand before ANTLR's of the same names, which are empty. No
// rule owns anything: none is destroyed.
class ParsedRule : public antlr4::ParserRuleContext {
public:
    ParsedRule(antlr4::ParserRuleContext* caller, size_t state) : ParserRuleContext(caller, state) {}

    ParsedChildren children;
    ParseFailure exception;
    const std::type_info* kind = nullptr;
    bool holds_statements = false;

    template <class Rule>
    Rule* getRuleContext(size_t at) {
        for (const ParsedChild& child : children) {
            if (auto* rule = child.as<Rule>(); rule && at-- == 0) return rule;
        }
        return nullptr;
    }
    template <class Rule>
    std::vector<Rule*> getRuleContexts() {
        std::vector<Rule*> found;
        for (const ParsedChild& child : children) {
            if (auto* rule = child.as<Rule>()) found.push_back(rule);
        }
        return found;
    }
    antlr4::tree::TerminalNode* getToken(size_t type, size_t at) override {
        for (const ParsedChild& child : children) {
            if (auto* word = child.word(); word && word->type() == type && at-- == 0) return word;
        }
        return nullptr;
    }
    std::vector<antlr4::tree::TerminalNode*> getTokens(size_t type) override {
        std::vector<antlr4::tree::TerminalNode*> found;
        for (const ParsedChild& child : children) {
            if (auto* word = child.word(); word && word->type() == type) found.push_back(word);
        }
        return found;
    }
};

inline ParsedChild::ParsedChild(ParsedRule* rule) : node_(rule), kind_(rule->kind) {}

inline ParsedRule* ParsedChild::rule() const {
    return kind_ == &typeid(ParsedWord) ? nullptr : static_cast<ParsedRule*>(node_);
}

}  // namespace tsr
