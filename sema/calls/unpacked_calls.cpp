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
    if (const auto length = value.type.length()) return static_cast<size_t>(*length);
    b.error("E0314", e.span, "the number of items that `*` unpacks must be static")
        .note(
            "a tuple has a number of items that is known, and so has a list that is written here; a list in a "
            "variable grows");
    return std::nullopt;
}

}  // namespace

const ast::Call* unpacked_call(Body& b, const ast::Call& c) {
    Program& program = b.checker.program;
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
        auto [found, fresh] = program.unpacked.try_emplace(&operand);
        UnpackedArgument& parts = found->second;
        if (fresh) {
            parts.named = !std::holds_alternative<ast::Name>(operand.node);
            const ast::ExprId id = program.make_id();
            parts.name = program.make_expr(operand.span, ast::Name{fmt::format("items {}", id.index)});
        }
        while (parts.items.size() < *count) {
            const uint64_t number = parts.items.size();
            parts.numbers.push_back(program.make_expr(operand.span, ast::IntLiteral{number}));
            const ast::Expr* whole = parts.named ? &parts.name : &operand;
            parts.items.push_back(program.make_expr(operand.span, ast::Subscript{whole, {&parts.numbers.back()}}));
        }
        if (!parts.named) continue;
        bind_inner_names(b, parts.name);
        assign_to(b, parts.name, value, operand);
    }
    if (!ok) return nullptr;
    auto [found, fresh] = program.unpacked_calls.try_emplace({&c, counts});
    ast::Call& call = found->second;
    if (!fresh) return &call;
    call.callee = c.callee;
    size_t next = 0;
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.unpacked) {
            call.arguments.push_back(argument);
            continue;
        }
        const auto* written = items_written(*argument.value);
        for (size_t i = 0; i < counts[next]; ++i) {
            const ast::Expr* item = written ? (*written)[i] : &program.unpacked.at(argument.value).items[i];
            call.arguments.push_back({std::nullopt, item});
        }
        ++next;
    }
    return &call;
}

}  // namespace tsr::sema
