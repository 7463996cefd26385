#include "sema/calls/unpacked_calls.h"

#include <fmt/format.h>

#include "sema/expressions/comprehensions.h"
#include "sema/state/recursion.h"

namespace tsr::sema {

namespace {

// Of a tuple or list that is written in the call.
const std::vector<const ast::Expr*>* items_written(const ast::Expr& e) {
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) return &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&e.node)) return &list->elements;
    return nullptr;
}

// How many items `*value` has; nothing after a message.
std::optional<size_t> count_of_items(Body& b, const ast::Expr& e, const Value& value) {
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::tuple)) return value.type.parts().size();
    if (!value.type.is(Kind::list)) {
        b.error("E0302", e.span, fmt::format("`*` unpacks a tuple or a list, this is {}", shown(value.type)));
        return std::nullopt;
    }
    const auto length = b.rules().host_objects ? std::nullopt : value.type.length();
    if (length) return static_cast<size_t>(*length);
    b.error("E0314", e.span, "the number of items that `*` unpacks must be static")
        .note(
            "a tuple has a number of items that is known, and so has a list that is written here; a list in a "
            "variable grows");
    return std::nullopt;
}

UnpackedArgument& items_made(MadeSyntax& syntax, ExprKey key, const ast::Expr& operand, size_t count) {
    auto [found, fresh] = syntax.unpacked.try_emplace(key);
    UnpackedArgument& parts = found->second;
    const Span at = operand.span;
    if (fresh) {
        parts.named = !std::holds_alternative<ast::Name>(operand.node);
        parts.name = syntax.expr(at, ast::Name{fmt::format("items {}", syntax.unpacked.size())}).id;
    }
    while (parts.items.size() < count) {
        const ast::Expr& number = syntax.expr(at, ast::IntLiteral{parts.items.size()});
        const ast::Expr* whole = parts.named ? syntax.find(parts.name) : &operand;
        parts.items.push_back(syntax.expr(at, ast::Subscript{whole, {&number}}).id);
    }
    return parts;
}

}  // namespace

const ast::Call* unpacked_call(Body& b, const ast::Expr& e, const ast::Call& c) {
    MadeSyntax& syntax = b.checker.program.made;
    std::vector<size_t> counts;
    bool ok = true;
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.unpacked) continue;
        const ast::Expr& operand = *argument.value;
        if (const auto* written = items_written(operand)) {
            counts.push_back(written->size());
            continue;
        }
        const Value value = expression(b, operand);
        const auto count = count_of_items(b, operand, value);
        ok &= count.has_value();
        if (!count) continue;
        counts.push_back(*count);
        UnpackedArgument& parts = items_made(syntax, b.key(operand), operand, *count);
        if (!parts.named) continue;
        const ast::Expr& name = *b.expr(parts.name);
        bind_inner_names(b, name);
        assign_to(b, name, value, operand);
    }
    if (!ok) return nullptr;
    ast::ExprId& made = syntax.unpacked_calls[{b.key(e), counts}];
    if (made.valid()) return &std::get<ast::Call>(b.expr(made)->node);
    ast::Call call{c.callee, {}};
    size_t next = 0;
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.unpacked) {
            call.arguments.push_back(argument);
            continue;
        }
        const auto* written = items_written(*argument.value);
        for (size_t i = 0; i < counts[next]; ++i) {
            const ast::Expr* item =
                written ? (*written)[i] : b.expr(syntax.unpacked.at(b.key(*argument.value)).items[i]);
            call.arguments.push_back({std::nullopt, item});
        }
        ++next;
    }
    const ast::Expr& whole = syntax.expr(e.span, std::move(call));
    made = whole.id;
    return &std::get<ast::Call>(whole.node);
}

}  // namespace tsr::sema
