#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "frontend/parse_build.h"

namespace tsr {

namespace {

using P = TesseraParser;

// An operator between two operands. One that is neither joins conditions.
struct Operator {
    size_t token;  // the first of its words
    int binding;   // how tightly
    std::optional<ast::BinaryOp> binary;
    std::optional<ast::CompareOp> comparison;
};

constexpr auto kOperators = [] {
    using ast::BinaryOp, ast::CompareOp;
    constexpr std::nullopt_t no = std::nullopt;
    return std::to_array<Operator>({
        {P::OR, 1, no, no},
        {P::AND, 2, no, no},
        {P::EQ, 4, no, CompareOp::eq},
        {P::NE, 4, no, CompareOp::ne},
        {P::LT, 4, no, CompareOp::lt},
        {P::LE, 4, no, CompareOp::le},
        {P::GT, 4, no, CompareOp::gt},
        {P::GE, 4, no, CompareOp::ge},
        {P::IN, 4, no, CompareOp::in},
        {P::NOT, 4, no, CompareOp::not_in},
        {P::PIPE, 5, BinaryOp::bit_or, no},
        {P::CARET, 6, BinaryOp::bit_xor, no},
        {P::AMP, 7, BinaryOp::bit_and, no},
        {P::SHL, 8, BinaryOp::shl, no},
        {P::SHR, 8, BinaryOp::shr, no},
        {P::PLUS, 9, BinaryOp::add, no},
        {P::MINUS, 9, BinaryOp::sub, no},
        {P::STAR, 10, BinaryOp::mul, no},
        {P::AT, 10, BinaryOp::matmul, no},
        {P::SLASH, 10, BinaryOp::div, no},
        {P::FLOORDIV, 10, BinaryOp::floordiv, no},
        {P::PERCENT, 10, BinaryOp::mod, no},
        {P::POW, 12, BinaryOp::pow, no},
    });
}();
// An operator before its operand takes with it what binds at least so tightly: `not` comparisons, a sign powers.
constexpr int kNot = 3, kSign = 11;

const Operator& operator_of(size_t token) { return *std::ranges::find(kOperators, token, &Operator::token); }

class Deeper {
public:
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

private:
    int& depth_;
};

}  // namespace

const ast::Expr* TreeBuilder::build(P::TypeTextContext* type) {
    return type->annotation() && !type->exception ? annotation(type->annotation()) : hole(span(type));
}

const ast::Expr* TreeBuilder::annotation(P::AnnotationContext* context) {
    auto at = span(context);
    using Qualifier = ast::Qualified::Qualifier;
    auto qualifiers = context->qualifier();
    if (context->exception || (qualifiers.empty() && !context->test())) return hole(at);
    const ast::Expr* type = nullptr;
    if (context->test()) {
        in_annotation_ = true;
        type = test(context->test());
        in_annotation_ = false;
    }
    std::set<Qualifier> seen;
    for (auto* one : qualifiers | std::views::reverse) {
        auto word = text(span(one));
        auto qualifier = word == "mut" ? Qualifier::mut : word == "static" ? Qualifier::fixed : Qualifier::param;
        if (seen.insert(qualifier).second) {
            type = make(span(one).to(at), ast::Qualified{qualifier, type});
        } else {
            error("E0130", span(one), fmt::format("`{}` stands twice", word));
        }
    }
    return type;
}

const ast::Expr* TreeBuilder::test_list(P::TestListContext* context) {
    if (!context || context->exception) return hole(context ? span(context) : Span{});
    auto tests = context->test();
    if (tests.size() == 1 && context->COMMA().empty()) return test(tests[0]);
    ast::Tuple tuple;
    for (auto* element : tests) tuple.elements.push_back(test(element));
    return make(span(context), std::move(tuple));
}

const ast::Expr* TreeBuilder::test(P::TestContext* context) {
    if (!context || context->exception) return hole(context ? span(context) : Span{});
    Deeper deeper(depth_);
    auto* first = context->expression();
    if (!first) return context->LAMBDA() ? lambda(context) : hole(span(context));
    if (!context->IF()) return expression(first);
    auto parts = context->test();
    if (parts.size() != 2) return hole(span(context));
    const ast::Expr* then = expression(first);
    const ast::Expr* condition = test(parts[0]);
    const ast::Expr* otherwise = test(parts[1]);
    return make(span(context), ast::Conditional{condition, then, otherwise});
}

const ast::Expr* TreeBuilder::lambda(P::TestContext* context) {
    ast::Lambda out;
    if (auto* list = context->lambdaParameters()) {
        for (auto* parameter : list->lambdaParameter()) {
            if (!parameter->NAME()) continue;
            ast::Parameter made;
            made.name = identifier(parameter->NAME());
            if (parameter->test()) made.default_value = test(parameter->test());
            out.parameters.push_back(std::move(made));
        }
    }
    check_order(out.parameters);
    auto bodies = context->test();
    out.body = bodies.empty() ? hole(span(context)) : test(bodies[0]);
    return make(span(context), std::move(out));
}

// A primary, an operator before its operand, or one between two.
struct TreeBuilder::Part {
    P::PrimaryContext* primary = nullptr;
    antlr4::Token* op = nullptr;  // of `not in` the first word
    Span at;
    size_t left = SIZE_MAX, right = SIZE_MAX;  // numbers; an operator before its operand has no left one

