#include "sema/state/loop_names.h"

#include <algorithm>

#include "sema/program/tables.h"
#include "sema/state/scope.h"

namespace tsr::sema {

namespace {

bool within(Span range, uint32_t at) { return range.begin <= at && at < range.end; }

std::vector<std::string> names_of(const ast::Expr& target) {
    std::vector<const ast::Expr*> found;
    target_names(target, found);
    std::vector<std::string> names;
    for (const ast::Expr* name : found) names.push_back(std::get<ast::Name>(name->node).text);
    return names;
}

}  // namespace

void NamePlaces::read(const ast::Module& tree) {
    for (; exprs_ < tree.exprs.size(); ++exprs_) {
        const ast::Expr& e = tree.exprs[exprs_];
        if (const auto* name = std::get_if<ast::Name>(&e.node)) {
            std::vector<uint32_t>& places = names_[name->text];
            places.insert(std::ranges::upper_bound(places, e.span.begin), e.span.begin);
        }
        if (std::holds_alternative<ast::Lambda>(e.node)) functions_.push_back(e.span);
        const auto* comprehension = std::get_if<ast::Comprehension>(&e.node);
        if (!comprehension) continue;
        for (const auto& clause : comprehension->clauses) {
            for (const std::string& name : names_of(*clause.target))
                comprehensions_[name].push_back({clause.target->span, e.span});
        }
    }
    for (; stmts_ < tree.stmts.size(); ++stmts_) {
        const ast::Stmt& stmt = tree.stmts[stmts_];
        if (std::holds_alternative<ast::FunctionDef>(stmt.node)) functions_.push_back(stmt.span);
    }
}

void NamePlaces::collect(const ast::Block& block, Bounds& bounds) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* branch = std::get_if<ast::If>(&stmt->node)) {
            for (const auto& b : branch->branches) collect(b.body, bounds);
            collect(branch->otherwise, bounds);
        } else if (const auto* loop_while = std::get_if<ast::While>(&stmt->node)) {
            collect(loop_while->body, bounds);
            collect(loop_while->otherwise, bounds);
        } else if (const auto* loop = std::get_if<ast::For>(&stmt->node)) {
            const uint32_t end = loop->body.empty() ? loop->header.end : loop->body.back()->span.end;
            const Span rounds{stmt->span.file, loop->header.end, end};
            for (const std::string& name : names_of(*loop->target))
                bounds[name].push_back({loop->target->span, rounds});
            collect(loop->body, bounds);
            collect(loop->otherwise, bounds);
        }
    }
}

bool NamePlaces::only_in_rounds(const std::string& name, Span body, const std::vector<Bound>& bounds) const {
    const auto found = names_.find(name);
    if (found == names_.end()) return false;
    const std::vector<uint32_t>& places = found->second;
    for (auto at = std::ranges::lower_bound(places, body.begin); at != places.end() && *at < body.end; ++at) {
        const bool own =
            std::ranges::any_of(bounds, [&](const Bound& b) { return within(b.target, *at) || within(b.rounds, *at); });
        if (!own) return false;
        for (const Span& function : functions_) {
            const bool inner = body.begin < function.begin && function.end <= body.end;
            if (inner && within(function, *at)) return false;
        }
    }
    return true;
}

std::set<std::string, std::less<>> NamePlaces::own_to_loops(
    const ast::FunctionDef& def, const std::map<std::string, int, std::less<>>& counts) const {
    std::set<std::string, std::less<>> own;
    if (def.body.empty()) return own;
    Bounds loops;
    collect(def.body, loops);
    const Span body = def.body.front()->span.to(def.body.back()->span);
    for (auto& [name, bounds] : loops) {
        const auto count = counts.find(name);
        const bool only_loops = count != counts.end() && count->second == static_cast<int>(bounds.size());
        if (!only_loops || bounds.size() < 2) continue;
        // What an inner loop leaves in the name is what the outer one reads behind it.
        const bool nested = std::ranges::any_of(bounds, [&](const Bound& a) {
            return std::ranges::any_of(bounds, [&](const Bound& b) { return within(a.rounds, b.target.begin); });
        });
        if (nested) continue;
        if (const auto inner = comprehensions_.find(name); inner != comprehensions_.end())
            bounds.insert(bounds.end(), inner->second.begin(), inner->second.end());
        if (only_in_rounds(name, body, bounds)) own.insert(name);
    }
    return own;
}

}  // namespace tsr::sema
