#include "sema/state/entities.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::sema {

namespace {

bool has_parameter(const Program& program, const Function& function, const std::string& name) {
    return std::ranges::any_of(program.def(function).parameters,
                               [&](const ast::Parameter& p) { return p.name.text == name; });
}

bool is_tuned(const Function& function, const std::string& name) {
    return std::ranges::find(function.space, name, &TuningEntry::name) != function.space.end();
}

Entity own_entity(const Body& b, NameKind kind, const std::string& name) {
    return {kind, name, b.instance.module, b.function ? b.function->id : FunctionId{}, {}};
}

// Of one body, not of those around it.
std::optional<Entity> header_entity(const Body& b, const std::string& name) {
    if (!b.function) return std::nullopt;
    if (has_parameter(b.checker.program, *b.function, name))
        return parameter_entity(b.checker.program, b.function->id, name);
    if (is_tuned(*b.function, name)) return own_entity(b, NameKind::tuning_parameter, name);
    return std::nullopt;
}

}  // namespace

Entity language_entity(NameKind kind, std::string name) { return {kind, std::move(name), {}, {}, {}}; }

Entity variable_entity(const Body& b, const Slot& slot) {
    const auto& captured = b.instance.variables[slot.id.index].captured;
    if (captured) {
        for (const Body* around = b.enclosing; around; around = around->enclosing) {
            if (around->instance.id == captured->first)
                return variable_entity(*around, around->slots[captured->second.index]);
        }
        const ModuleId module = b.checker.program.instance(captured->first).module;
        return {NameKind::variable, slot.name, module, {}, {}};
    }
    if (b.instance.variables[slot.id.index].parameter >= 0)
        return parameter_entity(b.checker.program, b.function->id, slot.name);
    Entity entity = own_entity(b, NameKind::variable, slot.name);
    entity.own = slot.own;
    return entity;
}

Entity fixed_entity(const Body& b, const std::string& name) {
    for (const Body* body = &b; body; body = body->enclosing) {
        if (auto found = header_entity(*body, name)) return *found;
    }
    return own_entity(b, NameKind::variable, name);
}

Entity dimension_entity(Body& b, const std::string& name) {
    for (Body* body = &b; body; body = body->enclosing) {
        if (auto found = header_entity(*body, name)) return *found;
        // Of a function around only what is static: another dimension may have the name of its variable.
        const Slot* slot = body->find_slot(name);
        if (slot && (body == &b || body->fixed_name(name))) return variable_entity(*body, *slot);
        const SymbolInfo* symbol = body->find_symbol(name);
        if (symbol && symbol->source == SymbolInfo::Source::launch) return language_entity(NameKind::builtin, name);
        if (symbol && symbol->source != SymbolInfo::Source::enclosing)
            return own_entity(*body, NameKind::dimension, name);
    }
    const Symbol symbol = b.checker.lookup(b.instance.module, name);
    if (symbol.kind == Symbol::Kind::variable && b.checker.constant(b.instance.module, name))
        return *symbol_entity(b.checker.program, symbol, name);
    return own_entity(b, NameKind::dimension, name);
}

Entity type_variable_entity(const Body& b, const std::string& name) {
    for (const Body* body = &b; body; body = body->enclosing) {
        if (body->type_variables.contains(name)) return own_entity(*body, NameKind::type_variable, name);
    }
    return own_entity(b, NameKind::type_variable, name);
}

Entity record_dimension_entity(const Body& b, const std::string& name) {
    return {NameKind::dimension, name, b.instance.module, b.function->method_of->constructor, {}};
}

Entity function_entity(const Program& program, FunctionId id) {
    const Function& function = program.function(id);
    const NameKind kind = function.makes       ? NameKind::class_
                          : function.method_of ? NameKind::method
                                               : NameKind::function;
    return {kind, function.name, function.module, id, {}};
}

Entity parameter_entity(const Program& program, FunctionId id, const std::string& name) {
    const Function& function = program.function(id);
    return {function.makes ? NameKind::field : NameKind::parameter, name, function.module, id, {}};
}

