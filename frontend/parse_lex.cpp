#include "frontend/parse_lex.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>

#include "TesseraLexer.h"
#include "base/cancel.h"
#include "frontend/parse_initializers.h"
#include "frontend/parse_text.h"

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

// A state of the automaton, and where it goes from there.
struct LexerState {
    antlr4::dfa::DFAState* dfa = nullptr;
    bool skips = false;
    mutable std::array<const LexerState*, antlr4::atn::LexerATNSimulator::MAX_DFA_EDGE + 1> next{};  // null: not known
};

// ANTLR's own, which makes the lexer's automaton while it reads: but for the lock that it takes for each character, as
// the tables belong to the one thread of a process that parses; and what of the automaton is known is walked here by
// tables of ASCII characters.
class LexerSimulator : public antlr4::atn::LexerATNSimulator {
public:
    LexerSimulator(antlr4::Lexer& lexer, antlr4::atn::LexerATNSimulator& usual)
        : LexerATNSimulator(&lexer, usual.atn, usual._decisionToDFA, usual.getSharedContextCache()) {}

    // The longest word at the head of `text`. Nothing where what decides that is not known yet, is no ASCII, or is the
    // end of the text: `match` reads those.
    struct Word {
        size_t length = 0;
        size_t type = antlr4::Lexer::SKIP;
        antlr4::atn::LexerActionExecutor* actions = nullptr;  // beyond skipping it
    };
    std::optional<Word> known(std::string_view text, size_t mode) {
        const LexerState* state = begin_of(mode);
        const LexerState* accepting = nullptr;
        size_t length = 0;
        for (size_t i = 0; state != nullptr; ++i) {
            if (i == text.size()) return std::nullopt;
            const auto c = static_cast<unsigned char>(text[i]);
            if (c > MAX_DFA_EDGE) return std::nullopt;
            state = state->next[c] != nullptr ? state->next[c] : learned(*state, c);
            if (state == &dead_) break;
            if (state != nullptr && state->dfa->isAcceptState) {
                accepting = state;
                length = i + 1;
            }
        }
        if (state == nullptr || accepting == nullptr) return std::nullopt;
        if (accepting->skips) return Word{length};
        return Word{length, accepting->dfa->prediction, accepting->dfa->lexerActionExecutor.get()};
    }

protected:
    antlr4::dfa::DFAState* getExistingTargetState(antlr4::dfa::DFAState* from, size_t character) override {
        if (character > MAX_DFA_EDGE) return nullptr;
        const auto found = from->edges.find(character);
        return found == from->edges.end() ? nullptr : found->second;
    }

private:
    const LexerState* begin_of(size_t mode) {
        if (begins_.size() <= mode) begins_.resize(mode + 1);
        if (begins_[mode] == nullptr && _decisionToDFA[mode].s0 != nullptr)
            begins_[mode] = &state_of(_decisionToDFA[mode].s0);
        return begins_[mode];
    }

    const LexerState* learned(const LexerState& from, size_t character) {
        auto* target = getExistingTargetState(from.dfa, character);
        if (target == nullptr) return nullptr;
        return from.next[character] = target == ERROR.get() ? &dead_ : &state_of(target);
    }

    static const LexerState& state_of(antlr4::dfa::DFAState* dfa) {
        auto& state = states_[dfa];
        if (state) return *state;
        state = std::make_unique<LexerState>();
        state->dfa = dfa;
        if (dfa->isAcceptState && dfa->lexerActionExecutor) {
            const auto actions = dfa->lexerActionExecutor->getLexerActions();
            state->skips = actions.size() == 1 && actions[0]->getActionType() == antlr4::atn::LexerActionType::SKIP;
        }
        return *state;
    }

    // Of the automaton that all lexers share.
    static inline std::unordered_map<antlr4::dfa::DFAState*, std::unique_ptr<LexerState>> states_;
    static inline std::vector<const LexerState*> begins_;
    static inline const LexerState dead_;
};

class WordReader {
public:
    explicit WordReader(std::string_view text)
        : text_(text), points_(text), input_(std::string(points_.body())), lexer_(&input_) {
        lexer_.removeErrorListeners();
        simulator_ = new LexerSimulator(lexer_, *lexer_.getInterpreter<antlr4::atn::LexerATNSimulator>());
        lexer_.setInterpreter(simulator_);  // the lexer owns it
        words_.reserve(text.size() / 3);
    }

