#include "frontend/parse_recover.h"

#include "TesseraParser.h"
#include "frontend/parse_initializers.h"
#include "frontend/parser_tables.h"

namespace tsr {

namespace {

using Rules = TesseraParser;

bool is_edge(size_t type) {
    return type == Rules::NEWLINE || type == Rules::INDENT || type == Rules::DEDENT || type == antlr4::Token::EOF;
}

// Rules that end with their line or block; the others leave the line's end to the one of these that called them.
bool holds_line(size_t rule) {
    switch (rule) {
        case Rules::RuleStatement:
        case Rules::RuleSimpleLine:
        case Rules::RuleBlock:
        case Rules::RuleIfStatement:
        case Rules::RuleElifPart:
        case Rules::RuleElsePart:
        case Rules::RuleForStatement:
        case Rules::RuleWhileStatement:
        case Rules::RuleDefinition:
        case Rules::RuleFunctionDefinition:
        case Rules::RuleClassDefinition:
        case Rules::RuleRefused:
        case Rules::RuleRefusedTail:
            return true;
        default:
            return false;
    }
}

}  // namespace

void RecoveryStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& error) {
    if (inErrorRecoveryMode(parser)) return;
    initialize_parser();  // for what would have been expected
    beginErrorCondition(parser);
    auto* base = static_cast<ParserBase*>(parser);
    size_t word = error.getOffendingToken()->getTokenIndex();
    if (base->too_deep()) {
        messages_.too_deep(word);
        return;
    }
    messages_.mismatch(word, error.getExpectedTokens(), *parser->getContext());
}

antlr4::Token* RecoveryStrategy::recoverInline(antlr4::Parser* parser) { throw antlr4::InputMismatchException(parser); }

void RecoveryStrategy::beginErrorCondition(antlr4::Parser* parser) {
    static_cast<ParserBase*>(parser)->recovering = true;
    DefaultErrorStrategy::beginErrorCondition(parser);
}

void RecoveryStrategy::endErrorCondition(antlr4::Parser* parser) {
    static_cast<ParserBase*>(parser)->recovering = false;
    DefaultErrorStrategy::endErrorCondition(parser);
}

void RecoveryStrategy::skip_line(antlr4::Parser* parser) {
    auto* input = parser->getTokenStream();
    while (!is_edge(input->LA(1))) parser->consume();
}

void RecoveryStrategy::next_line(antlr4::Parser* parser) {
    auto* input = parser->getTokenStream();
    if (input->LA(1) == Rules::NEWLINE) parser->consume();
    endErrorCondition(parser);
    if (input->LA(1) == Rules::INDENT) static_cast<TesseraParser*>(parser)->body();
}

void RecoveryStrategy::recover(antlr4::Parser* parser, std::exception_ptr) {
    auto* input = parser->getTokenStream();
    size_t rule = parser->getContext()->getRuleIndex();
    if (rule == Rules::RuleDefinition && input->LT(-1) != nullptr && input->LT(-1)->getType() == Rules::NEWLINE) {
        // Decorators over something else: that is a line of its own.
        endErrorCondition(parser);
        return;
    }
    skip_line(parser);
    if (holds_line(rule)) next_line(parser);
}

void RecoveryStrategy::sync(antlr4::Parser* parser) {
    size_t rule = parser->getContext()->getRuleIndex();
    if (rule != Rules::RuleFile && rule != Rules::RuleBody) return;
    auto* input = parser->getTokenStream();
    while (true) {
        size_t next = input->LA(1);
        bool ends = next == antlr4::Token::EOF || (next == Rules::DEDENT && rule == Rules::RuleBody);
        if (ends || kParserTables.statement.has(next)) return;
        if (next == Rules::INDENT) {
            // A block after a line that could not be read as its header.
            static_cast<TesseraParser*>(parser)->body();
        } else if (is_edge(next)) {
            parser->consume();
        } else {
            reportError(parser, antlr4::InputMismatchException(parser));
            skip_line(parser);
            next_line(parser);
        }
    }
}

}  // namespace tsr
