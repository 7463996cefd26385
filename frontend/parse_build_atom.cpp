#include <cmath>

#include <fmt/core.h>

#include "frontend/literals.h"
#include "frontend/parse_build.h"

namespace tsr {

const ast::Expr* TreeBuilder::atom(P::AtomContext* context) {
    auto at = span(context);
    if (context->exception || context->children.empty()) return hole(at);
    // Its first word says what it is.
    switch (context->start->getType()) {
        case P::NAME:
            return make(at, ast::Name{std::string(text(at))});
        case P::NUMBER:
            return number(context->start);
        case P::TRUE:
            return make(at, ast::BoolLiteral{true});
        case P::FALSE:
            return make(at, ast::BoolLiteral{false});
        case P::NONE:
            return make(at, ast::NoneLiteral{});
        case P::ELLIPSIS:
            return make(at, ast::EllipsisLiteral{});
        case P::LPAREN:
            return parenthesis(context);
        case P::LBRACK:
            return list(context);
        case P::LBRACE:
            return dict(context);
        default:
            return strings(context->strings());
    }
}

const ast::Expr* TreeBuilder::parenthesis(P::AtomContext* context) {
    auto at = span(context);
    if (!context->testList()) {
        ast::Expr* empty = make(at, ast::Tuple{});
        empty->parenthesized = true;
        return empty;
    }
    const ast::Expr* inner = test_list(context->testList());
    if (context->comprehension()) {
        auto* tests = context->testList();
        if (tests->exception || tests->test().size() != 1 || !tests->COMMA().empty()) {
            error("E0134", span(tests), "a generator has one element; a tuple needs parentheses");
            return hole(at);
        }
        inner = generator(inner, context->comprehension(), at);
    }
    // A second pair of parentheses adds nothing.
    ast::Expr& made = module_.exprs[inner->id.index];
    made.parenthesized = true;
    made.span = at;
    return &made;
}

const ast::Expr* TreeBuilder::list(P::AtomContext* context) {
    auto at = span(context);
    auto* tests = context->testList();
    if (!tests) return make(at, ast::List{});
    if (tests->exception) return hole(at);
    if (context->comprehension()) {
        if (tests->test().size() != 1 || !tests->COMMA().empty()) {
            error("E0134", span(tests), "a comprehension has one element; a tuple needs parentheses");
            return hole(at);
        }
        return comprehension(test(tests->test(0)), nullptr, context->comprehension(), at);
    }
    ast::List out;
    for (auto* element : tests->test()) out.elements.push_back(test(element));
    return make(at, std::move(out));
}

const ast::Expr* TreeBuilder::dict(P::AtomContext* context) {
    if (auto* loop = context->comprehension()) {
        auto* entry = context->entry(0);
        if (entry->exception || entry->test().size() != 2) return hole(span(context));
        const ast::Expr* key = test(entry->test(0));
        return comprehension(key, test(entry->test(1)), loop, span(context));
    }
    ast::Dict out;
    for (auto* entry : context->entry()) {
        if (entry->exception || entry->test().size() != 2) return hole(span(context));
        const ast::Expr* key = test(entry->test(0));
        out.entries.emplace_back(key, test(entry->test(1)));
    }
    return make(span(context), std::move(out));
}

const ast::Expr* TreeBuilder::number(antlr4::Token* token) {
    auto at = span(token);
    auto value = read_number(text(at));
    if (const auto* bad = std::get_if<BadNumber>(&value)) {
        error("E0108", at, bad->message);
        return hole(at);
    }
    if (const auto* integer = std::get_if<ast::IntLiteral>(&value)) {
        if (integer->overflow) error("E0109", at, "this integer does not fit in 64 bits");
        return make(at, *integer);
    }
    const auto& real = std::get<ast::FloatLiteral>(value);
    if (std::isinf(real.value)) {
        error("E0110", at, "this number is beyond the range of f64; infinity is written `float(\"inf\")`");
    }
    return make(at, real);
}

std::string TreeBuilder::unescaped(Span at, bool raw, bool fstring) {
    auto out = unescape(text(at), raw, fstring);
    for (const BadEscape& bad : out.bad) {
        error("E0107", report_.span(at.begin + bad.begin, at.begin + bad.end), bad.message);
    }
    return std::move(out.value);
}

// Without prefix and quotes; those at the end may be missing where the string was never closed.
std::string TreeBuilder::plain_string(antlr4::Token* token) {
    auto at = span(token);
    auto written = text(at);
    bool raw = written[0] == 'r' || written[0] == 'R';
    uint32_t quotes = token->getType() == P::TRIPLE ? 3 : 1;
    auto quote = written.substr(raw ? 1 : 0, quotes);
    at.begin += (raw ? 1 : 0) + quotes;
    if (at.end >= at.begin + quotes && written.ends_with(quote)) at.end -= quotes;
    return unescaped(at, raw, false);
}

const ast::Expr* TreeBuilder::strings(P::StringsContext* context) {
    auto at = span(context);
    if (context->exception) return hole(at);
    ast::FString out;
    out.parts.emplace_back();
    bool formatted = false;
    for (const ParsedChild& child : context->children) {
        if (auto* node = child.word()) {
            out.pieces.push_back(span(node));
            out.parts.back().text += plain_string(node);
        } else if (auto* piece = child.as<P::FstringContext>()) {
            if (piece->exception) return hole(at);
            formatted = true;
            out.pieces.push_back(span(piece));
            fstring(piece, out);
        }
    }
    if (formatted) return make(at, std::move(out));
    return make(at, ast::StringLiteral{std::move(out.parts[0].text), std::move(out.pieces)});
}

void TreeBuilder::fstring(P::FstringContext* context, ast::FString& out) {
    for (const ParsedChild& child : context->children) {
        if (auto* filled = child.as<P::HoleContext>()) {
            hole(filled, out);
            continue;
        }
        auto* node = child.word();
        if (!node) continue;
        size_t type = node->type();
        if (type == P::FSTRING_TEXT) out.parts.back().text += unescaped(span(node), false, true);
        if (type == P::LONE_BRACE) error("E0125", span(node), "a `}` in an f-string's text is written `}}`");
    }
}

void TreeBuilder::hole(P::HoleContext* context, ast::FString& out) {
    auto at = span(context);
    ast::FString::Part& part = out.parts.back();
    if (context->exception) {
        part.value = hole(at);
    } else if (!context->testList()) {
        error("E0125", at, "this hole of an f-string is empty; a brace itself is written `{{`");
        part.value = hole(at);
    } else {
        part.value = test_list(context->testList());
    }
    if (context->BANG() && !context->exception) {
        const std::string_view word = text(span(context->NAME()));
        if (word == "r" || word == "s") {
            part.conversion = word[0];
        } else {
            error("E0124", report_.span(span(context->BANG()).begin, span(context->NAME()).end),
                  "an f-string has the conversions `!r` and `!s`");
        }
    }
    if (context->ASSIGN() && !context->exception) {
        // `{x=}` is `x={x!r}`: what is written up to the end of the hole's expression is text.
        antlr4::tree::TerminalNode* ends = context->HOLE_CLOSE();
        if (context->SPEC_COLON()) ends = context->SPEC_COLON();
        if (context->BANG()) ends = context->BANG();
        const Span written = report_.span(span(context->HOLE_OPEN()).end, span(ends).begin);
        part.text += text(written);
        if (!context->BANG() && !context->SPEC_COLON()) part.conversion = 'r';
    }
    if (context->hole().empty() || context->exception) {
        for (auto* text_node : context->FSTRING_TEXT()) part.format += text(span(text_node));
    } else {
        part.spec = spec(context);
    }
    out.parts.emplace_back();
}

// `{x:<{width}}`: the format is itself a text with holes.
const ast::Expr* TreeBuilder::spec(P::HoleContext* context) {
    ast::FString out;
    out.parts.emplace_back();
    bool behind = false;
    for (const ParsedChild& child : context->children) {
        if (auto* filled = child.as<P::HoleContext>()) {
            if (!filled->hole().empty()) {
                error("E0124", span(filled->hole(0)), "the holes of a format have no holes in their own formats");
            }
            hole(filled, out);
            continue;
        }
        auto* node = child.word();
        if (!node) continue;
        if (behind && node->type() == P::FSTRING_TEXT) out.parts.back().text += text(span(node));
        behind |= node == context->SPEC_COLON();
    }
    const Span first = span(context->SPEC_COLON());
    const Span at = report_.span(first.end, span(context->HOLE_CLOSE()).begin);
    return make(at, std::move(out));
}

}  // namespace tsr
