#include "sema/statements/rounds_of_keys.h"

#include <algorithm>
#include <map>

#include "sema/expressions/comprehensions.h"
#include "sema/expressions/differing_items.h"
#include "sema/program/copied_syntax.h"
#include "sema/state/recursion.h"
#include "sema/state/scope.h"

namespace tsr::sema {

namespace {

// Each round has variables of its own for what it assigns first.
std::vector<std::string> own_names(Body& b, const ast::For& f) {
    std::map<std::string, int, std::less<>> bound;
    count_bindings(f.body, bound);
    std::vector<std::string> own;
    for (const auto& [name, count] : bound) {
        const Slot* slot = b.find_slot(name);
        const bool before = slot && slot->id.index < b.flow.assigned.size() && b.flow.assigned[slot->id.index];
        if (!before) own.push_back(name);
    }
    return own;
}

}  // namespace

const ast::Stmt* rounds_of_keys(Body& b, const ast::Stmt& stmt, const ast::For& f) {
    if (!f.otherwise.empty() || !SyntaxCopier::may_copy(f.body)) return nullptr;
    const auto gone = differing_items(b, *f.iterable, *f.target);
    if (!gone) return nullptr;
    const Type dict = expression(b, *gone->dict).type;
    std::vector<std::string> own = own_names(b, f);
    if (gone->key && std::ranges::count(own, std::get<ast::Name>(gone->key->node).text) != 0) return nullptr;
    if (gone->value) own.push_back(std::get<ast::Name>(gone->value->node).text);
    MadeSyntax& syntax = b.checker.program.made;
    std::string form;
    for (const std::string& name : dict.names()) form += name + "|";
    for (const std::string& name : own) form += name + ",";
    RoundsOfKeys& made = syntax.rounds_of_keys[{b.instance.module, stmt.id, form}];
    if (!made.rounds.valid()) {
        ast::Block rounds;
        for (size_t i = 0; i < dict.parts().size(); ++i) {
            const std::string& key = dict.names()[i + 1];
            SyntaxCopier copier(syntax);
            const auto of_key = [&](std::string name) { return name += "." + key; };
            for (const std::string& name : own) copier.names[name] = of_key(name);
            if (gone->key) copier.values[std::get<ast::Name>(gone->key->node).text] = ast::StringLiteral{key, {}};
            for (const std::string& name : own)
                made.names.push_back(syntax.expr(f.target->span, ast::Name{of_key(name)}).id);
            if (gone->value) {
                const ast::Expr* item = &syntax.expr(
                    f.target->span, ast::Subscript{copier.expr(gone->dict),
                                                   {&syntax.expr(f.target->span, ast::StringLiteral{key, {}})}});
                rounds.push_back(&syntax.stmt(f.target->span, ast::Assign{{copier.expr(gone->value)}, item}));
            }
            const ast::Block body = copier.block(f.body);
            rounds.insert(rounds.end(), body.begin(), body.end());
        }
        ast::If all;
        all.branches.push_back({&syntax.expr(f.target->span, ast::BoolLiteral{true}), std::move(rounds), f.header});
        made.rounds = syntax.stmt(stmt.span, std::move(all)).id;
    }
    const ast::Stmt& rounds = *syntax.find(made.rounds);
    std::map<std::string, int, std::less<>> bound;
    count_bindings(std::get<ast::If>(rounds.node).branches[0].body, bound);
    for (const ast::ExprId id : made.names) {
        const ast::Expr& name = *syntax.find(id);
        bind_inner_names(b, name);
        b.slots[b.inner_slots.at(id).index].bindings = std::max(1, bound[std::get<ast::Name>(name.node).text]);
    }
    return &rounds;
}

}  // namespace tsr::sema
