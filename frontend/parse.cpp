#include "frontend/parse.h"

#include <fmt/core.h>

#include "TesseraLexer.h"
#include "TesseraParser.h"
#include "frontend/parse_brackets.h"
#include "frontend/parse_build.h"
#include "frontend/parse_context.h"
#include "frontend/parse_layout.h"
#include "frontend/parse_lex.h"
#include "frontend/parse_messages.h"
#include "frontend/parse_recover.h"
#include "frontend/parse_run.h"
#include "frontend/parse_text.h"
#include "frontend/parse_words.h"

namespace tsr {

std::vector<std::unique_ptr<antlr4::Token>> parser_tokens(const std::vector<Lexeme>& words) {
    std::vector<std::unique_ptr<antlr4::Token>> out;
    out.reserve(words.size());
    for (const Lexeme& word : words) {
        auto token = std::make_unique<antlr4::CommonToken>(word.type == kEndOfFile ? antlr4::Token::EOF : word.type);
        token->setStartIndex(word.begin);
        token->setStopIndex(word.end);
        out.push_back(std::move(token));
    }
    return out;
}

Layout read_words(std::string_view text, SyntaxReport& report) {
    auto words = match_brackets(check_words(lex(text), text, report), text, report);
    Layout layout = lay_out(words, text, report);
    mark_contextual_words(layout.words, text);
    return layout;
}

std::unique_ptr<ast::Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics) {
    auto module = std::make_unique<ast::Module>();
    module->file = file;
    auto text = sources.text(file);
    if (size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
        auto at = static_cast<uint32_t>(bad);
        diagnostics.error("E0101", {file, at, at + 1},
                          fmt::format("this file is not UTF-8: byte {:#04x} begins no character",
                                      static_cast<unsigned>(static_cast<unsigned char>(text[bad]))));
        return module;
    }
    SyntaxReport report(file);
    Layout layout = read_words(text, report);
    antlr4::ListTokenSource source(parser_tokens(layout.words));
    antlr4::CommonTokenStream stream(&source);
    TesseraParser parser(&stream);
    parser.removeErrorListeners();
    SyntaxMessages messages(layout.words, text, parser.getVocabulary(), report);
    parser.setErrorHandler(std::make_shared<RecoveryStrategy>(messages));
    auto* tree = parser.file();
    module->comments = std::move(layout.comments);
    TreeBuilder(*module, text, report).build(tree);
    std::move(report).finish(layout.lines, diagnostics);
    return module;
}

}  // namespace tsr
