#include "frontend/parse_messages.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "TesseraParser.h"
#include "frontend/foreign_names.h"

namespace tsr {

namespace {

using Grammar = TesseraParser;
using antlr4::misc::IntervalSet;

bool is_edge(uint32_t type) {
    return type == Grammar::NEWLINE || type == Grammar::INDENT || type == Grammar::DEDENT || type == kEndOfFile;
}

bool is_keyword(uint32_t type) { return type >= Grammar::AND && type <= Grammar::WHILE; }

bool is_opening(uint32_t type) {
    return type == Grammar::LPAREN || type == Grammar::LBRACK || type == Grammar::LBRACE || type == Grammar::HOLE_OPEN;
}

bool is_string(uint32_t type) {
    return type == Grammar::STRING || type == Grammar::TRIPLE || type == Grammar::FSTRING_DOUBLE ||
           type == Grammar::FSTRING_SINGLE || type == Grammar::FSTRING_TRIPLE_DOUBLE ||
           type == Grammar::FSTRING_TRIPLE_SINGLE;
}

// Python's words that begin something Tessera lacks; elsewhere they are names.
constexpr std::array<std::string_view, 13> kRefusedWords = {"with",  "try",    "except",  "finally", "match",
                                                            "case",  "async",  "await",   "yield",   "del",
                                                            "raise", "global", "nonlocal"};

// Words that begin a statement, for "did you mean".
const std::vector<std::string> kStatementWords = {"if",    "elif",   "else",   "for",  "while",  "def",
                                                  "class", "return", "import", "from", "assert", "pass"};

bool expects_expression(const IntervalSet& expected) {
    return expected.contains(size_t{Grammar::NUMBER}) && expected.contains(size_t{Grammar::NAME});
}

}  // namespace

size_t SyntaxMessages::line_head(size_t at) const {
    while (at > 0 && !is_edge(type(at - 1))) --at;
    return at;
}

Span SyntaxMessages::place(size_t at) const {
    const Lexeme& word = words_[at];
    if ((is_edge(word.type) || word.begin == word.end) && at > 0) {
        uint32_t end = words_[at - 1].end;
        return report_.span(end, end);
    }
    return report_.span(word.begin, word.end);
}

std::string SyntaxMessages::found(size_t at) const {
    uint32_t of = type(at);
    if (of == kEndOfFile) return "the end of the file";
    if (is_edge(of) || words_[at].begin == words_[at].end) return "the end of the line";
    if (is_string(of)) return "a string";
    constexpr size_t kShown = 30;
    auto shown = text(at);
    return shown.size() > kShown ? "this" : fmt::format("`{}`", shown);
}

std::string SyntaxMessages::name_of(size_t type) const {
    switch (type) {
        case Grammar::NEWLINE:
            return "the end of the line";
        case Grammar::NAME:
            return "a name";
        case Grammar::NUMBER:
            return "a number";
        case Grammar::INDENT:
            return "an indented block";
        case Grammar::DEDENT:
            return "the end of the block";
        case Grammar::HOLE_CLOSE:
            return "`}`";
        case Grammar::SPEC_COLON:
            return "`:`";
        case antlr4::Token::EOF:
            return "the end of the file";
        default:
            break;
    }
    auto name = vocabulary_.getLiteralName(type);
    if (name.size() < 2) return {};
    return fmt::format("`{}`", name.substr(1, name.size() - 2));
}

void SyntaxMessages::too_deep(size_t at) { report_.sentence("E0115", place(at), "this expression nests too deeply"); }

void SyntaxMessages::mismatch(size_t at, const IntervalSet& expected, const antlr4::ParserRuleContext& context) {
    size_t rule = context.getRuleIndex();
    if (refused_operator(at) || refused_word(at)) return;
    if (misplaced_word(at, expected, rule)) return;
    if (wrong_equals(at, expected) || missing_colon(at, expected, rule)) return;
    if (set_display(at, expected, context)) return;
    if (missing_expression(at, expected)) return;
    anything_else(at, expected);
}

bool SyntaxMessages::refused_operator(size_t at) {
    auto refuse = [&](Span span, std::string message, std::string instead) {
        auto& told = report_.sentence("E0122", span, std::move(message));
        if (!instead.empty()) told.suggest(span, instead, fmt::format("write `{}`", instead));
        return true;
    };
    uint32_t of = type(at);
    uint32_t before = at > 0 ? type(at - 1) : kEndOfFile;
    auto both = [&] { return report_.span(words_[at - 1].begin, words_[at].end); };
    if (of == Grammar::WALRUS) {
        return refuse(place(at), "Tessera has no `:=`; assign on a line of its own", "");
    }
    if (of == Grammar::NAME && text(at) == "is") {
        return refuse(place(at), "Tessera has no `is`; values are compared with `==`", "==");
    }
    if (of == Grammar::AMP && before == Grammar::AMP) return refuse(both(), "Tessera has no `&&`", "and");
    if (of == Grammar::PIPE && before == Grammar::PIPE) return refuse(both(), "Tessera has no `||`", "or");
    if (of == Grammar::GT && before == Grammar::LT) return refuse(both(), "Tessera has no `<>`", "!=");
    if (of == Grammar::BANG) return refuse(place(at), "Tessera has no `!`", "not ");
    bool doubled = at > 1 && (before == Grammar::PLUS || before == Grammar::MINUS) && type(at - 2) == before &&
                   adjoins_previous(at - 1) && is_edge(of);
    if (doubled) {
        auto span = report_.span(words_[at - 2].begin, words_[at - 1].end);
        auto instead = before == Grammar::PLUS ? " += 1" : " -= 1";
        return refuse(span, fmt::format("Tessera has no `{0}{0}`", text(at - 1)), instead);
    }
    return false;
}

bool SyntaxMessages::refused_word(size_t at) {
    auto is_refused = [&](size_t i) {
        bool word = type(i) == Grammar::NAME || type(i) == Grammar::REFUSED || type(i) == Grammar::REFUSED_TAIL;
        return word && std::ranges::find(kRefusedWords, text(i)) != kRefusedWords.end();
    };
    size_t head = line_head(at);
    for (size_t i : {at, at > 0 ? at - 1 : at, head}) {
        if (i >= words_.size() || !is_refused(i)) continue;
        // As the first word of a broken line, or as a word that only stands before an operand.
        bool begins = i == head && at <= head + 1;
        if (!begins && i + 1 != at && type(i) == Grammar::NAME) continue;
        report_.sentence("E0121", place(i), fmt::format("Tessera has no `{}`", text(i)));
        return true;
    }
    return foreign_word(at, head);
}

// `foreach (i = 0 ... n)`, `__shared__ float x[128];`.
bool SyntaxMessages::foreign_word(size_t at, size_t head) {
    if (at > head + 1 || type(head) != Grammar::NAME) return false;
    const auto word = text(head);
    const bool begins = word.starts_with("__") || word == "foreach" || word == "uniform" || word == "varying";
    const auto hint = begins ? foreign_hint(word) : std::nullopt;
    if (!hint) return false;
    report_.sentence("E0121", place(head), fmt::format("Tessera has no `{}`", word)).note(std::string(*hint));
    return true;
}

bool SyntaxMessages::misplaced_word(size_t at, const IntervalSet& expected, size_t rule) {
    auto tell = [&](const char* code, size_t i, std::string message) -> bool {
        report_.sentence(code, place(i), std::move(message));
        return true;
    };
    uint32_t of = type(at);
    uint32_t before = at > 0 ? type(at - 1) : kEndOfFile;
    if (rule == Grammar::RuleDefinition) {
        return tell("E0128", line_head(at > 0 && before == Grammar::NEWLINE ? at - 1 : at),
                    "a decorator stands before a `def` or a `class`");
    }
    if (of == Grammar::MUT) {
        return tell("E0130", at, "`mut` stands only at the head of an annotation");
    }
    bool heads_operand = is_opening(before) || before == Grammar::COMMA || before == Grammar::ASSIGN;
    if ((of == Grammar::STAR || of == Grammar::POW) && (heads_operand || expects_expression(expected))) {
        return tell("E0123", at, fmt::format("Tessera does not unpack with `{}`", text(at)));
    }
    if (is_string(of) && before == Grammar::NAME && adjoins_previous(at)) {
        return tell("E0132", at - 1, fmt::format("strings have no prefix `{}`", text(at - 1)));
    }
    if (before == Grammar::ELSE && of == Grammar::IF) {
        auto span = report_.span(words_[at - 1].begin, words_[at].end);
        report_.sentence("E0139", span, "`else if` is one word").suggest(span, "elif", "write `elif`");
        return true;
    }
    bool continues = of == Grammar::ELSE || of == Grammar::ELIF;
    if (continues && line_head(at) == at) {
        return tell("E0138", at, fmt::format("this `{}` follows no `if`", text(at)));
    }
    bool compound =
        of == Grammar::IF || of == Grammar::FOR || of == Grammar::WHILE || of == Grammar::DEF || of == Grammar::CLASS;
    if (compound && before == Grammar::COLON && rule == Grammar::RuleBlock) {
        return tell("E0140", at, fmt::format("`{}` begins on a line of its own", text(at)));
    }
    bool wants_name = expected.contains(size_t{Grammar::NAME}) && !expects_expression(expected);
    if (is_keyword(of) && wants_name) {
        const bool atomic = before == Grammar::DOT && (of == Grammar::AND || of == Grammar::OR);
        const std::string instead = atomic ? fmt::format(": write `.bit_{}`", text(at)) : "";
        return tell("E0131", at,
                    fmt::format("`{}` is a word of the language and can not be a name{}", text(at), instead));
    }
    return false;
}

bool SyntaxMessages::wrong_equals(size_t at, const IntervalSet& expected) {
    if (type(at) != Grammar::ASSIGN) return false;
    uint32_t head = type(line_head(at));
    bool condition = head == Grammar::IF || head == Grammar::ELIF || head == Grammar::WHILE || head == Grammar::ASSERT;
    if (!condition && !expected.contains(size_t{Grammar::RPAREN})) return false;
    auto message = condition ? "`=` assigns; a condition compares with `==`" : "`=` can not stand in an expression";
    report_.sentence("E0118", place(at), message).suggest(place(at), "==", "write `==`");
    return true;
}

bool SyntaxMessages::missing_colon(size_t at, const IntervalSet& expected, size_t rule) {
    if (rule != Grammar::RuleBlock || !expected.contains(size_t{Grammar::COLON})) return false;
    auto& told = report_.sentence("E0117", place(at), fmt::format("expected `:` before {}", found(at)));
    size_t head = line_head(at);
    told.label(report_.span(words_[head].begin, words_[head].end), "this opens a block");
    if (is_edge(type(at))) told.suggest(place(at), ":", "add `:`");
    return true;
}

bool SyntaxMessages::set_display(size_t at, const IntervalSet& expected, const antlr4::ParserRuleContext& context) {
    if (type(at) == Grammar::FOR && expected.contains(size_t{Grammar::COMMA}) &&
        expected.contains(size_t{Grammar::RBRACE})) {
        report_.sentence("E0134", place(at),
                         "Tessera has no sets; a comprehension makes a list, or a dictionary of `key: value` pairs");
        return true;
    }
    bool entry = context.getRuleIndex() == Grammar::RuleEntry && expected.contains(size_t{Grammar::COLON});
    if (!entry || (type(at) != Grammar::COMMA && type(at) != Grammar::RBRACE)) return false;
    report_.sentence("E0134", place(at), "Tessera has no sets; `{}` holds `key: value` pairs");
    return true;
}

bool SyntaxMessages::missing_expression(size_t at, const IntervalSet& expected) {
    uint32_t before = at > 0 ? type(at - 1) : kEndOfFile;
    bool nothing_between = (type(at) == Grammar::FOR && is_opening(before)) ||
                           (type(at) == Grammar::COMMA && (is_opening(before) || before == Grammar::COMMA));
    if (!expects_expression(expected) && !nothing_between) return false;
    bool after = at > 0 && !is_edge(type(at - 1)) && words_[at - 1].begin != words_[at - 1].end;
    auto behind = after ? fmt::format(" after {}", found(at - 1)) : std::string();
    auto message = is_edge(type(at)) ? fmt::format("expected an expression{}", behind)
                                     : fmt::format("expected an expression{}, found {}", behind, found(at));
    report_.sentence("E0119", place(at), std::move(message));
    return true;
}

std::string SyntaxMessages::list(const IntervalSet& expected) const {
    constexpr size_t kMostNamed = 3;
    std::vector<std::string> names;
    bool closes = false;
    for (ssize_t type : expected.toList()) {
        if (type == Grammar::SEMI) continue;  // possible, but never what is missing
        auto name = name_of(static_cast<size_t>(type));
        if (!name.empty()) names.push_back(std::move(name));
        closes = closes || type == Grammar::RPAREN || type == Grammar::RBRACK || type == Grammar::RBRACE;
    }
    if (closes && names.size() == 1 && names[0] != "`,`") names.insert(names.begin(), "`,`");
    if (names.empty() || names.size() > kMostNamed) return {};
    std::string out;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
    }
    return out;
}

void SyntaxMessages::anything_else(size_t at, const IntervalSet& expected) {
    size_t head = line_head(at);
    auto names = list(expected);
    if (at > 0 && type(at - 1) == Grammar::DOT && expected.contains(size_t{Grammar::NAME})) {
        report_.sentence("E0119", place(at), "expected a name after `.`");
        return;
    }
    auto& told = report_.sentence("E0116", place(at),
                                  names.empty() ? fmt::format("did not expect {} here", found(at))
                                                : fmt::format("expected {}, found {}", names, found(at)));
    bool operand = type(at) == Grammar::NAME || type(at) == Grammar::NUMBER || is_string(type(at));
    if (names.starts_with("`,`") && operand) {
        auto behind = report_.span(words_[at - 1].end, words_[at - 1].end);
        told.suggest(behind, ",", "add `,`");
        return;
    }
    if (at != head + 1 || type(head) != Grammar::NAME) return;
    if (text(head) == "print") {
        told.note("`print` is a function: `print(...)`");
    } else if (auto word = nearest(text(head), kStatementWords)) {
        told.suggest(report_.span(words_[head].begin, words_[head].end), *word,
                     fmt::format("did you mean `{}`?", *word));
    }
}

}  // namespace tsr
