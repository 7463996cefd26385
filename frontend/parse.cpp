#include "frontend/parse.h"

#include <algorithm>
#include <utility>

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

namespace {

// The words of a part of a text, without the one for its end.
void lex_part(std::string_view text, uint32_t begin, uint32_t end, std::vector<Lexeme>& out) {
    const auto words = lex(text.substr(begin, end - begin));
    out.reserve(out.size() + words.size());
    for (const Lexeme& word : words) {
        if (word.type != kEndOfFile) out.push_back({word.type, word.begin + begin, word.end + begin});
    }
}

}  // namespace

Layout read_words(std::string_view text, SyntaxReport& report, std::span<const LaterBody> later) {
    const auto size = static_cast<uint32_t>(text.size());
    std::vector<Lexeme> found;
    if (later.empty()) {
        found = lex(text);
    } else {
        uint32_t at = 0;
        for (const LaterBody& body : later) {
            lex_part(text, at, body.begin, found);
            at = body.end;
        }
        lex_part(text, at, size, found);
        found.push_back({kEndOfFile, size, size});
    }
    auto words = match_brackets(check_words(std::move(found), text, report), text, report);
    Layout layout = lay_out(words, text, false, report);
    mark_contextual_words(layout.words, text);
    return layout;
}

namespace {

// The parser over `words`, with this project's messages and recovery.
template <typename Use>
void run_parser(const std::vector<Lexeme>& words, std::string_view text, SyntaxReport& report, Use use) {
    WordStream stream(words);
    TesseraParser parser(&stream);
    parser.removeErrorListeners();
    SyntaxMessages messages(words, text, parser.getVocabulary(), report);
    parser.setErrorHandler(std::make_shared<RecoveryStrategy>(messages));
    use(parser);
}

// The range between the quotes of a plain literal.
Span inside_quotes(Span literal, std::string_view text) {
    auto written = text.substr(literal.begin, literal.end - literal.begin);
    uint32_t prefix = written[0] == 'r' || written[0] == 'R' ? 1 : 0;
    auto quote = written.substr(prefix, 1);
    auto triple = written.substr(prefix, 3);
    bool tripled = triple.size() == 3 && triple[1] == quote[0] && triple[2] == quote[0];
    uint32_t quotes = tripled ? 3 : 1;
    uint32_t begin = std::min(literal.begin + prefix + quotes, literal.end);
    bool closed = literal.end >= begin + quotes && written.ends_with(quote);
    return {literal.file, begin, closed ? literal.end - quotes : literal.end};
}

}  // namespace

std::unique_ptr<ast::Module> parse(FileId file, const Sources& sources, Diagnostics& diagnostics,
                                   std::span<const LaterBody> later) {
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
    Layout layout = read_words(text, report, later);
    run_parser(layout.words, text, report, [&](TesseraParser& parser) {
        auto* tree = parser.file();
        TreeBuilder(*module, text, report, later).build(tree);
    });
    module->comments = std::move(layout.comments);
    std::move(report).finish(layout.lines, diagnostics);
    return module;
}

void parse_body(ast::Module& module, ast::StmtId function, const Sources& sources, Diagnostics& diagnostics) {
    auto& def = std::get<ast::FunctionDef>(module.stmts[function.index].node);
    const Span body = std::exchange(def.later, Span{});
    auto text = sources.text(module.file);
    SyntaxReport report(module.file);
    std::vector<Lexeme> found;
    lex_part(text, body.begin, body.end, found);
    found.push_back({kEndOfFile, body.end, body.end});
    auto words = match_brackets(check_words(std::move(found), text, report), text, report);
    Layout layout = lay_out(words, text, true, report);
    mark_contextual_words(layout.words, text);
    run_parser(layout.words, text, report, [&](TesseraParser& parser) {
        auto* tree = parser.body();
        def.body = TreeBuilder(module, text, report).build(tree);
    });
    const auto behind = std::ranges::lower_bound(module.comments, body.begin, {},
                                                 [](const ast::Comment& comment) { return comment.span.begin; });
    module.comments.insert(behind, layout.comments.begin(), layout.comments.end());
    std::move(report).finish(layout.lines, diagnostics);
}

TypeText parse_type(const ast::StringLiteral& literal, const Sources& sources, Diagnostics& diagnostics) {
    TypeText out{std::make_unique<ast::Module>(), nullptr};
    Span first = literal.pieces.front();
    out.nodes->file = first.file;
    auto text = sources.text(first.file);
    SyntaxReport report(first.file);
    if (literal.pieces.size() > 1) {
        report.sentence("E0142", first.to(literal.pieces.back()), "a type is written in one string");
    }
    Span inner = inside_quotes(first, text);
    auto words = lex(sources.text(inner));
    for (Lexeme& word : words) {
        word.begin += inner.begin;
        word.end += inner.begin;
    }
    words = match_brackets(check_words(std::move(words), text, report), text, report);
    std::erase_if(words, [](const Lexeme& word) {
        return word.type == TesseraLexer::NEWLINE || word.type == TesseraLexer::COMMENT;
    });
    words.insert(words.end() - 1, {TesseraLexer::NEWLINE, inner.end, inner.end});
    run_parser(words, text, report, [&](TesseraParser& parser) {
        auto* tree = parser.typeText();
        out.type = TreeBuilder(*out.nodes, text, report).build(tree);
    });
    std::move(report).finish({}, diagnostics);
    return out;
}

}  // namespace tsr
