// make_lexer_tables OUTPUT: writes the automaton of grammar/TesseraLexer.g4 as tables. It runs when the compiler is
// built, and lets ANTLR, which otherwise makes an automaton while it reads a program, take each step once.
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <vector>

#include "TesseraLexer.h"

namespace {

using namespace antlr4;

// Beyond ASCII all characters are alike (`check_classes`); this one stands for them.
constexpr size_t kOther = 0x80;
constexpr size_t kAscii = 0x80;

// The columns of the tables before those that are alike become one: ASCII, any other character, the end of the text.
constexpr size_t kColumns = kAscii + 2;
size_t character(size_t column) { return column < kAscii ? column : column == kAscii ? kOther : IntStream::EOF; }

struct Accepted {
    size_t type = 0;  // 0: the state accepts nothing
    bool skips = false, pops = false;
    size_t pushes = 0;
};

struct Automaton {
    std::vector<size_t> begins;                       // by mode
    std::vector<std::array<size_t, kColumns>> steps;  // by state; state 0 is the one without a way on
    std::vector<Accepted> accepted;
};

class Explorer : public atn::LexerATNSimulator {
public:
    Explorer(tsr::TesseraLexer& lexer, atn::LexerATNSimulator& usual)
        : LexerATNSimulator(&lexer, usual.atn, usual._decisionToDFA, usual.getSharedContextCache()) {}

    Automaton run(CharStream& nothing) {
        Automaton out;
        out.steps.emplace_back();
        out.accepted.emplace_back();
        for (size_t mode = 0; mode < atn.modeToStartState.size(); ++mode) {
            _mode = mode;
            auto* begin = addDFAState(computeStartState(&nothing, atn.modeToStartState[mode]).release());
            out.begins.push_back(number(begin, out));
            while (!open_.empty()) {
                auto* from = open_.front();
                open_.pop_front();
                for (size_t column = 0; column < kColumns; ++column) {
                    auto* to = computeTargetState(&nothing, from, character(column));
                    const size_t target = to == ERROR.get() ? 0 : number(to, out);
                    out.steps[numbers_.at(from)][column] = target;
                }
            }
        }
        return out;
    }

private:
    size_t number(dfa::DFAState* state, Automaton& out) {
        const auto [found, fresh] = numbers_.try_emplace(state, out.steps.size());
        if (!fresh) return found->second;
        out.steps.emplace_back();
        out.accepted.push_back(accepted(*state));
        open_.push_back(state);
        return found->second;
    }

    static Accepted accepted(const dfa::DFAState& state) {
        if (!state.isAcceptState) return {};
        Accepted out{state.prediction, false, false, 0};
        if (!state.lexerActionExecutor) return out;
        for (const auto& action : state.lexerActionExecutor->getLexerActions()) {
            switch (action->getActionType()) {
                case atn::LexerActionType::SKIP:
                    out.skips = true;
                    break;
                case atn::LexerActionType::POP_MODE:
                    out.pops = true;
                    break;
                case atn::LexerActionType::PUSH_MODE:
                    out.pushes = static_cast<size_t>(static_cast<atn::LexerPushModeAction&>(*action).getMode());
                    break;
                case atn::LexerActionType::TYPE:
                    out.type = static_cast<size_t>(static_cast<atn::LexerTypeAction&>(*action).getType());
                    break;
                default:
                    throw std::runtime_error("the lexer grammar uses a command that the tables do not have");
            }
        }
        return out;
    }

    std::map<dfa::DFAState*, size_t> numbers_;
    std::deque<dfa::DFAState*> open_;
};

// No rule tells two characters beyond ASCII apart.
void check_classes(const atn::ATN& atn) {
    for (const atn::ATNState* state : atn.states) {
        for (const atn::Transition* step : state->transitions) {
            if (step->isEpsilon()) continue;
            const bool first = step->matches(kOther, 0, Lexer::MAX_CHAR_VALUE);
            for (size_t c = kOther; c <= Lexer::MAX_CHAR_VALUE; ++c) {
                if (step->matches(c, 0, Lexer::MAX_CHAR_VALUE) != first)
                    throw std::runtime_error("the lexer grammar tells characters beyond ASCII apart");
            }
        }
    }
}

// Each character is, if nothing else, a word of its own: the reader needs no recovery.
void check_words(const Automaton& automaton) {
    for (const size_t begin : automaton.begins) {
        for (size_t column = 0; column <= kAscii; ++column) {
            if (automaton.accepted[automaton.steps[begin][column]].type == 0)
                throw std::runtime_error("the lexer grammar has no word for some character");
        }
    }
}

void write(const Automaton& automaton, std::FILE* out) {
    // Columns that are alike are one class.
    std::map<std::vector<size_t>, size_t> classes;
    std::array<size_t, kColumns> class_of{};
    std::vector<size_t> columns;
    for (size_t column = 0; column < kColumns; ++column) {
        std::vector<size_t> steps;
        for (const auto& row : automaton.steps) steps.push_back(row[column]);
        const auto [found, fresh] = classes.try_emplace(std::move(steps), classes.size());
        if (fresh) columns.push_back(column);
        class_of[column] = found->second;
    }
    std::fprintf(out, "// Made by frontend/make_lexer_tables.cpp.\n#include \"frontend/lexer_tables.h\"\n\n");
    std::fprintf(out, "namespace tsr {\n\nnamespace {\n\nconstexpr uint16_t kSteps[] = {\n");
    for (const auto& row : automaton.steps) {
        for (const size_t column : columns) std::fprintf(out, "%zu,", row[column]);
        std::fprintf(out, "\n");
    }
    std::fprintf(out, "};\n\nconstexpr LexerTables::Accepted kAccepted[] = {\n");
    for (const Accepted& one : automaton.accepted) {
        std::fprintf(out, "{%zu,%zu,%s,%s},\n", one.type, one.pushes, one.skips ? "true" : "false",
                     one.pops ? "true" : "false");
    }
    std::fprintf(out, "};\n\nconstexpr uint16_t kBegins[] = {");
    for (const size_t begin : automaton.begins) std::fprintf(out, "%zu,", begin);
    std::fprintf(out, "};\n\n}  // namespace\n\nconst LexerTables kLexerTables = {{");
    for (size_t c = 0; c < kAscii; ++c) std::fprintf(out, "%zu,", class_of[c]);
    std::fprintf(out, "}, %zu, %zu, %zu, kSteps, kAccepted, kBegins};\n\n}  // namespace tsr\n", class_of[kAscii],
                 class_of[kAscii + 1], columns.size());
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    ANTLRInputStream nothing("");
    tsr::TesseraLexer lexer(&nothing);
    auto& usual = *lexer.getInterpreter<atn::LexerATNSimulator>();
    check_classes(usual.atn);
    const Automaton automaton = Explorer(lexer, usual).run(nothing);
    check_words(automaton);
    std::FILE* out = std::fopen(arguments[1], "w");
    if (out == nullptr) return 1;
    write(automaton, out);
    return std::fclose(out) == 0 ? 0 : 1;
}
