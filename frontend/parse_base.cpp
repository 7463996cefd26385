#include "frontend/parse_base.h"

#include <bitset>

namespace tsr {

namespace {

constexpr size_t kWordTypes = 128;  // the grammar has fewer

// Types of words; the end of the file has the number 0, which no other has.
class WordSet {
public:
    explicit WordSet(const antlr4::misc::IntervalSet& types) {
        for (const ssize_t type : types.toList()) bits_.set(number(static_cast<size_t>(type)));
    }
    [[nodiscard]] bool has(size_t type) const { return bits_[number(type)]; }

private:
    static size_t number(size_t type) { return type < kWordTypes ? type : 0; }
    std::bitset<kWordTypes> bits_;
};

struct Alternative {
    size_t word;   // that it begins with; INVALID_TYPE where it begins with a rule
    WordSet next;  // what can stand behind that word, or at the begin of the rule
};

struct Decision {
    bool is_loop;  // whose last alternative leaves it
    std::vector<Alternative> alternatives;
};

Alternative begin_of(const antlr4::atn::ATN& atn, antlr4::atn::Transition* way) {
    auto* state = way->target;
    while (state->transitions.size() == 1 && state->transitions[0]->isEpsilon() &&
           state->transitions[0]->getSerializationType() != antlr4::atn::Transition::RULE)
        state = state->transitions[0]->target;
    const bool word = state->transitions.size() == 1 &&
                      state->transitions[0]->getSerializationType() == antlr4::atn::Transition::ATOM;
    if (!word) return {antlr4::Token::INVALID_TYPE, WordSet(atn.nextTokens(way->target))};
    auto* begin = state->transitions[0];
    return {static_cast<size_t>(begin->label().getMinElement()), WordSet(atn.nextTokens(begin->target))};
}

Decision read_decision(const antlr4::atn::ATN& atn, size_t number) {
    auto* state = atn.decisionToState[number];
    Decision decision{state->getStateType() == antlr4::atn::ATNState::STAR_LOOP_ENTRY, {}};
    const size_t asked = state->transitions.size() - (decision.is_loop ? 1 : 0);
    for (size_t i = 0; i < asked; ++i) decision.alternatives.push_back(begin_of(atn, state->transitions[i]));
    return decision;
}

}  // namespace

void ParserBase::enter() {
    if (too_deep()) throw antlr4::InputMismatchException(this);
    ++depth_;
}

size_t ParserBase::decide(size_t decision) {
    // Few decisions are ever asked for.
    thread_local std::vector<std::unique_ptr<Decision>> known;
    const auto& atn = getATN();
    known.resize(atn.decisionToState.size());
    if (!known[decision]) known[decision] = std::make_unique<Decision>(read_decision(atn, decision));
    const size_t first = _input->word(0).type(), second = _input->word(1).type();
    const auto& alternatives = known[decision]->alternatives;
    for (size_t i = 0; i < alternatives.size(); ++i) {
        const Alternative& one = alternatives[i];
        const bool fits =
            one.word == antlr4::Token::INVALID_TYPE ? one.next.has(first) : one.word == first && one.next.has(second);
        if (fits) return i + 1;
    }
    if (!known[decision]->is_loop) throw antlr4::NoViableAltException(this);
    return alternatives.size() + 1;
}

}  // namespace tsr
