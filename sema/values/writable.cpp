#include "sema/values/writable.h"

#include <string_view>

#include <fmt/format.h>

namespace tsr::sema {

bool require_writable(Body& b, const ast::Expr& e, const Value& memory) {
    if (memory.type.writable() || (!memory.type.is(Kind::tensor) && !memory.type.is(Kind::record))) return true;
    const ast::Expr& root = written_root(e);
    auto& d = b.error("E0319", e.span, fmt::format("`{}` may not be written", b.source(e)));
    const auto* variable = std::get_if<VariableId>(&b.instance.info(root).referent);
    int parameter = variable ? b.instance.variables[variable->index].parameter : -1;
    const bool several = variable && b.slots[variable->index].bindings > 1;
    if (several) {
        const std::string name = b.source(root);
        if (memory.type.is(Kind::record) || &root != &e) {
            d.note(
                fmt::format("`{}` may stand here for what is not this function's own: give what it makes a name of "
                            "its own",
                            name));
        } else {
            d.note(fmt::format(
                "`{0}` may stand here for a tensor that is not this function's own; `{0} = {0}.copy()` makes one",
                name));
        }
        return false;
    }
    if (parameter < 0) {
        d.note("only tensors that the function made and its `mut` parameters may be written; `.copy()` makes one");
        return false;
    }
    const ParameterInfo& written = b.instance.parameters[static_cast<size_t>(parameter)];
    d.label(written.declared, "this parameter is not `mut`");
    const ast::Expr* annotation = b.expr(written.annotation);
    const std::string type = annotation ? b.source(*annotation) : "";
    if (const size_t region = type.find("Region[read"); region != std::string::npos) {
        const std::string_view before = "Region[", read = "read";
        const size_t privilege = region + before.size();
        const uint32_t begin = annotation->span.begin + static_cast<uint32_t>(privilege);
        const Span at{annotation->span.file, begin, begin + static_cast<uint32_t>(read.size())};
        d.suggest(at, "write",
                  fmt::format("declare it `{}: {}`", written.name,
                              std::string(type).replace(privilege, read.size(), "write")));
    } else if (annotation) {
        Span at{annotation->span.file, annotation->span.begin, annotation->span.begin};
        d.suggest(at, "mut ", fmt::format("declare it `{}: mut {}`", written.name, type));
    } else {
        Span at{written.declared.file, written.declared.end, written.declared.end};
        d.suggest(at, ": mut", fmt::format("declare it `{}: mut`", written.name));
    }
    return false;
}

bool require_new_value(Body& b, const ast::Expr& e, const std::string& callee) {
    if (std::holds_alternative<ast::Subscript>(e.node) || std::holds_alternative<ast::Attribute>(e.node)) {
        b.refuse(Feature::graphs, e.span,
                 fmt::format("a part of a value that {} writes, in a graph function, is", callee));
        return false;
    }
    const auto* variable = std::get_if<VariableId>(&b.instance.info(e).referent);
    if (!variable || !std::holds_alternative<ast::Name>(e.node)) return true;
    const Variable& named = b.instance.variables[variable->index];
    if (named.captured) {
        b.error("E0319", e.span, fmt::format("`{}` is a variable of the function around this one", named.name))
            .note(fmt::format("what {} writes is a new value: return it", callee));
        return false;
    }
    const bool graph = b.function && rules_of(b.function->kind).of_values;
    if (named.parameter < 0 || graph) return true;
    return require_writable(b, e, typed(named.type));
}

bool require_writable_record(Body& b, const ast::Expr& e, const Value& record) {
    if (!require_writable(b, e, record)) return false;
    const Type whole = record.type.with_mut(true);
    for (size_t i = 0; i < whole.parts().size(); ++i) {
        if (whole.parts()[i] == record.type.parts()[i]) continue;
        b.error("E0319", e.span, fmt::format("`{}` may not be written", b.source(e)))
            .note(fmt::format("its field `{}` holds what this function was given to read; `.copy()` makes a tensor of "
                              "its own",
                              whole.names()[i + 1]));
        return false;
    }
    return true;
}

Slot* changed_value(Body& b, Span at, const ast::Expr& whole, const ValueWords& words) {
    const bool named = std::holds_alternative<ast::Name>(whole.node);
    const auto* variable = named ? std::get_if<VariableId>(&b.instance.info(whole).referent) : nullptr;
    if (!variable) {
        b.error("E0333", whole.span, words.unnamed).note(words.note);
        return nullptr;
    }
    const Variable& known = b.instance.variables[variable->index];
    const bool given = known.parameter >= 0 && !rules_of(b.function->kind).of_values;
    if (!known.captured && !given) return &b.slots[variable->index];
    b.error("E0333", at,
            given ? fmt::format("`{}` is given by value: {} where the function is called", known.name, words.unchanged)
                  : fmt::format("`{}` is a variable of the function around this one", known.name))
        .note(words.note);
    return nullptr;
}

// A constant of the module has no place in memory that could change.
bool require_changeable(Body& b, const ast::Expr& container, Span at) {
    const ast::Expr& root = written_root(container);
    if (!std::holds_alternative<ModuleConstant>(b.instance.info(root).referent)) return true;
    b.error("E0333", at, fmt::format("`{}` is a constant of the module and does not change", b.source(root)))
        .note(b.rules().host_objects ? "a list that changes is made in a function: `xs = TABLE.copy()`"
                                     : "a list that changes is made of its elements: `xs = [x for x in TABLE]`");
    return false;
}

}  // namespace tsr::sema
