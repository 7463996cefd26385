// make_parser_tables OUTPUT: writes what frontend/parser_tables.h describes. It runs when the compiler is built.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "TesseraParser.h"
#include "frontend/parser_tables.h"

namespace tsr {

const ParserTables kParserTables{};  // the parser, which this program has for its grammar, does not run here

}  // namespace tsr

namespace {

using namespace antlr4;
using atn::Transition;

tsr::WordSet set_of(const misc::IntervalSet& types) {
    tsr::WordSet out{};
    for (const ssize_t type : types.toList()) {
        const auto number = static_cast<size_t>(type);
        if (number == Token::EPSILON) continue;  // what follows the rule, which no decision by two words asks for
        if (number != Token::EOF && number >= tsr::WordSet::kTypes)
            throw std::runtime_error("the grammar has more types of words than the tables");
        const size_t bit = number == Token::EOF ? 0 : number;
        out.bits[bit / 64] |= uint64_t{1} << bit % 64;
    }
    return out;
}

tsr::ParserTables::Alternative begin_of(const atn::ATN& atn, const Transition& way) {
    atn::ATNState* state = way.target;
    const auto only = [&] { return state->transitions.size() == 1 ? state->transitions[0] : nullptr; };
    while (only() != nullptr && only()->isEpsilon() && only()->getSerializationType() != Transition::RULE)
        state = only()->target;
    if (only() == nullptr || only()->getSerializationType() != Transition::ATOM)
        return {0, set_of(atn.nextTokens(way.target))};
    return {static_cast<uint8_t>(only()->label().getMinElement()), set_of(atn.nextTokens(only()->target))};
}

void write(const tsr::WordSet& set, std::FILE* out) {
    std::fprintf(out, "{{0x%llxU, 0x%llxU}}", static_cast<unsigned long long>(set.bits[0]),
                 static_cast<unsigned long long>(set.bits[1]));
}

void write(const atn::ATN& atn, std::FILE* out) {
    std::fprintf(out, "// Made by frontend/make_parser_tables.cpp.\n#include \"frontend/parser_tables.h\"\n\n");
    std::fprintf(out, "namespace tsr {\n\nnamespace {\n\nconstexpr ParserTables::Alternative kAlternatives[] = {\n");
    std::vector<tsr::ParserTables::Decision> decisions;
    size_t first = 0;
    for (atn::DecisionState* state : atn.decisionToState) {
        const bool is_loop = state->getStateType() == atn::ATNState::STAR_LOOP_ENTRY;
        const size_t count = state->transitions.size() - (is_loop ? 1 : 0);
        decisions.push_back({is_loop, static_cast<uint16_t>(first), static_cast<uint16_t>(count)});
        first += count;
        for (size_t i = 0; i < count; ++i) {
            const auto one = begin_of(atn, *state->transitions[i]);
            std::fprintf(out, "{%u, ", one.word);
            write(one.next, out);
            std::fprintf(out, "},\n");
        }
    }
    std::fprintf(out, "};\n\nconstexpr ParserTables::Decision kDecisions[] = {\n");
    for (const auto& decision : decisions)
        std::fprintf(out, "{%s, %u, %u},\n", decision.is_loop ? "true" : "false", decision.first, decision.count);
    std::fprintf(out, "};\n\n}  // namespace\n\nconst ParserTables kParserTables = {kDecisions, kAlternatives, ");
    write(set_of(atn.nextTokens(atn.ruleToStartState[tsr::TesseraParser::RuleStatement])), out);
    std::fprintf(out, "};\n\n}  // namespace tsr\n");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    tsr::WordStream nothing({{tsr::kEndOfFile, 0, 0}});
    tsr::TesseraParser parser(&nothing);
    std::FILE* out = std::fopen(arguments[1], "w");
    if (out == nullptr) return 1;
    write(parser.getATN(), out);
    return std::fclose(out) == 0 ? 0 : 1;
}