    [[nodiscard]] bool is_unary() const { return op && left == SIZE_MAX; }
    [[nodiscard]] std::optional<ast::CompareOp> link() const {
        return op && !is_unary() ? operator_of(op->getType()).comparison : std::nullopt;
    }
};

namespace {

// Finds out which operands each operator has, by precedence climbing.
template <typename Part>
class Climb {
public:
    // `words`: the expression's operators and primaries in order, without operands yet.
    Climb(std::vector<Part>& words, std::vector<Part>& out) : words_(words), out_(out) {}

    // The number of the whole; nothing where it nests too deeply.
    std::optional<size_t> run() {
        const size_t whole = from(1);
        return too_deep_ ? std::nullopt : std::optional(whole);
    }

private:
    size_t add(Part part) {
        out_.push_back(part);
        return out_.size() - 1;
    }

    size_t from(int least) {
        ++depth_;
        size_t left = operand();
        while (!too_deep_ && at_ < words_.size()) {
            const size_t token = words_[at_].op->getType();
            const int binding = operator_of(token).binding;
            if (binding < least) break;
            Part op = words_[at_++];
            op.left = left;
            op.right = from(token == P::POW ? binding : binding + 1);
            left = add(op);
        }
        --depth_;
        return left;
    }

    size_t operand() {
        too_deep_ |= depth_ > kMostExpressionDepth;
        Part word = words_[at_++];
        if (too_deep_ || word.primary) return add(word);
        word.right = from(word.op->getType() == P::NOT ? kNot : kSign);
        return add(word);
    }

