// Statements. Structured code becomes SSA: what a statement assigns is held by the body's slots; `break`, `continue`
// and early `return` become flags, static where the text shows them and carried conditions elsewhere.
#include <algorithm>

#include "base/cancel.h"
#include "sema/elaborate/assignments.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/derivatives.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/loops.h"
#include "sema/elaborate/memory.h"
#include "sema/elaborate/operators.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/text.h"
#include "sema/program/reductions.h"

namespace tsr::elaborate {

namespace {

void run(Body& b, const ast::Block& statements, size_t from);

// The branch `k` of an `if` and what follows it. `rest` is what stands behind the whole statement in its block: where
// only one side goes on, it is that side's; null when a side outside goes on too. True when the rest was done.
bool branch(Body& b, const ast::If& statement, size_t k, const std::function<void()>* rest) {
    if (k == statement.branches.size()) {
        block(b, statement.otherwise);
        return false;
    }
    const ast::If::Branch& taken = statement.branches[k];
    const At at(b.emit, taken.condition->span);
    const Val test = condition(b, *taken.condition);
    if (test.is_fixed()) {
        if (test.is_fixed_bool(true)) {
            block(b, taken.body);
            return false;
        }
        return branch(b, statement, k + 1, rest);
    }
    Body::OpenIf open = b.open_if(test.id);
    bool ended[2] = {};
    b.in_side(open, 0, [&] {
        block(b, taken.body);
        ended[0] = b.dead();
    });
    bool done = false;
    b.in_side(open, 1, [&] {
        const bool inner = branch(b, statement, k + 1, ended[0] ? rest : nullptr);
        done = inner && ended[0];  // else the rest follows the first side, also where the other ends
        ended[1] = b.dead();
    });
    if (rest && !done && ended[0] != ended[1]) {
        b.in_side(open, ended[0] ? 1 : 0, *rest);
        done = true;
    }
    const bool emptied = ended[0] && b.function().region(open.regions[0]).ops.empty();
    b.close_if(open);
    if (emptied) b.turn_round(open.op);
    return done || (ended[0] && ended[1]);
}

// Extents that a declared type says.
void check_declared(Body& b, const ast::Stmt& stmt) {
    const auto found = b.instance().checks.find(stmt.id);
    if (found != b.instance().checks.end() && b.rules().tensor_values) check_declared_shape(b, found->second);
}

// What a declared type or an element takes: rounded first, unless a reduction stands directly there, whose type it then
// chooses.
Val for_declared(Body& b, const ast::Expr& e, const Declared& declared) {
    Val value = to_be_stored(b, e, declared);
    const auto call = b.instance().calls.find(e.id);
    if (call != b.instance().calls.end() && sema::takes_declared_type(b.instance(), call->second)) value.type.reset();
    return value;
}

void round_as_declared(Body& b, Val& value, const Declared& declared) {
    if (declared.round) value.round_by(declared.round, b.is_graph_function() ? declared.written : nullptr);
}

// Of a tensor beside its scales: the extents that its declaration says.
void check_values(Body& b, const ast::Stmt& stmt, const Val& value, const sema::Type& type) {
    const auto shape = b.instance().values_shapes.find(stmt.id);
    if (shape != b.instance().values_shapes.end()) check_values_shape(b, value, type, shape->second);
}

void return_statement(Body& b, const ast::Stmt& stmt, const ast::Return& statement) {
    Frame& frame = b.frame();
    if (statement.value && !frame.instance->result.is(sema::Kind::none)) {
        const Declared declared{statement.value, frame.instance->result.policy().round};
        Val value = for_declared(b, *statement.value, declared);
        round_as_declared(b, value, declared);
        check_declared(b, stmt);
        check_values(b, stmt, value, frame.instance->result);
        value = in_declared_shape(b, b.rounded(value), frame.instance->result);
        value = b.coerce(value, frame.instance->result);
        b.set(frame.result, with_stored_cotangents(b, value, frame.instance->result));
    } else if (statement.value) {
        expression(b, *statement.value);  // a call that gives nothing
    }
    b.set(frame.live, Val::truth(false));
    for (const LoopFlags& loop : frame.loops) {
        b.set(loop.loop_live, Val::truth(false));
        b.set(loop.round_live, Val::truth(false));
    }
}

void augmented(Body& b, const ast::Stmt& stmt, const ast::AugmentedAssign& statement) {
    const auto in_place = b.program.made.in_place.find({b.instance().module, stmt.id});
    if (in_place != b.program.made.in_place.end() && !b.instance().augmented.contains(stmt.id)) {
        const ast::Expr& target = *b.expr(in_place->second.target);
        return assign_to(b, target, to_be_stored(b, *b.expr(in_place->second.value), declared_by(b, target)));
    }
    const auto found = b.instance().augmented.find(stmt.id);
    if (found == b.instance().augmented.end()) return;
    const sema::AugmentedInfo& info = found->second;
    const Target target = evaluate_target(b, *statement.target);
    const Val before = read_target(b, target);
    // In place: other names of the list see it too.
    if (info.type.is(sema::Kind::list) && b.rules().host_objects && statement.op == ast::BinaryOp::add) {
        extend_list(b, before, expression(b, *statement.value), info.type);
        if (target.kind == Target::Kind::list_slice) write_target(b, target, before);  // which is a list of its own
        return;
    }
    const Val after = combine_augmented(b, statement, before, info);
    write_target(b, target, after);
}

struct Run {
    Body& b;
    const ast::Stmt& stmt;

