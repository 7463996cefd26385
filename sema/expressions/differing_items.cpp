#include "sema/expressions/differing_items.h"

#include <algorithm>

#include "sema/program/copied_syntax.h"
#include "sema/state/recursion.h"

namespace tsr::sema {

namespace {

bool names_a_value(const ast::Expr& e) {
    if (const auto* member = std::get_if<ast::Attribute>(&e.node)) return names_a_value(*member->base);
    return std::holds_alternative<ast::Name>(e.node);
}

const ast::Expr* name_or_none(const ast::Expr& e) { return std::holds_alternative<ast::Name>(e.node) ? &e : nullptr; }

std::optional<ItemsGone> items_gone_through(const ast::Expr& iterable, const ast::Expr& target) {
    const auto* call = std::get_if<ast::Call>(&iterable.node);
    const auto* method = call && call->arguments.empty() ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
    ItemsGone gone;
    if (!call) {
        gone = {&iterable, name_or_none(target)};
    } else if (method && method->name.text == "keys") {
        gone = {method->base, name_or_none(target)};
    } else if (method && method->name.text == "values") {
        gone = {method->base, nullptr, name_or_none(target)};
    } else if (method && method->name.text == "items") {
        const auto* pair = std::get_if<ast::Tuple>(&target.node);
        if (!pair || pair->elements.size() != 2) return std::nullopt;
        gone = {method->base, name_or_none(*pair->elements[0]), name_or_none(*pair->elements[1])};
        if (!gone.key || !gone.value) return std::nullopt;
    }
    if (!gone.dict || (!gone.key && !gone.value) || !names_a_value(*gone.dict)) return std::nullopt;
    return gone;
}

bool differ(const Type& dict) {
    const auto& parts = dict.parts();
    return std::ranges::any_of(parts, [&](const Type& part) {
        const Type& first = parts.front();
        if (part.is(Kind::tensor) && first.is(Kind::tensor))
            return part.rank() != first.rank() || part.elem() != first.elem();
        return !(part == first);
    });
}

}  // namespace

std::optional<ItemsGone> differing_items(Body& b, const ast::Expr& iterable, const ast::Expr& target) {
    const auto gone = items_gone_through(iterable, target);
    if (!gone) return std::nullopt;
    const Type dict = expression(b, *gone->dict).type;
    return dict.is_keyed_dict() && !dict.parts().empty() && differ(dict) ? gone : std::nullopt;
}

const ast::Expr* display_of_items(Body& b, const ast::Expr& e, const ast::Comprehension& c) {
    const ast::Comprehension::Clause& clause = c.clauses[0];
    if ((c.generator && b.rules().host_objects) || c.clauses.size() != 1 || !clause.conditions.empty()) return nullptr;
    const auto gone = differing_items(b, *clause.iterable, *clause.target);
    if (!gone) return nullptr;
    const Type dict = expression(b, *gone->dict).type;
    std::string form;
    for (const std::string& name : dict.names()) form += name + "|";
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.displays_of_items[{b.key(e), form}];
    if (made.valid()) return b.expr(made);
    ast::Dict entries;
    ast::List list;
    for (size_t i = 0; i < dict.parts().size(); ++i) {
        const ast::ExprNode key = ast::StringLiteral{dict.names()[i + 1], {}};
        SyntaxCopier copier(syntax);
        if (gone->value) {
            copier.values[std::get<ast::Name>(gone->value->node).text] =
                ast::Subscript{copier.expr(gone->dict), {&syntax.expr(gone->value->span, key)}};
        }
        if (gone->key) copier.values[std::get<ast::Name>(gone->key->node).text] = key;
        if (c.value) entries.entries.emplace_back(copier.expr(c.element), copier.expr(c.value));
        if (!c.value) list.elements.push_back(copier.expr(c.element));
    }
    const ast::Expr& display = c.value ? syntax.expr(e.span, std::move(entries)) : syntax.expr(e.span, std::move(list));
    made = display.id;
    syntax.library_calls[b.key(e)].push_back(made);
    return &display;
}

}  // namespace tsr::sema
