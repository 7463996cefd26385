#include "sema/elaborate/effects.h"

#include "sema/elaborate/written_values.h"

namespace tsr::elaborate {

namespace {

void add_all(Body& b, LoopEffects& found) {
    for (const Slot slot : b.local_arrays) {
        if (b.env.contains(slot)) found.assigned.insert(slot);
    }
}

}  // namespace

void add_written_locals(Body& b, const ast::Expr& array, LoopEffects& found) {
    const auto* variable = std::get_if<sema::VariableId>(&b.info(array).referent);
    const Val held = variable ? b.get(b.slot(*variable)) : Val{};
    // Made or named in the loop: which one it is is not known yet.
    if (!held.is(Val::Kind::local)) return add_all(b, found);
    found.assigned.insert(Slot{0, held.site});
}

void add_given_locals(Body& b, Span range, LoopEffects& found) {
    if (b.local_arrays.empty()) return;
    bool any = false;
    b.instance().for_each_callee([&](const sema::CallInfo& call) {
        if (call.kind != sema::CallKind::function) return;
        for (const sema::PassedArgument& argument : call.arguments) {
            const ast::Expr* given = b.expr(argument.expr);
            if (!given || !b.info(*given).type.is(sema::Kind::local)) continue;
            const Span at = given->span;
            any |= at.file == range.file && range.begin <= at.begin && at.end <= range.end;
        }
        // A function that captures one.
        const sema::Instance& callee = b.program.instance(call.callee);
        for (const sema::VariableId captured : callee.captures) {
            any |= callee.variables[captured.index].type.is(sema::Kind::local);
        }
    });
    if (any) add_all(b, found);
}

namespace {

// Which variables of the frame a loop's body assigns, and how it is left. Bodies of nested functions are their own.
struct Effects {
    Body& b;
    LoopEffects& found;
    int depth = 0;  // loops around, inside of the one asked about
    Span statement;

    void name(const ast::Expr& target) {
        if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) {
            for (const ast::Expr* element : tuple->elements) name(*element);
        } else if (const auto* list = std::get_if<ast::List>(&target.node)) {
            for (const ast::Expr* element : list->elements) name(*element);
        } else if (const auto* subscript = std::get_if<ast::Subscript>(&target.node)) {
            const sema::Type& base = b.info(*subscript->base).type;
            if (base.is(sema::Kind::list) && !b.rules().host_objects)
                name(*subscript->base);  // an element of a list of registers
            if ((base.is(sema::Kind::tensor) || base.is(sema::Kind::record)) && b.rules().new_values)
                name(*subscript->base);  // the variable has a new value, with another block or item
            if (base.is(sema::Kind::local)) add_written_locals(b, *subscript->base, found);
        } else if (const auto* field = std::get_if<ast::Attribute>(&target.node)) {
            if (!b.rules().host_objects) name(*field->base);  // the variable has a new record
        } else if (const auto* variable = std::get_if<sema::VariableId>(&b.info(target).referent)) {
            found.assigned.insert(b.slot(*variable));
        }
    }
    void statements(const ast::Block& block) {
        for (const ast::Stmt* stmt : block) {
            statement = stmt->span;
            const auto loop = b.instance().loops.find(stmt->id);
            const bool rounds = loop != b.instance().loops.end() && loop->second.rounds.valid();
            std::visit(*this, (rounds ? b.program.made.find(loop->second.rounds) : stmt)->node);
        }
    }
    void leaves(bool& how) {
        how = true;
        if (!found.left_at.valid()) found.left_at = statement;
    }
    void loop(const ast::Block& body) {
        ++depth;
        statements(body);
        --depth;
    }

    void operator()(const ast::Assign& s) {
        for (const ast::Expr* target : s.targets) name(*target);
    }
    void operator()(const ast::AugmentedAssign& s) { name(*s.target); }
    void operator()(const ast::AnnotatedAssign& s) { name(*s.target); }
    void operator()(const ast::If& s) {
        for (const ast::If::Branch& taken : s.branches) statements(taken.body);
        statements(s.otherwise);
    }
    void operator()(const ast::For& s) {
        name(*s.target);
        loop(s.body);
        statements(s.otherwise);
    }
    void operator()(const ast::While& s) {
        loop(s.body);
        statements(s.otherwise);
    }
    void operator()(const ast::Break&) {
        if (depth == 0) leaves(found.leaves);
    }
    void operator()(const ast::Return&) { leaves(found.returns); }
    template <typename Other>
    void operator()(const Other&) {}
};

}  // namespace

LoopEffects effects_of(Body& b, const ast::Block& statements) {
    LoopEffects found;
    Effects{b, found}.statements(statements);
    if (statements.empty()) return found;
    const Span range = statements.front()->span.to(statements.back()->span);
    add_given_locals(b, range, found);
    add_written_values(b, range, found);
    return found;
}

}  // namespace tsr::elaborate
