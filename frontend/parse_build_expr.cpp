#include <ranges>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "frontend/parse_build.h"

namespace tsr {

namespace {

using P = TesseraParser;

std::optional<ast::BinaryOp> binary_op(size_t token) {
    using ast::BinaryOp;
    switch (token) {
        case P::POW:
            return BinaryOp::pow;
        case P::STAR:
            return BinaryOp::mul;
        case P::AT:
            return BinaryOp::matmul;
        case P::SLASH:
            return BinaryOp::div;
        case P::FLOORDIV:
            return BinaryOp::floordiv;
        case P::PERCENT:
            return BinaryOp::mod;
        case P::PLUS:
            return BinaryOp::add;
        case P::MINUS:
            return BinaryOp::sub;
        case P::SHL:
            return BinaryOp::shl;
        case P::SHR:
            return BinaryOp::shr;
        case P::AMP:
            return BinaryOp::bit_and;
        case P::CARET:
            return BinaryOp::bit_xor;
        case P::PIPE:
            return BinaryOp::bit_or;
        default:
            return std::nullopt;
    }
}

std::optional<ast::CompareOp> compare_op(size_t token) {
    using ast::CompareOp;
    switch (token) {
        case P::EQ:
            return CompareOp::eq;
        case P::NE:
            return CompareOp::ne;
        case P::LT:
            return CompareOp::lt;
        case P::LE:
            return CompareOp::le;
        case P::GT:
            return CompareOp::gt;
        case P::GE:
            return CompareOp::ge;
        case P::IN:
            return CompareOp::in;
        default:
            return std::nullopt;
    }
}

// The operator of `expression op expression` or `op expression`; nullptr for a primary.
antlr4::Token* operator_of(P::ExpressionContext* context) {
    size_t at = context->children.size() >= 3 ? 1 : 0;  // of `not in` the first word
    if (context->children.size() < 2) return nullptr;
    auto* node = dynamic_cast<antlr4::tree::TerminalNode*>(context->children[at]);
    return node ? node->getSymbol() : nullptr;
}

// The operator of a comparison.
std::optional<ast::CompareOp> link_op(P::ExpressionContext* context) {
    if (context->children.size() == 4) return ast::CompareOp::not_in;
    auto* op = context->children.size() == 3 ? operator_of(context) : nullptr;
    return op ? compare_op(op->getType()) : std::nullopt;
}

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
    if (context->expression()) return expression(context->expression());
    if (context->LAMBDA()) return lambda(context);
    auto parts = context->test();
    if (parts.size() != 3) return hole(span(context));
    const ast::Expr* then = test(parts[0]);
    const ast::Expr* condition = test(parts[1]);
    const ast::Expr* otherwise = test(parts[2]);
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

const ast::Expr* TreeBuilder::expression(P::ExpressionContext* context) {
    if (!context || context->exception) return hole(context ? span(context) : Span{});
    if (context->primary()) return primary(context->primary(), context->primary()->trailer());
    if (depth_ > kMostExpressionDepth) {
        error("E0115", span(context), "this expression nests too deeply");
        return hole(span(context));
    }
    Deeper deeper(depth_);
    auto* op = operator_of(context);
    if (!op) return hole(span(context));
    if (context->children.size() == 2) return unary(context);
    if (link_op(context)) return comparison(context);
    return binary_op(op->getType()) ? binary(context) : logical(context);
}

const ast::Expr* TreeBuilder::unary(P::ExpressionContext* context) {
    size_t token = operator_of(context)->getType();
    auto* inner = context->expression(0);
    auto* inner_op = inner ? operator_of(inner) : nullptr;
    if (token != P::NOT && inner_op && inner_op->getType() == P::NOT && inner->children.size() == 2) {
        error("E0135", span(inner_op), "`not` binds less tightly than the operator before it; put it in parentheses");
    }
    auto op = token == P::NOT     ? ast::UnaryOp::logical_not
              : token == P::MINUS ? ast::UnaryOp::minus
              : token == P::PLUS  ? ast::UnaryOp::plus
                                  : ast::UnaryOp::invert;
    return make(span(context), ast::Unary{op, expression(inner)});
}

const ast::Expr* TreeBuilder::binary(P::ExpressionContext* context) {
    auto* token = operator_of(context);
    auto* right = context->expression(1);
    auto* right_op = right ? operator_of(right) : nullptr;
    if (right_op && right->children.size() == 2 && right_op->getType() == P::NOT) {
        error("E0135", span(right_op), "`not` binds less tightly than the operator before it; put it in parentheses");
    }
    const ast::Expr* lhs = expression(context->expression(0));
    const ast::Expr* rhs = expression(right);
    if (in_annotation_ && token->getType() == P::AT && !rhs->parenthesized) {
        bool named = std::holds_alternative<ast::Name>(rhs->node) ||
                     std::holds_alternative<ast::Attribute>(rhs->node) || std::holds_alternative<ast::Call>(rhs->node);
        if (named) return policy(lhs, rhs, span(context));
    }
    return make(span(context), ast::Binary{*binary_op(token->getType()), lhs, rhs, span(token)});
}

const ast::Expr* TreeBuilder::policy(const ast::Expr* type, const ast::Expr* policy, Span at) {
    ast::WithPolicy out{type, {}};
    if (const auto* chain = std::get_if<ast::WithPolicy>(&type->node); chain && !type->parenthesized) out = *chain;
    out.policies.push_back(policy);
    return make(at, std::move(out));
}

const ast::Expr* TreeBuilder::comparison(P::ExpressionContext* context) {
    std::vector<std::pair<ast::CompareOp, P::ExpressionContext*>> links;
    P::ExpressionContext* first = context;
    while (first && !first->exception) {
        auto op = link_op(first);
        if (!op) break;
        links.emplace_back(*op, first->expression(1));
        first = first->expression(0);
    }
    ast::Compare out{expression(first), {}};
    for (auto& [op, rhs] : links | std::views::reverse) {
        auto* rhs_op = rhs ? operator_of(rhs) : nullptr;
        if (rhs_op && rhs->children.size() == 2 && rhs_op->getType() == P::NOT) {
            error("E0135", span(rhs_op), "`not` binds less tightly than the operator before it; put it in parentheses");
        }
        out.links.push_back({op, expression(rhs)});
    }
    return make(span(context), std::move(out));
}

const ast::Expr* TreeBuilder::logical(P::ExpressionContext* context) {
    size_t token = operator_of(context)->getType();
    std::vector<P::ExpressionContext*> operands;
    P::ExpressionContext* first = context;
    while (first && !first->exception && first->children.size() == 3 && operator_of(first) &&
           operator_of(first)->getType() == token) {
        operands.push_back(first->expression(1));
        first = first->expression(0);
    }
    operands.push_back(first);
    ast::Logical out{token == P::AND ? ast::BoolOp::logical_and : ast::BoolOp::logical_or, {}};
    for (auto* operand : operands | std::views::reverse) out.operands.push_back(expression(operand));
    return make(span(context), std::move(out));
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
    if (context->DOT() && !context->NAME()) {
        // `tile.` while it is being typed: the editor completes it.
        auto behind = report_.span(span(context->DOT()).end, span(context->DOT()).end);
        return make(base->span.to(behind), ast::Attribute{base, {"", behind}});
    }
    if (context->exception) return hole(at);
    if (context->LPAREN()) {
        ast::Call call{base, {}};
        bool outer = std::exchange(in_annotation_, false);
        if (context->arguments()) call.arguments = arguments(context->arguments());
        in_annotation_ = outer;
        return make(at, std::move(call));
    }
    if (context->LBRACK()) {
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
        if (argument->POW()) {
            error("E0123", span(argument), "Tessera does not unpack dictionaries with `**`");
            out.push_back({std::nullopt, hole(span(argument))});
            continue;
        }
        const ast::Expr* value = test(argument->test());
        if (argument->STAR()) {
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
        if (argument->ASSIGN() && argument->NAME()) name = identifier(argument->NAME());
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
