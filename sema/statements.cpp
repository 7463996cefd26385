// Statements other than assignments and loops, and the flow of control through them.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

// Functions that are checked for each signature or point of a tuning space: of them only what can be reached.
static bool is_checked_for_each(const Body& b) {
    return b.function && (b.function->generic || !b.instance.kernel.tuning.empty());
}

void Body::block(const ast::Block& block) {
    const bool several = is_checked_for_each(*this);
    const size_t conditions = round_conditions.size();
    for (const ast::Stmt* stmt : block) {
        statement(*stmt);
        // `if x.ndim == 1: return …`: what follows is not reached where that is known to hold.
        if (several && std::holds_alternative<ast::If>(stmt->node) && flow.decided) break;
    }
    round_conditions.resize(conditions);
}

void Body::statement(const ast::Stmt& stmt) {
    if (checker.cancelled()) return;
    if (const auto* s = std::get_if<ast::ExprStmt>(&stmt.node)) {
        expr(*s->value);
    } else if (const auto* a = std::get_if<ast::Assign>(&stmt.node)) {
        assign(stmt, *a);
    } else if (const auto* g = std::get_if<ast::AugmentedAssign>(&stmt.node)) {
        augmented(stmt, *g);
    } else if (const auto* n = std::get_if<ast::AnnotatedAssign>(&stmt.node)) {
        annotated(stmt, *n);
    } else if (const auto* i = std::get_if<ast::If>(&stmt.node)) {
        branch(*i);
    } else if (const auto* f = std::get_if<ast::For>(&stmt.node)) {
        loop(stmt, *f);
    } else if (const auto* w = std::get_if<ast::While>(&stmt.node)) {
        loop_while(stmt, *w);
    } else if (std::holds_alternative<ast::Break>(stmt.node)) {
        leave(stmt, true);
    } else if (std::holds_alternative<ast::Continue>(stmt.node)) {
        leave(stmt, false);
    } else if (const auto* r = std::get_if<ast::Return>(&stmt.node)) {
        give_back(stmt, *r);
    } else if (const auto* c = std::get_if<ast::Assert>(&stmt.node)) {
        assertion(*c);
    } else if (const auto* d = std::get_if<ast::FunctionDef>(&stmt.node)) {
        define(stmt, *d);
    } else if (const auto* k = std::get_if<ast::ClassDef>(&stmt.node)) {
        if (function) refuse(Feature::host, k->name.span, "classes are");
    } else if (function &&
               (std::holds_alternative<ast::Import>(stmt.node) || std::holds_alternative<ast::FromImport>(stmt.node))) {
        error("E0211", stmt.span, "imports stand at module level");
    }
}

std::optional<bool> Body::decides(const Value& condition) const {
    return is_checked_for_each(*this) && condition.value ? condition.value->boolean() : std::nullopt;
}

void Body::branch(const ast::If& i) {
    std::optional<Flow> after;
    const size_t conditions = round_conditions.size();
    std::vector<std::pair<const ast::Expr*, bool>> left;  // that do not hold where the text goes on
    for (const ast::If::Branch& b : i.branches) {
        const Value condition = this->condition(*b.condition);
        const auto known = decides(condition);
        if (known == false) continue;
        if (known == true) {
            block(b.body);
            flow.decided = !flow.reachable;
            flow = after ? meet(*after, flow) : flow;
            round_conditions.resize(conditions);
            return;
        }
        Flow before = flow;
        if (condition.rounds != 0) round_conditions.emplace_back(b.condition, true);
        block(b.body);
        if (condition.rounds != 0) {
            round_conditions.back().second = false;
            if (!flow.reachable) left.push_back(round_conditions.back());
        }
        after = after ? meet(*after, flow) : flow;
        flow = before;
    }
    block(i.otherwise);
    round_conditions.resize(conditions);
    round_conditions.insert(round_conditions.end(), left.begin(), left.end());
    flow = after ? meet(*after, flow) : flow;
}

void Body::leave(const ast::Stmt& stmt, bool is_break) {
    if (loops.empty()) {
        error("E0211", stmt.span, fmt::format("`{}` stands only in a loop", is_break ? "break" : "continue"));
        return;
    }
    (is_break ? loops.back().breaks : loops.back().continues).push_back(flow);
    flow.reachable = false;
}

void Body::assertion(const ast::Assert& a) {
    const Value condition = this->condition(*a.condition);
    if (condition.value && condition.value->boolean() == false) {
        error("E0331", a.condition->span, "this never holds");
    }
    if (!a.message) return;
    Value message = message_part(*a.message);
    if (!message.broken() && !message.type.is(Kind::string)) {
        error("E0302", a.message->span,
              fmt::format("the message of an `assert` is a string, this is {}", shown(message.type)));
    }
}

void Body::define(const ast::Stmt& stmt, const ast::FunctionDef& def) {
    FunctionId id = checker.function_of(def);
    if (!function || !id.valid()) return;  // module level: declared before
    const auto [known, fresh] = nested.try_emplace(def.name.text, id);
    const ast::Block& around = function->def->body;
    const bool always = std::ranges::find(around, &stmt) != around.end();
    const Span other = checker.program.function(known->second).def->name.span;
    if (!fresh && known->second != id && !always && other.begin < def.name.span.begin) {
        error("E0205", def.name.span,
              fmt::format("`{}` is defined twice: which one is called must be known", def.name.text))
            .label(other, "the first definition");
    }
    known->second = id;
    const Function& inner = checker.program.function(id);
    if (inner.generic && inner.refused == Feature::none) inner_generics.insert(id);
    if (inner.generic || inner.refused != Feature::none || !aloud) return;
    Request request;
    request.function = id;
    request.context = instance.context;
    request.enclosing = this;
    if (inner.kind == FunctionKind::kernel) request.context = Context::kernel;
    InstanceId made = checker.instantiate(request);
    if (made.valid()) state().callees.insert(made);
}

}  // namespace tsr::sema