    std::vector<Lexeme> run() {
        while (true) {
            stop_if_cancelled();
            if (!match_next()) {
                const uint32_t end = points_.byte(index_);
                close_strings(end, true);
                words_.push_back({kEndOfFile, end, end});
                return std::move(words_);
            }
            take({static_cast<uint32_t>(lexer_.type), points_.byte(lexer_.tokenStartCharIndex), points_.byte(index_)});
        }
    }

private:
    // Leaves the next token's type and start in the lexer, its end is where the input stands; false at the end of the
    // text. Does what `Lexer::nextToken` does, which makes an object of each token.
    bool match_next() {
        while (!lexer_.hitEOF) {
            if (match_known()) {
                if (lexer_.type != antlr4::Lexer::SKIP) return true;
                continue;
            }
            input_.seek(index_);
            lexer_.tokenStartCharIndex = index_;
            do {
                lexer_.type = antlr4::Token::INVALID_TYPE;
                size_t matched = antlr4::Lexer::SKIP;
                try {
                    matched = simulator_->match(&input_, lexer_.mode);
                } catch (const antlr4::LexerNoViableAltException& e) {
                    lexer_.recover(e);
                }
                if (input_.LA(1) == antlr4::Token::EOF) lexer_.hitEOF = true;
                if (lexer_.type == antlr4::Token::INVALID_TYPE) lexer_.type = matched;
            } while (lexer_.type == antlr4::Lexer::MORE);
            index_ = input_.index();
            if (lexer_.type == antlr4::Token::EOF) return false;
            if (lexer_.type != antlr4::Lexer::SKIP) return true;
        }
        return false;
    }

    bool match_known() {
        const uint32_t begin = points_.byte(index_);
        const auto word = simulator_->known(text_.substr(begin), lexer_.mode);
        if (!word) return false;
        lexer_.tokenStartCharIndex = index_;
        index_ += word->length;
        lexer_.type = word->type;
        if (word->actions != nullptr) word->actions->execute(&lexer_, &input_, lexer_.tokenStartCharIndex);
        return true;
    }

    void take(Lexeme word);
    void take_in_hole(Lexeme word);
    void take_in_format(Lexeme word);
    // Ends the open strings that end with their line, or all.
    void close_strings(uint32_t at, bool all);
    void open(Lexeme word) { opened_.push_back({text_[word.end - 1], word.end - word.begin > 2, {}}); }

    std::string_view text_;
    CodePoints points_;
    antlr4::ANTLRInputStream input_;
    TesseraLexer lexer_;
    LexerSimulator* simulator_ = nullptr;
    size_t index_ = 0;  // of the next code point
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
            lexer_.pushMode(Type::DEFAULT_MODE);
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
                lexer_.popMode();
            }
            break;
        case Type::COLON:
            if (hole.brackets == 0) {
                word.type = Type::SPEC_COLON;
                hole.in_format = true;
                lexer_.pushMode(Type::FORMAT);
            }
            break;
        case Type::WALRUS:  // `{x:=8}`: the format begins with `=`
            if (hole.brackets == 0) {
                words_.push_back({Type::SPEC_COLON, word.begin, word.begin + 1});
                word = {Type::FSTRING_TEXT, word.begin + 1, word.end};
                hole.in_format = true;
                lexer_.pushMode(Type::FORMAT);
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
            lexer_.popMode();  // the format
            lexer_.popMode();  // the hole
            break;
        case Type::HOLE_OPEN:
            string.holes.emplace_back();
            lexer_.pushMode(Type::DEFAULT_MODE);
            break;
        case Type::FORMAT_BREAK:
            if (text_[word.begin] == string.quote && !string.triple) {
                // The quote ends the string; its holes were not closed.
                word.type = Type::BAD_FSTRING_END;
                for (; !string.holes.empty(); string.holes.pop_back()) {
                    words_.push_back({Type::HOLE_CLOSE, word.begin, word.begin});
                    if (string.holes.back().in_format) lexer_.popMode();
                    lexer_.popMode();
                }
                lexer_.popMode();
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
            if (opened_.back().holes.back().in_format) lexer_.popMode();
            lexer_.popMode();
        }
        words_.push_back({Type::BAD_FSTRING_END, at, at});
        lexer_.popMode();
        opened_.pop_back();
    }
}

}  // namespace

std::vector<Lexeme> lex(std::string_view text) {
    initialize_parser();
    return WordReader(text).run();
}

}  // namespace tsr