    std::vector<Part>& words_;
    std::vector<Part>& out_;
    size_t at_ = 0;
    int depth_ = 0;
    bool too_deep_ = false;
};

}  // namespace

const ast::Expr* TreeBuilder::expression(P::ExpressionContext* context) {
    if (!context || context->exception) return hole(context ? span(context) : Span{});
    if (context->children.size() == 1) {
        auto* alone = context->children[0].as<P::PrimaryContext>();
        return alone ? primary(alone, alone->trailer()) : hole(span(context));
    }
    Parts words, parts;
    words.reserve(context->children.size());
    parts.reserve(context->children.size());
    for (const ParsedChild& child : context->children) {
        Part word;
        if (auto* op = child.word()) {
            word.op = op;
            word.at = span(word.op);
            const bool ends_not_in = word.op->getType() == P::IN && !words.empty() && words.back().op;
            if (ends_not_in && words.back().op->getType() == P::NOT) continue;
        } else {
            word.primary = child.as<P::PrimaryContext>();
            if (word.primary->exception) return hole(span(context));
            word.at = span(word.primary);
        }
        words.push_back(word);
    }
    if (words.empty() || !words.back().primary) return hole(span(context));
    const auto whole = Climb<Part>(words, parts).run();
    if (!whole) {
        error("E0115", span(context), "this expression nests too deeply");
        return hole(span(context));
    }
    // What an operator and its operands span. Operands stand before their operator.
    for (Part& one : parts) {
        if (!one.op) continue;
        const Span end = parts[one.right].at;
        one.at = (one.left == SIZE_MAX ? one.at : parts[one.left].at).to(end);
    }
    return part(parts, *whole);
}

const ast::Expr* TreeBuilder::part(const Parts& parts, size_t at) {
    const Part& one = parts[at];
    if (one.primary) return primary(one.primary, one.primary->trailer());
    if (depth_ > kMostExpressionDepth) {
        error("E0115", one.at, "this expression nests too deeply");
        return hole(one.at);
    }
    Deeper deeper(depth_);
    if (one.is_unary()) return unary(parts, at);
    if (one.link()) return comparison(parts, at);
    return operator_of(one.op->getType()).binary ? binary(parts, at) : logical(parts, at);
}

// Behind an operator that binds more tightly.
void TreeBuilder::refuse_not(const Parts& parts, size_t operand) {
    const Part& one = parts[operand];
    if (one.is_unary() && one.op->getType() == P::NOT)
        error("E0135", span(one.op), "`not` binds less tightly than the operator before it; put it in parentheses");
}

const ast::Expr* TreeBuilder::unary(const Parts& parts, size_t at) {
    const Part& one = parts[at];
    const size_t token = one.op->getType();
    if (token != P::NOT) refuse_not(parts, one.right);
    auto op = token == P::NOT     ? ast::UnaryOp::logical_not
              : token == P::MINUS ? ast::UnaryOp::minus
              : token == P::PLUS  ? ast::UnaryOp::plus
                                  : ast::UnaryOp::invert;
    return make(one.at, ast::Unary{op, part(parts, one.right)});
}

const ast::Expr* TreeBuilder::binary(const Parts& parts, size_t at) {
    const Part& one = parts[at];
    refuse_not(parts, one.right);
    const ast::Expr* lhs = part(parts, one.left);
    const ast::Expr* rhs = part(parts, one.right);
    if (in_annotation_ && one.op->getType() == P::AT && !rhs->parenthesized) {
        bool named = std::holds_alternative<ast::Name>(rhs->node) ||
                     std::holds_alternative<ast::Attribute>(rhs->node) || std::holds_alternative<ast::Call>(rhs->node);
        if (named) return policy(lhs, rhs, one.at);
    }
    return make(one.at, ast::Binary{*operator_of(one.op->getType()).binary, lhs, rhs, span(one.op)});
}

const ast::Expr* TreeBuilder::policy(const ast::Expr* type, const ast::Expr* policy, Span at) {
    ast::WithPolicy out{type, {}};
    if (const auto* chain = std::get_if<ast::WithPolicy>(&type->node); chain && !type->parenthesized) out = *chain;
    out.policies.push_back(policy);
    return make(at, std::move(out));
}

const ast::Expr* TreeBuilder::comparison(const Parts& parts, size_t at) {
    std::vector<std::pair<ast::CompareOp, size_t>> links;
    size_t first = at;
    while (const auto op = parts[first].link()) {
        links.emplace_back(*op, parts[first].right);
        first = parts[first].left;
    }
    ast::Compare out{part(parts, first), {}};
    for (const auto& [op, rhs] : links | std::views::reverse) {
        refuse_not(parts, rhs);
        out.links.push_back({op, part(parts, rhs)});
    }
    return make(parts[at].at, std::move(out));
}

const ast::Expr* TreeBuilder::logical(const Parts& parts, size_t at) {
    const size_t token = parts[at].op->getType();
    std::vector<size_t> operands;
    size_t first = at;
    while (parts[first].op && !parts[first].is_unary() && parts[first].op->getType() == token) {
        operands.push_back(parts[first].right);
        first = parts[first].left;
    }
    operands.push_back(first);
    ast::Logical out{token == P::AND ? ast::BoolOp::logical_and : ast::BoolOp::logical_or, {}};
    for (const size_t operand : operands | std::views::reverse) out.operands.push_back(part(parts, operand));
    return make(parts[at].at, std::move(out));
}

const ast::Expr* TreeBuilder::target_list(P::TargetListContext* context) {
    if (!context || context->exception) return hole(context ? span(context) : Span{});
    auto targets = context->primary();
    if (targets.size() == 1 && context->COMMA().empty()) return primary(targets[0], targets[0]->trailer());
    ast::Tuple tuple;
    for (auto* target : targets) tuple.elements.push_back(primary(target, target->trailer()));
    return make(span(context), std::move(tuple));
}

const ast::Expr* TreeBuilder::primary(P::PrimaryContext* context, const std::vector<P::TrailerContext*>& trailers) {
    if (context->exception || !context->atom()) return hole(span(context));
    if (depth_ + static_cast<int>(trailers.size()) > kMostExpressionDepth) {
        error("E0115", span(context), "this expression nests too deeply");
        return hole(span(context));
    }
    Deeper deeper(depth_);
    const ast::Expr* out = atom(context->atom());
    for (auto* next : trailers) out = trailer(out, next);
    return out;
}

const ast::Expr* TreeBuilder::trailer(const ast::Expr* base, P::TrailerContext* context) {
    auto at = base->span.to(span(context));
    const size_t first = context->start->getType();
    if (first == P::DOT && context->DOT() && !context->NAME()) {
        // `tile.` while it is being typed: the editor completes it.
        auto behind = report_.span(span(context->DOT()).end, span(context->DOT()).end);
        return make(base->span.to(behind), ast::Attribute{base, {"", behind}});
    }
    if (context->exception) return hole(at);
    if (first == P::LPAREN) {
        ast::Call call{base, {}};
        bool outer = std::exchange(in_annotation_, false);
        if (context->arguments()) call.arguments = arguments(context->arguments());
        in_annotation_ = outer;
        return make(at, std::move(call));
    }
    if (first == P::LBRACK) {
        ast::Subscript out{base, {}};
        if (!context->subscripts()) return hole(at);
        for (auto* index : context->subscripts()->subscript()) out.indices.push_back(subscript(index));
        return make(at, std::move(out));
    }
    return make(at, ast::Attribute{base, identifier(context->NAME())});
}

std::vector<ast::Argument> TreeBuilder::arguments(P::ArgumentsContext* context) {
    std::vector<ast::Argument> out;
    const ast::Argument* keyword = nullptr;
    auto list = context->argument();
    out.reserve(list.size());
    for (auto* argument : list) {
        if (argument->exception || !argument->test()) {
            out.push_back({std::nullopt, hole(span(argument))});
            continue;
        }
        const size_t first = argument->start->getType();
        if (first == P::POW) {
            error("E0123", span(argument), "Tessera does not unpack dictionaries with `**`");
            out.push_back({std::nullopt, hole(span(argument))});
            continue;
        }
        const ast::Expr* value = test(argument->test());
        if (first == P::STAR) {
            if (keyword) {
                error("E0127", span(argument), "an argument by position stands after one by name")
                    .label(keyword->keyword->span, "named here");
            }
            out.push_back({std::nullopt, value, true});
            continue;
        }
        if (argument->comprehension()) {
            value = generator(value, argument->comprehension(), span(argument));
            if (list.size() > 1) {
                error("E0134", span(argument), "a generator beside other arguments stands in parentheses")
                    .suggest(span(argument), fmt::format("({})", text(span(argument))), "put it in parentheses");
            }
        }
        std::optional<ast::Identifier> name;
        if (first == P::NAME && argument->ASSIGN()) name = identifier(argument->NAME());
        if (!name && keyword) {
            error("E0127", span(argument), "an argument by position stands after one by name")
                .label(keyword->keyword->span, "named here");
        }
        out.push_back({std::move(name), value});
        if (out.back().keyword) keyword = &out.back();
    }
    return out;
}

const ast::Expr* TreeBuilder::subscript(P::SubscriptContext* context) {
    if (context->exception) return hole(span(context));
    if (context->COLON().empty()) return context->test().empty() ? hole(span(context)) : test(context->test(0));
    auto part = [&](P::TestContext* given) { return given ? test(given) : nullptr; };
    ast::Slice out{part(context->lower), part(context->upper), part(context->step)};
    return make(span(context), out);
}

const ast::Expr* TreeBuilder::comprehension(const ast::Expr* element, const ast::Expr* value,
                                            P::ComprehensionContext* context, Span at) {
    ast::Comprehension out{element, value, {}};
    for (auto* clause : context->comprehensionClause()) {
        if (clause->exception || !clause->targetList()) return hole(at);
        const ast::Expr* target = target_list(clause->targetList());
        check_target(target, "bind");
        auto parts = clause->expression();
        ast::Comprehension::Clause made{target, parts.empty() ? hole(at) : expression(parts[0]), {}};
        for (size_t i = 1; i < parts.size(); ++i) made.conditions.push_back(expression(parts[i]));
        out.clauses.push_back(std::move(made));
    }
    if (context->exception || out.clauses.empty()) return hole(at);
    return make(at, std::move(out));
}

const ast::Expr* TreeBuilder::generator(const ast::Expr* element, P::ComprehensionContext* context, Span at) {
    const ast::Expr* made = comprehension(element, nullptr, context, at);
    if (auto* node = std::get_if<ast::Comprehension>(&module_.exprs[made->id.index].node)) node->generator = true;
    return made;
}

}  // namespace tsr
