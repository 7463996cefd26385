#include "sema/statements/backward_loops.h"

#include <algorithm>

#include "sema/program/copied_syntax.h"
#include "sema/state/recursion.h"

namespace tsr::sema {

std::optional<Builtin> called_builtin(Body& b, const ast::Expr& e) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    if (!call || (!std::holds_alternative<ast::Name>(call->callee->node) &&
                  !std::holds_alternative<ast::Attribute>(call->callee->node)))
        return std::nullopt;
    const auto* method = std::get_if<ast::Attribute>(&call->callee->node);
    if (method && expression(b, *method->base).type.kind() != Kind::name_space) return std::nullopt;
    const Value callee = expression(b, *call->callee);
    return callee.type.is(Kind::builtin) ? std::optional(callee.type.builtin_name()) : std::nullopt;
}

namespace {

// `for i in reversed(range(n)):` where no list is made of the range: `for i in range(n - 1, -1, -1):`.
class Backwards {
public:
    Backwards(Body& b, const ast::Stmt& stmt, const ast::For& f) : b_(b), stmt_(stmt), f_(f) {}

    const LoopRounds* made() {
        if (b_.rules().host_objects || !SyntaxCopier::may_copy(f_.body, true)) return nullptr;
        if (called_builtin(b_, *f_.iterable) != Builtin::reversed) return nullptr;
        const auto& given = std::get<ast::Call>(f_.iterable->node).arguments;
        if (given.size() != 1 || given[0].keyword || given[0].unpacked) return nullptr;
        if (called_builtin(b_, *given[0].value) != Builtin::range) return nullptr;
        const auto& call = std::get<ast::Call>(given[0].value->node);
        const auto plain = [](const ast::Argument& one) { return !one.keyword && !one.unpacked; };
        if (call.arguments.empty() || call.arguments.size() > 3 || !std::ranges::all_of(call.arguments, plain))
            return nullptr;
        const auto step = call.arguments.size() == 3 ? static_step(*call.arguments[2].value) : 1;
        if (!step || *step == 0) return nullptr;
        LoopRounds& made = b_.checker.program.made.loop_rounds[{b_.instance.module, stmt_.id, "backwards"}];
        if (!made.rounds.valid()) made.rounds = loop(call, *step).id;
        return &made;
    }

private:
    std::optional<int64_t> static_step(const ast::Expr& e) {
        const Value value = expression(b_, e);
        return value.value ? value.value->integer() : std::nullopt;
    }
    const ast::Expr& number(int64_t value) {
        MadeSyntax& syntax = b_.checker.program.made;
        const Span at = f_.iterable->span;
        const ast::Expr& size = syntax.expr(at, ast::IntLiteral{static_cast<uint64_t>(value < 0 ? -value : value)});
        return value < 0 ? syntax.expr(at, ast::Unary{ast::UnaryOp::minus, &size}) : size;
    }
    const ast::Expr& of(ast::BinaryOp op, const ast::Expr& lhs, const ast::Expr& rhs) {
        return b_.checker.program.made.expr(f_.iterable->span, ast::Binary{op, &lhs, &rhs, f_.iterable->span});
    }
    // The last number of `range(a, b, c)` is a + (b - a - 1) // c * c; downwards with + 1.
    const ast::Stmt& loop(const ast::Call& call, int64_t step) {
        using enum ast::BinaryOp;
        MadeSyntax& syntax = b_.checker.program.made;
        SyntaxCopier copier(syntax);
        const bool both = call.arguments.size() > 1;
        const auto start = [&]() -> const ast::Expr& {
            return both ? *copier.expr(call.arguments[0].value) : number(0);
        };
        const ast::Expr& stop = *copier.expr(call.arguments[both ? 1 : 0].value);
        const ast::Expr* last = &of(sub, stop, number(1));
        if (step != 1) {
            const ast::Expr& length = of(step > 0 ? sub : add, of(sub, stop, start()), number(1));
            last = &of(add, start(), of(mul, of(floordiv, length, number(step)), number(step)));
        }
        ast::Call range{call.callee, {}};
        for (const ast::Expr* argument : {last, &of(sub, start(), number(step)), &number(-step)})
            range.arguments.push_back({std::nullopt, argument, false});
        const ast::Expr& down = syntax.expr(f_.iterable->span, std::move(range));
        ast::For loop{copier.expr(f_.target), &down, copier.block(f_.body), f_.header, copier.block(f_.otherwise)};
        ast::If holds;
        holds.branches.push_back({&syntax.expr(f_.target->span, ast::BoolLiteral{true}),
                                  {&syntax.stmt(stmt_.span, std::move(loop))},
                                  f_.header});
        return syntax.stmt(stmt_.span, std::move(holds));
    }

    Body& b_;
    const ast::Stmt& stmt_;
    const ast::For& f_;
};

}  // namespace

const LoopRounds* loop_backwards(Body& b, const ast::Stmt& stmt, const ast::For& f) {
    return Backwards(b, stmt, f).made();
}

}  // namespace tsr::sema
