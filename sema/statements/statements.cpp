// Statements other than assignments and loops, and the flow of control through them.
#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/conditions.h"
#include "sema/expressions/formatted_strings.h"
#include "sema/state/given_up.h"
#include "sema/state/recursion.h"
#include "sema/statements/assign.h"
#include "sema/statements/loops.h"
#include "sema/statements/returns.h"

namespace tsr::sema {

static void if_statement(Body& b, const ast::If& i) {
    std::optional<Flow> after;
    // Of lists, lengths count only on the paths that are possible.
    std::optional<Flow> possible;
    bool decided = false;
    const auto add_path = [&](std::optional<bool> taken) {
        after = after ? meet(*after, b.flow) : b.flow;
        if (decided || taken == false) return;
        possible = possible ? meet(*possible, b.flow) : b.flow;
        decided = taken == true;
    };
    const size_t conditions = b.round_conditions.size();
    std::vector<std::pair<const ast::Expr*, bool>> left;  // that do not hold where the text goes on
    for (const ast::If::Branch& side : i.branches) {
        const Value condition = condition_value(b, *side.condition);
        const auto known = b.decides(condition);
        if (known == false) continue;
        if (known == true) {
            block(b, side.body);
            b.flow.decided = !b.flow.reachable;
            b.flow = after ? meet(*after, b.flow) : b.flow;
            b.round_conditions.resize(conditions);
            return;
        }
        Flow before = b.flow;
        if (condition.rounds != 0) b.round_conditions.emplace_back(side.condition, true);
        block(b, side.body);
        if (condition.rounds != 0) {
            b.round_conditions.back().second = false;
            if (!b.flow.reachable) left.push_back(b.round_conditions.back());
        }
        add_path(condition.value ? condition.value->boolean() : std::nullopt);
        b.flow = before;
    }
    block(b, i.otherwise);
    b.round_conditions.resize(conditions);
    b.round_conditions.insert(b.round_conditions.end(), left.begin(), left.end());
    add_path(std::nullopt);
    b.flow = *after;
    if (possible) b.flow.lengths = possible->lengths;
}

static void leave_loop(Body& b, const ast::Stmt& stmt, bool is_break) {
    if (b.loops.empty()) {
        b.error("E0211", stmt.span, fmt::format("`{}` stands only in a loop", is_break ? "break" : "continue"));
        return;
    }
    (is_break ? b.loops.back().breaks : b.loops.back().continues).push_back(b.flow);
    b.flow.reachable = false;
}

static void assert_statement(Body& b, const ast::Assert& a) {
    const Value condition = condition_value(b, *a.condition);
    const bool fails = condition.value && condition.value->boolean() == false;
    const auto say = [&](const std::string& text) {
        if (fails) b.error("E0331", a.condition->span, text);
    };
    if (!a.message) return say("this never holds");
    Value message = message_part(b, *a.message);
    if (!message.broken() && !message.type.is(Kind::string)) {
        b.error("E0302", a.message->span,
                fmt::format("the message of an `assert` is a string, this is {}", shown(message.type)));
    }
    // The library says in its own words what it does not take.
    const std::string* words = message.value ? message.value->string() : nullptr;
    const bool library = b.checker.is_library(b.instance.module);
    say(words && library ? *words : "this never holds");
    if (!fails || !library) return;
    b.flow.reachable = false;
    b.flow.decided = true;
    if (!b.returned) b.returned = Type();  // what it would give is not known
}

static void nested_function(Body& b, const ast::Stmt& stmt, const ast::FunctionDef& def) {
    FunctionId id = b.checker.function_of(def);
    if (!b.function || !id.valid()) return;  // module level: declared before
    const auto [known, fresh] = b.nested.try_emplace(def.name.text, id);
    const ast::Block& around = b.def().body;
    const bool always = std::ranges::find(around, &stmt) != around.end();
    const Span other = b.checker.program.def(known->second).name.span;
    if (!fresh && known->second != id && !always && other.begin < def.name.span.begin) {
        b.error("E0205", def.name.span,
                fmt::format("`{}` is defined twice: which one is called must be known", def.name.text))
            .label(other, "the first definition");
    }
    known->second = id;
    const Function& inner = b.checker.program.function(id);
    if (inner.generic && inner.refused == Feature::none) b.inner_generics.insert(id);
    if (inner.generic || inner.refused != Feature::none || !b.aloud) return;
    Request request;
    request.function = id;
    request.context = rules_of(inner.kind).context.value_or(b.instance.context);
    request.enclosing = &b;
    InstanceId made = b.checker.instantiate(request);
    if (made.valid()) b.state().callees.insert(made);
}

static void statement(Body& b, const ast::Stmt& stmt) {
    if (b.checker.cancelled()) throw GivenUp();
    if (const auto* s = std::get_if<ast::ExprStmt>(&stmt.node)) {
        expression(b, *s->value);
    } else if (const auto* a = std::get_if<ast::Assign>(&stmt.node)) {
        assignment(b, stmt, *a);
    } else if (const auto* g = std::get_if<ast::AugmentedAssign>(&stmt.node)) {
        augmented_assignment(b, stmt, *g);
    } else if (const auto* n = std::get_if<ast::AnnotatedAssign>(&stmt.node)) {
        annotated_assignment(b, stmt, *n);
    } else if (const auto* i = std::get_if<ast::If>(&stmt.node)) {
        if_statement(b, *i);
    } else if (const auto* f = std::get_if<ast::For>(&stmt.node)) {
        for_loop(b, stmt, *f);
    } else if (const auto* w = std::get_if<ast::While>(&stmt.node)) {
        while_loop(b, stmt, *w);
    } else if (std::holds_alternative<ast::Break>(stmt.node)) {
        leave_loop(b, stmt, true);
    } else if (std::holds_alternative<ast::Continue>(stmt.node)) {
        leave_loop(b, stmt, false);
    } else if (const auto* r = std::get_if<ast::Return>(&stmt.node)) {
        return_statement(b, stmt, *r);
    } else if (const auto* c = std::get_if<ast::Assert>(&stmt.node)) {
        assert_statement(b, *c);
    } else if (const auto* d = std::get_if<ast::FunctionDef>(&stmt.node)) {
        nested_function(b, stmt, *d);
    } else if (const auto* k = std::get_if<ast::ClassDef>(&stmt.node)) {
        if (b.function) b.refuse(Feature::host, k->name.span, "classes are");
    } else if (b.function &&
               (std::holds_alternative<ast::Import>(stmt.node) || std::holds_alternative<ast::FromImport>(stmt.node))) {
        b.error("E0211", stmt.span, "imports stand at module level");
    }
}

void block(Body& b, const ast::Block& statements) {
    const bool several = b.is_checked_for_each();
    const size_t conditions = b.round_conditions.size();
    for (const ast::Stmt* stmt : statements) {
        statement(b, *stmt);
        // `if x.ndim == 1: return …`: what follows is not reached where that is known to hold. Nor is it behind what
        // the library does not take.
        const bool decides =
            std::holds_alternative<ast::If>(stmt->node) || std::holds_alternative<ast::Assert>(stmt->node);
        if (!several || !decides || !b.flow.decided) continue;
        b.state().left_out_behind.insert(stmt->id);
        break;
    }
    b.round_conditions.resize(conditions);
}

}  // namespace tsr::sema
