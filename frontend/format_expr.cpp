#include "frontend/format_expr.h"

#include <algorithm>

#include <fmt/core.h>

#include "frontend/spelling.h"

namespace tsr {

using layout::Doc;

namespace {

// Sets a value for a scope.
template <typename T>
class Within {
public:
    Within(T& place, T value) : place_(place), before_(place) { place_ = value; }
    ~Within() { place_ = before_; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

private:
    T& place_;
    T before_;
};

bool is_simple(const ast::Expr* expr) {
    if (expr->parenthesized) return true;
    if (const auto* unary = std::get_if<ast::Unary>(&expr->node)) {
        return unary->op == ast::UnaryOp::minus && is_simple(unary->operand);
    }
    if (const auto* attribute = std::get_if<ast::Attribute>(&expr->node)) return is_simple(attribute->base);
    return std::holds_alternative<ast::Name>(expr->node) || std::holds_alternative<ast::IntLiteral>(expr->node) ||
           std::holds_alternative<ast::FloatLiteral>(expr->node);
}

std::string without_carriage_returns(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
    }
    return out;
}

}  // namespace

Doc ExprFormatter::expr(const ast::Expr* of) {
    Within<const ast::Expr*> here(current_, of);
    if (!of->parenthesized || std::holds_alternative<ast::Tuple>(of->node)) return std::visit(*this, of->node);
    uint32_t close = of->span.end - 1;
    Element inner{behind_parenthesis(of->span.begin), close, [this, of] { return std::visit(*this, of->node); }};
    return bracketed({"(", ")", false}, {inner}, close);
}

// Where the expression in the parentheses that open at `open` begins; comments before it stand above it.
uint32_t ExprFormatter::behind_parenthesis(uint32_t open) const {
    size_t at = open + 1;
    while (at < text_.size() && std::string_view(" \t\f\r\n\\#").find(text_[at]) != std::string_view::npos) {
        at = text_[at] == '#' ? std::min(text_.find('\n', at), text_.size()) : at + 1;
    }
    return static_cast<uint32_t>(at);
}

Doc ExprFormatter::annotation(const ast::Expr* type) {
    Within<bool> here(in_type_, true);
    return expr(type);
}

// ---- brackets ----

Doc ExprFormatter::own_line_comments(uint32_t before) {
    std::vector<Doc> parts;
    while (const auto* comment = comments_.before(before)) {
        parts.push_back(docs_.comment(std::string(comments_.text(*comment))));
        parts.push_back(docs_.line(""));
    }
    return docs_.concat(std::move(parts));
}

Doc ExprFormatter::comments_behind(uint32_t end, uint32_t before) {
    std::vector<Doc> parts;
    while (const auto* comment = comments_.behind(end, before)) {
        parts.push_back(docs_.comment(fmt::format("  {}", comments_.text(*comment))));
    }
    return docs_.concat(std::move(parts));
}

// A comma and a line end before the closing bracket: the writer wants one element per line.
bool ExprFormatter::keeps_broken(uint32_t last, uint32_t end) const {
    auto between = text_.substr(last, end - last);
    auto comma = between.find(',');
    return comma < between.find('#') && between.find('\n') != std::string_view::npos;
}

Doc ExprFormatter::bracketed(const Brackets& brackets, const std::vector<Element>& elements, uint32_t end) {
    Within<int> deeper(depth_, depth_ + 1);
    Within<bool> spaced(tight_, tight_ && in_type_);
    std::vector<Doc> inner{docs_.line("")};
    for (size_t i = 0; i < elements.size(); ++i) {
        const Element& element = elements[i];
        bool last = i + 1 == elements.size();
        inner.push_back(own_line_comments(element.begin));
        inner.push_back(element.make());
        if (!last) inner.push_back(text(","));
        if (last && brackets.last_comma) inner.push_back(docs_.choice(",", ""));
        inner.push_back(comments_behind(element.end, last ? end : elements[i + 1].begin));
        if (!last) inner.push_back(docs_.line(" "));
        if (last && brackets.last_comma && keeps_broken(element.end, end)) inner.push_back(docs_.must_break());
    }
    // What is left stands before the closing bracket.
    while (const auto* comment = comments_.before(end)) {
        if (!elements.empty() || inner.size() > 1) inner.push_back(docs_.line(""));
        inner.push_back(docs_.comment(std::string(comments_.text(*comment))));
    }
    auto open = brackets.only_broken ? docs_.choice(brackets.open, "") : text(brackets.open);
    auto close = brackets.only_broken ? docs_.choice(brackets.close, "") : text(brackets.close);
    if (inner.size() == 1) return docs_.concat({open, close});
    return docs_.group(docs_.concat({open, docs_.nest(docs_.concat(std::move(inner))), docs_.line(""), close}));
}

ExprFormatter::Element ExprFormatter::element(const ast::Expr* of) {
    return {of->span.begin, of->span.end, [this, of] { return expr(of); }};
}

std::vector<ExprFormatter::Element> ExprFormatter::elements(const std::vector<const ast::Expr*>& of) {
    std::vector<Element> out;
    for (const auto* one : of) out.push_back(element(one));
    return out;
}

// ---- literals: as written ----

Doc ExprFormatter::number() {
    // Inside parentheses the range of the expression holds them too, and comments.
    auto written = text_.substr(current_->span.begin, current_->span.end - current_->span.begin);
    size_t begin = 0;
    while (begin < written.size() && (written[begin] < '0' || written[begin] > '9') && written[begin] != '.') {
        begin = written[begin] == '#' ? written.find('\n', begin) : begin + 1;
    }
    auto is_part = [&](size_t i) {
        auto c = static_cast<unsigned char>(written[i]);
        if (c == '+' || c == '-') {
            bool hex = written.substr(begin, 2) == "0x" || written.substr(begin, 2) == "0X";
            return !hex && i > begin && (written[i - 1] == 'e' || written[i - 1] == 'E');
        }
        return std::isalnum(c) != 0 || c == '_' || c == '.';
    };
    size_t end = begin;
    while (end < written.size() && is_part(end)) ++end;
    return text(written.substr(begin, end - begin));
}

Doc ExprFormatter::pieces(const std::vector<Span>& pieces) {
    std::vector<Doc> parts;
    for (const Span& piece : pieces) {
        if (!parts.empty()) parts.push_back(space());
        if (depth_ > 0) parts.push_back(own_line_comments(piece.begin));
        parts.push_back(docs_.text(without_carriage_returns(text_.substr(piece.begin, piece.end - piece.begin))));
        comments_.drop_before(piece.end);
    }
    return parts.size() == 1 ? parts[0] : docs_.group(docs_.concat(std::move(parts)));
}

Doc ExprFormatter::operator()(const ast::IntLiteral&) { return number(); }
Doc ExprFormatter::operator()(const ast::FloatLiteral&) { return number(); }
Doc ExprFormatter::operator()(const ast::StringLiteral& literal) { return pieces(literal.pieces); }
Doc ExprFormatter::operator()(const ast::FString& string) { return pieces(string.pieces); }
Doc ExprFormatter::operator()(const ast::BoolLiteral& literal) { return text(literal.value ? "True" : "False"); }
Doc ExprFormatter::operator()(const ast::NoneLiteral&) { return text("None"); }
Doc ExprFormatter::operator()(const ast::EllipsisLiteral&) { return text("..."); }
Doc ExprFormatter::operator()(const ast::Name& name) { return text(name.text); }
Doc ExprFormatter::operator()(const ast::Hole&) { return text(""); }

// ---- operators ----

Doc ExprFormatter::operator()(const ast::Unary& unary) {
    auto op = text(spelling(unary.op));
    return docs_.concat({op, text(unary.op == ast::UnaryOp::logical_not ? " " : ""), expr(unary.operand)});
}

Doc ExprFormatter::operator()(const ast::Binary& binary) {
    bool power = binary.op == ast::BinaryOp::pow && is_simple(binary.lhs) && is_simple(binary.rhs);
    bool tight = tight_ || power;
    auto lhs = expr(binary.lhs);
    auto before = tight ? text("") : space();
    auto op = text(spelling(binary.op));
    return docs_.group(docs_.concat({lhs, before, op, text(tight ? "" : " "), expr(binary.rhs)}));
}

Doc ExprFormatter::operator()(const ast::Compare& compare) {
    std::vector<Doc> parts{expr(compare.first)};
    for (const auto& link : compare.links) {
        parts.push_back(space());
        parts.push_back(text(fmt::format("{} ", spelling(link.op))));
        parts.push_back(expr(link.rhs));
    }
    return docs_.group(docs_.concat(std::move(parts)));
}

Doc ExprFormatter::operator()(const ast::Logical& logical) {
    std::vector<Doc> parts;
    for (const auto* operand : logical.operands) {
        if (!parts.empty()) {
            parts.push_back(space());
            parts.push_back(text(fmt::format("{} ", spelling(logical.op))));
        }
        parts.push_back(expr(operand));
    }
    return docs_.group(docs_.concat(std::move(parts)));
}

Doc ExprFormatter::operator()(const ast::Conditional& conditional) {
    auto then = expr(conditional.then);
    auto before_if = space();
    auto condition = expr(conditional.condition);
    auto before_else = space();
    auto otherwise = expr(conditional.otherwise);
    return docs_.group(docs_.concat({then, before_if, text("if "), condition, before_else, text("else "), otherwise}));
}

Doc ExprFormatter::operator()(const ast::Lambda& lambda) {
    std::vector<Doc> parts{text("lambda")};
    for (const auto& one : lambda.parameters) {
        parts.push_back(text(parts.size() == 1 ? " " : ", "));
        parts.push_back(parameter(one));
    }
    parts.push_back(text(": "));
    parts.push_back(expr(lambda.body));
    return docs_.concat(std::move(parts));
}

// ---- calls and subscripts ----

Doc ExprFormatter::operator()(const ast::Call& call) {
    uint32_t end = current_->span.end;
    auto callee = expr(call.callee);
    Within<bool> value(in_type_, false);
    Within<bool> spaced(tight_, false);
    std::vector<Element> list;
    for (const auto& argument : call.arguments) {
        uint32_t begin = argument.keyword ? argument.keyword->span.begin : argument.value->span.begin;
        if (argument.unpacked) begin = static_cast<uint32_t>(text_.rfind('*', begin));
        list.push_back({begin, argument.value->span.end, [this, &argument] {
                            if (argument.unpacked) return docs_.concat({text("*"), expr(argument.value)});
                            if (!argument.keyword) return expr(argument.value);
                            return docs_.concat({text(argument.keyword->text), text("="), expr(argument.value)});
                        }});
    }
    const auto* only = list.size() == 1 ? std::get_if<ast::Comprehension>(&call.arguments[0].value->node) : nullptr;
    const bool generator = only && only->generator;  // no comma stands behind it
    const uint32_t close = end - (current_->parenthesized ? 0 : 1);
    return docs_.concat({callee, bracketed({"(", ")", !generator}, list, close)});
}

Doc ExprFormatter::operator()(const ast::Subscript& subscript) {
    uint32_t end = current_->span.end;
    auto base = expr(subscript.base);
    Within<bool> dimensions(tight_, in_type_);
    bool several = subscript.indices.size() > 1;
    uint32_t close = end - (current_->parenthesized ? 0 : 1);
    return docs_.concat({base, docs_.firm(bracketed({"[", "]", several}, elements(subscript.indices), close))});
}

Doc ExprFormatter::operator()(const ast::Slice& slice) {
    Within<bool> bounds(tight_, true);
    std::vector<Doc> parts;
    if (slice.lower) parts.push_back(expr(slice.lower));
    parts.push_back(text(":"));
    if (slice.upper) parts.push_back(expr(slice.upper));
    if (slice.step) {
        parts.push_back(text(":"));
        parts.push_back(expr(slice.step));
    }
    return docs_.concat(std::move(parts));
}

Doc ExprFormatter::operator()(const ast::Attribute& attribute) {
    bool digits = std::holds_alternative<ast::IntLiteral>(attribute.base->node) && !attribute.base->parenthesized;
    return docs_.concat({expr(attribute.base), text(digits ? " ." : "."), text(attribute.name.text)});
}

// ---- displays ----

Doc ExprFormatter::operator()(const ast::Tuple& tuple) {
    const ast::Expr* of = current_;
    if (of->parenthesized) {
        if (tuple.elements.size() == 1) {
            // The comma is the tuple: it stays on one line too.
            const auto* only = tuple.elements[0];
            Element one{only->span.begin, only->span.end,
                        [this, only] { return docs_.concat({expr(only), text(",")}); }};
            return bracketed({"(", ")", false}, {one}, of->span.end - 1);
        }
        return bracketed({"(", ")"}, elements(tuple.elements), of->span.end - 1);
    }
    std::vector<Doc> parts;
    for (const auto* element : tuple.elements) {
        if (!parts.empty()) parts.push_back(text(" "));
        parts.push_back(expr(element));
        parts.push_back(text(","));
    }
    if (tuple.elements.size() > 1) parts.pop_back();
    return docs_.concat(std::move(parts));
}

Doc ExprFormatter::operator()(const ast::List& list) {
    uint32_t end = current_->span.end - 1;
    return bracketed({"[", "]"}, elements(list.elements), end);
}

Doc ExprFormatter::operator()(const ast::Dict& dict) {
    uint32_t end = current_->span.end - 1;
    std::vector<Element> list;
    for (const auto& [key, value] : dict.entries) {
        list.push_back({key->span.begin, value->span.end, [this, key = key, value = value] {
                            auto before = expr(key);
                            return docs_.concat({before, text(": "), expr(value)});
                        }});
    }
    return bracketed({"{", "}"}, list, end);
}

Doc ExprFormatter::operator()(const ast::Comprehension& comprehension) {
    const ast::Expr* of = current_;
    auto make = [this, &comprehension] {
        std::vector<Doc> parts{expr(comprehension.element)};
        if (comprehension.value) {
            parts.push_back(text(": "));
            parts.push_back(expr(comprehension.value));
        }
        for (const auto& clause : comprehension.clauses) {
            parts.push_back(space());
            parts.push_back(text("for "));
            parts.push_back(expr(clause.target));
            parts.push_back(text(" in "));
            parts.push_back(expr(clause.iterable));
            for (const auto* condition : clause.conditions) {
                parts.push_back(space());
                parts.push_back(text("if "));
                parts.push_back(expr(condition));
            }
        }
        return docs_.concat(std::move(parts));
    };
    if (comprehension.generator) return make();
    Element inner{comprehension.element->span.begin, of->span.end - 1, make};
    const bool dict = comprehension.value != nullptr;
    return bracketed({dict ? "{" : "[", dict ? "}" : "]", false}, {inner}, of->span.end - 1);
}

// ---- types and parameters ----

Doc ExprFormatter::operator()(const ast::Qualified& qualified) {
    auto word = text(spelling(qualified.qualifier));
    if (!qualified.type) return word;
    return docs_.concat({word, text(" "), expr(qualified.type)});
}

Doc ExprFormatter::operator()(const ast::WithPolicy& policy) {
    std::vector<Doc> parts{expr(policy.type)};
    for (const auto* one : policy.policies) {
        parts.push_back(text(" @"));
        parts.push_back(expr(one));
    }
    return docs_.concat(std::move(parts));
}

Doc ExprFormatter::parameter(const ast::Parameter& parameter) {
    std::vector<Doc> parts{text(parameter.name.text)};
    if (parameter.annotation) {
        parts.push_back(text(": "));
        parts.push_back(annotation(parameter.annotation));
    }
    if (parameter.default_value) {
        parts.push_back(text(parameter.annotation ? " = " : "="));
        parts.push_back(expr(parameter.default_value));
    }
    return docs_.concat(std::move(parts));
}

std::vector<ExprFormatter::Element> ExprFormatter::parameters(const std::vector<ast::Parameter>& parameters) {
    std::vector<Element> out;
    bool keyword_only = false;
    for (const auto& one : parameters) {
        uint32_t begin = one.name.span.begin;
        uint32_t end = one.default_value ? one.default_value->span.end
                       : one.annotation  ? one.annotation->span.end
                                         : one.name.span.end;
        if (one.keyword_only && !keyword_only) out.push_back({begin, begin, [this] { return text("*"); }});
        keyword_only = one.keyword_only;
        out.push_back({begin, end, [this, &one] { return parameter(one); }});
    }
    return out;
}

}  // namespace tsr