std::optional<Entity> symbol_entity(const Program& program, const Symbol& symbol, const std::string& name) {
    switch (symbol.kind) {
        case Symbol::Kind::none:
        case Symbol::Kind::broken:
        case Symbol::Kind::package:
        case Symbol::Kind::library:  // no place that names it asks before it is loaded
            return std::nullopt;
        case Symbol::Kind::function:
        case Symbol::Kind::class_:
            return function_entity(program, symbol.function);
        case Symbol::Kind::name_space:
            return language_entity(NameKind::name_space, symbol.path.empty() ? "tessera" : symbol.path);
        case Symbol::Kind::module:
            return Entity{NameKind::module, program.modules[symbol.module.index].name, symbol.module, {}, {}};
        case Symbol::Kind::builtin:
            return language_entity(NameKind::builtin, symbol.builtin->paths.front());
        case Symbol::Kind::dtype:
            return language_entity(NameKind::element_type, std::string(tsr::name(symbol.dtype)));
        case Symbol::Kind::variable:
            return Entity{NameKind::variable, symbol.path.empty() ? name : symbol.path, symbol.module, {}, {}};
    }
    __builtin_unreachable();
}

namespace {

struct OfReferent {
    Body& b;
    using Found = std::optional<Entity>;

    Found operator()(std::monostate) const { return std::nullopt; }
    Found operator()(VariableId variable) const { return variable_entity(b, b.slots[variable.index]); }
    Found operator()(const DimensionSymbol& symbol) const { return dimension_entity(b, symbol.name); }
    Found operator()(const FunctionName& named) const { return function_entity(b.checker.program, named.function); }
    Found operator()(const BuiltinName& named) const {
        return language_entity(NameKind::builtin, entry(named.name).paths.front());
    }
    Found operator()(const NameSpace& named) const {
        return language_entity(NameKind::name_space, named.path.empty() ? "tessera" : named.path);
    }
    Found operator()(const ModuleName& named) const {
        const ModuleUnit& module = b.checker.program.modules[named.module.index];
        return Entity{NameKind::module, module.name, module.id, {}, {}};
    }
    Found operator()(const TuningParameter& named) const { return fixed_entity(b, named.name); }
    Found operator()(const ModuleConstant& named) const {
        return Entity{NameKind::variable, named.name, named.module, {}, {}};
    }
    Found operator()(const ElementType& named) const {
        return language_entity(NameKind::element_type, std::string(tsr::name(named.type)));
    }
    Found operator()(const FieldName& named) const {
        return parameter_entity(b.checker.program, named.record, named.name);
    }
};

}  // namespace

std::optional<Entity> referent_entity(Body& b, const Referent& referent) { return std::visit(OfReferent{b}, referent); }

void note_path(Checker& checker, ModuleId module, const ast::Expr& e, std::vector<NameUse>& uses,
               std::optional<NameKind> as_last) {
    const auto* attribute = std::get_if<ast::Attribute>(&e.node);
    if (attribute) note_path(checker, module, *attribute->base, uses);
    const auto* name = std::get_if<ast::Name>(&e.node);
    if (!attribute && !name) return;
    auto entity =
        symbol_entity(checker.program, checker.resolve(module, e), attribute ? attribute->name.text : name->text);
    if (!entity) return;
    if (as_last) entity->kind = *as_last;
    uses.push_back({attribute ? attribute->name.span : e.span, std::move(*entity), false});
}

void note_path(Body& b, const ast::Expr& e) {
    if (b.aloud) note_path(b.checker, b.instance.module, e, b.state().names);
}

void note_keywords(Body& b, const ast::Call& c, FunctionId callee) {
    const Program& program = b.checker.program;
    for (const ast::Argument& argument : c.arguments) {
        if (argument.keyword && has_parameter(program, program.function(callee), argument.keyword->text))
            b.note(argument.keyword->span, parameter_entity(program, callee, argument.keyword->text));
    }
}

void note_keywords(Body& b, const ast::Call& c, const BuiltinEntry& callee) {
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.keyword) continue;
        const std::string& name = argument.keyword->text;
        const bool type = name == "dtype" &&
                          std::ranges::find(callee.parameters, "T", &BuiltinParameter::name) != callee.parameters.end();
        if (type || std::ranges::find(callee.parameters, name, &BuiltinParameter::name) != callee.parameters.end())
            b.note(argument.keyword->span,
                   language_entity(NameKind::builtin_parameter, fmt::format("{}.{}", callee.paths.front(), name)));
    }
}

}  // namespace tsr::sema