    void operator()(const ast::BrokenStmt&) {}
    void operator()(const ast::ExprStmt& s) { expression(b, *s.value); }
    void operator()(const ast::Assign& s) {
        const auto masked = b.program.made.in_place.find({b.instance().module, stmt.id});
        if (masked != b.program.made.in_place.end() && b.instance().calls.contains(masked->second.value)) {
            return assign_to(b, *b.expr(masked->second.target), expression(b, *b.expr(masked->second.value)));
        }
        if (const auto* name = std::get_if<ast::Name>(&s.targets[0]->node)) b.site_name = name->text;
        const bool stores = std::ranges::all_of(
            s.targets, [](const ast::Expr* target) { return std::holds_alternative<ast::Subscript>(target->node); });
        Val value = stores ? for_declared(b, *s.value, declared_by(b, *s.targets[0])) : expression(b, *s.value);
        // `a = b = []`: one list with two names.
        const sema::Type& first = b.info(*s.targets[0]).type;
        const bool container = first.is(sema::Kind::list) || first.is(sema::Kind::dict);
        if (s.targets.size() > 1 && container && b.rules().host_objects) value = b.coerce(value, first);
        if (s.targets.size() > 1 && value.rounds_at != nullptr) value = b.rounded(value);  // one tensor with two names
        for (const ast::Expr* target : s.targets) assign_to(b, *target, value);
    }
    void operator()(const ast::AugmentedAssign& s) { augmented(b, stmt, s); }
    void operator()(const ast::AnnotatedAssign& s) {
        if (!s.value) return;
        const Declared declared = declared_by(b, *s.target);
        Val value = for_declared(b, *s.value, declared);
        round_as_declared(b, value, declared);
        check_declared(b, stmt);
        const sema::Type& type = b.info(*s.target).type;
        check_values(b, stmt, value, type);
        assign_to(b, *s.target, value);
        const bool scaled = type.is(sema::Kind::tensor) && type.tensor().scaling.stores_cotangents();
        if (scaled && b.function().level == ir::Level::graph)
            assign_to(b, *s.target, with_stored_cotangents(b, expression(b, *s.target), type));
    }
    void operator()(const ast::If&) {}  // by `run`, which knows what follows
    void operator()(const ast::For& s) { for_statement(b, stmt, s); }
    void operator()(const ast::While& s) { while_statement(b, s); }
    void operator()(const ast::Break&) {
        b.set(b.frame().loops.back().loop_live, Val::truth(false));
        b.set(b.frame().loops.back().round_live, Val::truth(false));
    }
    void operator()(const ast::Continue&) { b.set(b.frame().loops.back().round_live, Val::truth(false)); }
    void operator()(const ast::Return& s) { return_statement(b, stmt, s); }
    void operator()(const ast::Pass&) {}
    void operator()(const ast::Assert& s) { assert_statement(b, s); }
    void operator()(const ast::FunctionDef&) {}
    void operator()(const ast::ClassDef&) {}
    void operator()(const ast::Import&) {}
    void operator()(const ast::FromImport&) {}
};

void run(Body& b, const ast::Block& statements, size_t from) {
    for (size_t k = from; k < statements.size(); ++k) {
        if (b.dead()) return;
        if (!b.get(b.live_flag()).is_fixed()) {
            return b.guarded(b.live_flag(), [&] { run(b, statements, k); });
        }
        stop_if_cancelled();
        const ast::Stmt& stmt = *statements[k];
        const At at(b.emit, stmt.span);
        if (const auto* choice = std::get_if<ast::If>(&stmt.node)) {
            const std::function<void()> rest = [&] { run(b, statements, k + 1); };
            if (branch(b, *choice, 0, &rest)) return;
        } else {
            std::visit(Run{b, stmt}, stmt.node);
        }
    }
}

}  // namespace

void block(Body& b, const ast::Block& statements) { run(b, statements, 0); }

void run_function(Body& b, const sema::Function& function) {
    bind_values_shapes(b);
    block(b, b.program.def(function).body);
}

}  // namespace tsr::elaborate
