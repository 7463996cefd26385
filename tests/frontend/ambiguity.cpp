// A decision that the parser can not make by looking a few words ahead slows the whole language.
#include <doctest/doctest.h>

#include "TesseraParser.h"
#include "corpus.h"
#include "frontend/parse_run.h"

using namespace tsr;
using namespace tsr::test;

namespace {

class CountReports : public antlr4::DiagnosticErrorListener {
public:
    CountReports() : DiagnosticErrorListener(true) {}
    void reportAmbiguity(antlr4::Parser* parser, const antlr4::dfa::DFA& dfa, size_t start, size_t, bool,
                         const antlrcpp::BitSet&, antlr4::atn::ATNConfigSet*) override {
        report("ambiguity", parser, dfa, start);
    }
    void reportAttemptingFullContext(antlr4::Parser* parser, const antlr4::dfa::DFA& dfa, size_t start, size_t,
                                     const antlrcpp::BitSet&, antlr4::atn::ATNConfigSet*) override {
        report("full context", parser, dfa, start);
    }

    std::vector<std::string> reports;

private:
    void report(const char* kind, antlr4::Parser* parser, const antlr4::dfa::DFA& dfa, size_t start) {
        auto rule = parser->getRuleNames()[dfa.atnStartState->ruleIndex];
        auto at = parser->getTokenStream()->get(start)->getStartIndex();
        reports.push_back(std::string(kind) + " in " + rule + " at byte " + std::to_string(at));
    }
};

// Decides as ANTLR does, which looks as far ahead as it needs, and holds the parser's own decisions, by two words,
// against that.
class PredictingParser : public TesseraParser {
public:
    explicit PredictingParser(antlr4::TokenStream* words)
        : TesseraParser(words), simulator_(*Recognizer::getInterpreter<antlr4::atn::ParserATNSimulator>()) {
        simulator_.setPredictionMode(antlr4::atn::PredictionMode::LL_EXACT_AMBIG_DETECTION);
    }

protected:
    size_t decide(size_t decision) override {
        const size_t predicted = simulator_.adaptivePredict(_input, decision, _ctx);
        CHECK(TesseraParser::decide(decision) == predicted);
        return predicted;
    }

private:
    antlr4::atn::ParserATNSimulator& simulator_;
};

}  // namespace

TEST_CASE("the grammar is unambiguous on the corpus") {
    for (const auto& program : corpus()) {
        CAPTURE(program.name);
        SyntaxReport report(FileId(0));
        Layout words = read_words(program.text, report);
        WordStream stream(words.words);
        PredictingParser parser(&stream);
        parser.removeErrorListeners();
        CountReports count;
        parser.addErrorListener(&count);
        parser.file();
        CHECK(parser.getNumberOfSyntaxErrors() == 0);
        CHECK(count.reports.empty());
        for (const auto& line : count.reports) MESSAGE(line);
    }
}
