// Statements other than assignments and loops, and the flow of control through them.
#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

void Body::block(const ast::Block& block) {
    for (const ast::Stmt* stmt : block) statement(*stmt);
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

void Body::branch(const ast::If& i) {
    std::optional<Flow> after;
    for (const ast::If::Branch& b : i.branches) {
        Value condition = expr(*b.condition);
        require_bool(*b.condition, condition);
        Flow before = flow;
        block(b.body);
        after = after ? meet(*after, flow) : flow;
        flow = before;
    }
    block(i.otherwise);
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

void Body::give_back(const ast::Stmt& stmt, const ast::Return& r) {
    if (!function) {
        error("E0211", stmt.span, "`return` stands only in a function");
        return;
    }
    Value value;
    value.type = Type::none();
    if (r.value) value = expr(*r.value);
    const bool kernel = function->kind == FunctionKind::kernel;
    if (kernel && r.value && !value.broken()) {
        const auto* variable = std::get_if<VariableId>(&value.referent);
        int parameter = variable ? instance.variables[variable->index].parameter : -1;
        if (value.type.is(Kind::tensor)) {
            if (parameter < 0 || !value.type.tensor().mut) {
                error("E0409", r.value->span, "a kernel returns a scalar or one of its `mut` parameters")
                    .note("declare the parameter `mut`, or write the result to one");
                flow.reachable = false;
                return;
            }
            instance.returned_parameter = static_cast<size_t>(parameter);
        } else if (!value.type.is_number() && !value.type.is_bool()) {
            error(
                "E0409", r.value->span,
                fmt::format("a kernel returns a scalar or one of its `mut` parameters, this is {}", shown(value.type)));
            flow.reachable = false;
            return;
        }
    }
    flow.reachable = false;
    if (!result_type) {
        if (!returned.empty() && !join(settled_type(returned[0], {}), settled_type(value.type, value.value))) {
            error("E0303", r.value ? r.value->span : stmt.span,
                  fmt::format("other returns give {}, this gives {}", shown(settled_type(returned[0], {})),
                              shown(value.type)));
        }
        returned.push_back(settled_type(value.type, value.value));
        return;
    }
    if (result_type->is_unknown() || value.broken()) return;
    if (result_type->is(Kind::none) != value.type.is(Kind::none)) {
        error("E0317", r.value ? r.value->span : stmt.span,
              r.value ? fmt::format("`{}` gives nothing back", function->name) : "`return` lacks a value")
            .label(result_at, "declared here");
        return;
    }
    std::vector<std::pair<Type, Type>> pairs{{value.type, *result_type}};
    bool tuples = value.type.is(Kind::tuple) && result_type->is(Kind::tuple) &&
                  value.type.parts().size() == result_type->parts().size();
    if (tuples) {
        pairs.clear();
        for (size_t i = 0; i < value.type.parts().size(); ++i)
            pairs.emplace_back(value.type.parts()[i], result_type->parts()[i]);
    }
    std::vector<DimCheck> checks;
    bool fits = true;
    for (size_t i = 0; i < pairs.size(); ++i) {
        const auto& [found, wanted] = pairs[i];
        if (!found.is(Kind::tensor) || !wanted.is(Kind::tensor)) {
            if (!tuples) {
                if (!found.is(Kind::tensor) && !wanted.is(Kind::tensor)) {
                    require_converts(*r.value, value, wanted, fmt::format("the result of `{}`", function->name));
                    return;
                }
                fits = false;
            } else {
                std::optional<Static> part = i < value.elements.size() ? value.elements[i].value : std::nullopt;
                fits &= converts(found, part, wanted);
            }
            continue;
        }
        fits &= found.elem() == wanted.elem() && found.rank() == wanted.rank() &&
                !policy_conflict(found.policy(), wanted.policy());
        for (size_t axis = 0; fits && axis < wanted.rank(); ++axis) {
            const ir::Dim &a = found.tensor().shape[axis], &b = wanted.tensor().shape[axis];
            bool bound = true;  // a name that stands only in the result is bound by it
            for (const std::string& symbol : b.symbols()) bound &= find_symbol(symbol) != nullptr;
            if (!bound) continue;
            ir::Equality equality = ir::compare(a, b);
            if (equality == ir::Equality::different) {
                error("E0312", r.value->span,
                      fmt::format("the result of `{}` has {} along axis {}, this has {}", function->name, b.text(),
                                  axis, a.text()))
                    .label(result_at, "declared here");
                return;
            }
            if (equality == ir::Equality::unknown) checks.push_back({i, axis, a, b, b.text(), std::nullopt});
        }
    }
    if (!fits) {
        error(
            "E0302", r.value->span,
            fmt::format("the result of `{}` is {}, this is {}", function->name, shown(*result_type), shown(value.type)))
            .label(result_at, "declared here");
    }
    // What the caller may do with the tensor depends on whether it may be written here.
    if (value.type.is(Kind::tensor) && result_type->is(Kind::tensor)) {
        bool first = returned.empty();
        bool mut = value.type.tensor().mut && (first || result_type->tensor().mut);
        result_type = result_type->with_mut(mut);
        returned.push_back(value.type);
    }
    if (tuples) {
        std::vector<Type> parts = result_type->parts();
        for (size_t i = 0; i < parts.size(); ++i) {
            if (!parts[i].is(Kind::tensor) || !pairs[i].first.is(Kind::tensor)) continue;
            bool before = returned.empty() || parts[i].tensor().mut;
            parts[i] = parts[i].with_mut(before && pairs[i].first.tensor().mut);
        }
        result_type = Type::tuple(std::move(parts));
        returned.push_back(value.type);
    }
    if (!checks.empty()) instance.checks[stmt.id] = std::move(checks);
}

void Body::assertion(const ast::Assert& a) {
    Value condition = expr(*a.condition);
    require_bool(*a.condition, condition);
    if (condition.value && condition.value->boolean() == false) {
        error("E0331", a.condition->span, "this never holds");
    }
    if (!a.message) return;
    Value message = expr(*a.message);
    if (!message.broken() && !message.type.is(Kind::string)) {
        error("E0302", a.message->span,
              fmt::format("the message of an `assert` is a string, this is {}", shown(message.type)));
    }
}

void Body::define(const ast::Stmt&, const ast::FunctionDef& def) {
    FunctionId id = checker.function_of(def);
    if (!function || !id.valid()) return;  // module level: declared before
    nested[def.name.text] = id;
    const Function& inner = checker.program.function(id);
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
