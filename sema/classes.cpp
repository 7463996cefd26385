// Classes of annotated fields: records. A class is a function with a parameter for each field, which makes a record;
// its methods are functions whose first argument is the record.
#include <algorithm>

#include <fmt/format.h>

#include "sema/builtins/builtins.h"
#include "sema/program/tables.h"
#include "sema/state/checker.h"
#include "sema/state/entities.h"
#include "sema/state/scope.h"

namespace tsr::sema {

namespace {

bool is_special(const std::string& name) {
    return name.starts_with("__") && name.ends_with("__") && name != RecordClass::kCallMethod;
}

bool has_parameter(const ast::FunctionDef& def, const std::string& name) {
    return std::ranges::any_of(def.parameters, [&](const ast::Parameter& p) { return p.name.text == name; });
}

}  // namespace

void Checker::declare_member(ModuleId module, RecordClass& made, ast::FunctionDef& constructor, const ast::Stmt& stmt) {
    const auto* field = std::get_if<ast::AnnotatedAssign>(&stmt.node);
    const auto* name = field ? std::get_if<ast::Name>(&field->target->node) : nullptr;
    const auto refuse = [&](Span at, const std::string& message) { return &diagnostics.error("E0337", at, message); };
    if (name) {
        if (has_parameter(constructor, name->text) || made.methods.contains(name->text)) {
            refuse(field->target->span, fmt::format("the class has `{}` already", name->text));
            return;
        }
        constructor.parameters.push_back({{name->text, field->target->span}, field->annotation, field->value});
        return;
    }
    if (const auto* method = std::get_if<ast::FunctionDef>(&stmt.node)) {
        const std::string& text = method->name.text;
        if (is_special(text)) {
            refuse(method->name.span, fmt::format("a class has no `{}` of its own", text))
                ->note("calling the class makes a record; its arguments are the fields, in their order or by name");
        } else if (method->parameters.empty()) {
            refuse(method->name.span, fmt::format("the method `{}` has no parameter for the record: `self`", text));
        } else if (has_parameter(constructor, text) || made.methods.contains(text)) {
            refuse(method->name.span, fmt::format("the class has `{}` already", text));
        } else {
            const FunctionId id = declare_function(module, stmt, std::nullopt);
            program.functions[id.index].name = made.name + "." + text;
            program.functions[id.index].method_of = &made;
            made.methods[text] = id;
            names.push_back({method->name.span, function_entity(program, id), true});
        }
        return;
    }
    const auto* alone = std::get_if<ast::ExprStmt>(&stmt.node);
    const bool empty =
        std::holds_alternative<ast::Pass>(stmt.node) || std::holds_alternative<ast::BrokenStmt>(stmt.node);
    if (empty || (alone && std::holds_alternative<ast::EllipsisLiteral>(alone->value->node))) return;
    refuse(stmt.span, "a class has fields with their types, `w: f32[n]`, and methods");
}

void Checker::declare_class(ModuleId module, const ast::ClassDef& def) {
    Symbol symbol;
    bool policy = false;
    for (const ast::Decorator& decorator : def.decorators) {
        const Symbol named = resolve(module, *decorator.value);
        note_path(*this, module, *decorator.value, names, NameKind::decorator);
        if (named.kind == Symbol::Kind::builtin && named.builtin->id == Builtin::precision_policy) {
            policy = true;
            continue;
        }
        diagnostics.error("E0337", decorator.span, "a class has no decorator but `@precision_policy`")
            .note("a class of annotated fields is a record without one");
    }
    if (!def.bases.empty()) diagnostics.error("E0337", def.bases[0]->span, "a class has no base classes");
    RecordClass& made = program.classes.emplace_back();
    made.name = def.name.text;
    ast::FunctionDef constructor;
    constructor.name = def.name;
    constructor.header = def.name.span;
    if (policy) {
        declare_policy(module, made, constructor, def);
    } else {
        for (const ast::Stmt* member : def.body) declare_member(module, made, constructor, *member);
    }
    symbol.kind = Symbol::Kind::class_;
    const ast::Stmt& stmt = program.made.stmt(def.name.span, std::move(constructor));
    symbol.function = declare_function(module, stmt, std::nullopt);
    program.functions[symbol.function.index].makes = &made;
    made.constructor = symbol.function;
    names.push_back({def.name.span, function_entity(program, symbol.function), true});
    bind(module, def.name, symbol);
}

std::optional<Type> Checker::record_type(FunctionId constructor) {
    Request request;
    request.function = constructor;
    for (size_t i = 0; i < program.def(constructor).parameters.size(); ++i) {
        request.types.push_back(Type::unknown());
        request.values.emplace_back();
    }
    const InstanceId made = instantiate(request);
    if (!made.valid()) return Type::unknown();
    if (states[made.index].progress == InstanceState::Progress::busy) return std::nullopt;
    return program.instance(made).result;
}

bool Checker::holds_numbers(FunctionId constructor) {
    const std::optional<Type> type = record_type(constructor);
    if (!type || !type->is(Kind::record)) return false;
    return std::ranges::all_of(type->parts(), [&](const Type& field) {
        if (field.is(Kind::record) && !field.is_keyed_dict()) return holds_numbers(field.function_id());
        return field.is_scalar() && !is_complex(field);
    });
}

}  // namespace tsr::sema
