// Classes of annotated fields: records. A class is a function with a parameter for each field, which makes a record;
// its methods are functions whose first argument is the record.
#include <algorithm>

#include <fmt/format.h>

#include "sema/passing.h"

namespace tsr::sema {

namespace {

bool is_special(const std::string& name) { return name.starts_with("__") && name.ends_with("__"); }

bool has_parameter(const ast::FunctionDef& def, const std::string& name) {
    return std::ranges::any_of(def.parameters, [&](const ast::Parameter& p) { return p.name.text == name; });
}

}  // namespace

// ---- definitions ----

void Checker::declare_member(ModuleId module, RecordClass& made, const ast::Stmt& stmt) {
    const auto* field = std::get_if<ast::AnnotatedAssign>(&stmt.node);
    const auto* name = field ? std::get_if<ast::Name>(&field->target->node) : nullptr;
    const auto refuse = [&](Span at, const std::string& message) { return &diagnostics.error("E0337", at, message); };
    if (name) {
        if (has_parameter(made.constructor, name->text) || made.methods.contains(name->text)) {
            refuse(field->target->span, fmt::format("the class has `{}` already", name->text));
            return;
        }
        made.constructor.parameters.push_back({{name->text, field->target->span}, field->annotation, field->value});
        return;
    }
    if (const auto* method = std::get_if<ast::FunctionDef>(&stmt.node)) {
        const std::string& text = method->name.text;
        if (is_special(text)) {
            refuse(method->name.span, fmt::format("a class has no `{}` of its own", text))
                ->note("calling the class makes a record; its arguments are the fields, in their order or by name");
        } else if (method->parameters.empty()) {
            refuse(method->name.span, fmt::format("the method `{}` has no parameter for the record: `self`", text));
        } else if (has_parameter(made.constructor, text) || made.methods.contains(text)) {
            refuse(method->name.span, fmt::format("the class has `{}` already", text));
        } else {
            const FunctionId id = declare_function(module, *method, stmt, std::nullopt);
            program.functions[id.index].name = made.def->name.text + "." + text;
            program.functions[id.index].method_of = &made;
            made.methods[text] = id;
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
    symbol.kind = Symbol::Kind::broken;
    for (const ast::Decorator& decorator : def.decorators) {
        const Symbol named = resolve(module, *decorator.value);
        if (named.kind == Symbol::Kind::builtin && named.builtin->id == Builtin::precision_policy) {
            diagnostics.error(std::string(code(Feature::policies)), def.name.span,
                              "precision policy classes are not compiled yet");
            return bind(module, def.name, symbol);
        }
        diagnostics.error("E0337", decorator.span, "a class has no decorator but `@precision_policy`")
            .note("a class of annotated fields is a record without one");
    }
    if (!def.bases.empty()) diagnostics.error("E0337", def.bases[0]->span, "a class has no base classes");
    RecordClass& made = program.classes.emplace_back();
    made.def = &def;
    made.stmt.span = def.name.span;
    made.constructor.name = def.name;
    made.constructor.header = def.name.span;
    for (const ast::Stmt* member : def.body) declare_member(module, made, *member);
    symbol.kind = Symbol::Kind::class_;
    symbol.function = declare_function(module, made.constructor, made.stmt, std::nullopt);
    program.functions[symbol.function.index].makes = &made;
    made.constructor_id = symbol.function;
    bind(module, def.name, symbol);
}

std::optional<Type> Checker::record_type(FunctionId constructor) {
    Request request;
    request.function = constructor;
    for (size_t i = 0; i < program.function(constructor).def->parameters.size(); ++i) {
        request.types.push_back(Type::unknown());
        request.values.emplace_back();
    }
    const InstanceId made = instantiate(request);
    if (!made.valid()) return Type::unknown();
    if (states[made.index].progress == InstanceState::Progress::busy) return std::nullopt;
    return program.instance(made).result;
}

// ---- types ----

Type Body::record_annotation(const ast::Expr& e, FunctionId constructor) {
    if (in_kernel()) {
        error("E0402", e.span, "records are for host programs, this runs in a kernel")
            .note("a kernel takes the fields that it needs");
        return {};
    }
    if (const auto type = checker.record_type(constructor)) return *type;
    error("E0337", e.span, "a record does not hold records of its own class")
        .note("a list of positions may stand for them");
    return {};
}

Type written_as(const Type& declared, const Type& given) {
    if (given.is_unknown() && (declared.is(Kind::tensor) || declared.is(Kind::record))) return declared.with_mut(true);
    if (declared.kind() != given.kind()) return declared;
    if (declared.is(Kind::tensor)) return declared.with_mut(given.writable());
    if (declared.is(Kind::record)) return given;
    const bool parted = declared.is(Kind::list) || declared.is(Kind::dict) || declared.is(Kind::tuple);
    if (!parted || declared.parts().size() != given.parts().size()) return declared;
    std::vector<Type> parts;
    for (size_t i = 0; i < declared.parts().size(); ++i)
        parts.push_back(written_as(declared.parts()[i], given.parts()[i]));
    if (declared.is(Kind::list)) return Type::list(parts[0], std::nullopt);
    return declared.is(Kind::dict) ? Type::dict(parts[0], parts[1]) : Type::tuple(std::move(parts));
}

Type made_record(const Type& type, const std::vector<Type>& given) {
    if (!type.is(Kind::record)) return {};
    std::vector<Type> fields = type.parts();
    for (size_t i = 0; i < fields.size(); ++i) fields[i] = written_as(fields[i], given[i]);
    return Type::record(type.function_id(), type.names(), std::move(fields), true);
}

Type Body::own_record() const {
    std::vector<std::string> names{function->name};
    std::vector<Type> fields;
    for (const ParameterInfo& parameter : instance.parameters) {
        if (parameter.type.is_unknown()) return {};
        names.push_back(parameter.name);
        fields.push_back(stored(Type::list(parameter.type, std::nullopt)).parts()[0]);
    }
    return Type::record(function->id, std::move(names), std::move(fields), false).with_mut(false);
}

namespace {

std::optional<size_t> field_of(const Type& record, const std::string& name) {
    const auto& names = record.names();
    const auto found = std::find(names.begin() + 1, names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<size_t>(found - names.begin()) - 1;
}

}  // namespace

// A `mut` record, and all of its tensors are.
bool Body::require_writable_record(const ast::Expr& e, const Value& record) {
    if (!require_writable(e, record)) return false;
    const Type whole = record.type.with_mut(true);
    for (size_t i = 0; i < whole.parts().size(); ++i) {
        if (whole.parts()[i] == record.type.parts()[i]) continue;
        error("E0319", e.span, fmt::format("`{}` may not be written", source(e)))
            .note(fmt::format("its field `{}` holds what this function was given to read; `.copy()` makes a tensor of "
                              "its own",
                              whole.names()[i + 1]));
        return false;
    }
    return true;
}

// ---- fields ----

Value Body::field(const ast::Expr& e, const Value& base, const ast::Attribute& a) {
    if (const auto at = field_of(base.type, a.name.text)) {
        Value value;
        value.type = item_type(base.type.parts()[*at], e);
        return value;
    }
    const RecordClass& made = *checker.program.function(base.type.function_id()).makes;
    auto& d = error("E0328", a.name.span, fmt::format("{} has no field `{}`", shown(base.type), a.name.text));
    std::vector<std::string> known(base.type.names().begin() + 1, base.type.names().end());
    if (made.methods.contains(a.name.text)) {
        d.note(fmt::format("`{}` is a method: it is called", a.name.text));
    } else if (auto near = nearest(a.name.text, known)) {
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    }
    return {};
}

void Body::assign_field(const ast::Expr& target, const ast::Attribute& a, const Value& value, const ast::Expr& source) {
    const Value base = expr(*a.base);
    if (base.broken()) return;
    if (!base.type.is(Kind::record)) {
        error("E0333", target.span, "this is not assigned to: a name, an element, a view or a field is");
        return;
    }
    const auto at = field_of(base.type, a.name.text);
    Value place;
    if (at) {
        place.type = base.type.parts()[*at];
    } else {
        field(target, base, a);  // says so
    }
    record(target, place);
    if (!at || !require_writable(*a.base, base)) return;
    require_converts(source, value, place.type, fmt::format("the field `{}`", a.name.text));
}

// The axis of a field whose extent has the name by itself: `w: f32[n, m]`, `Tensor["n", "m", f32]`.
static std::optional<size_t> axis_named(const Checker& checker, ModuleId module, const ast::Expr* annotation,
                                        const std::string& text) {
    while (annotation && std::holds_alternative<ast::Qualified>(annotation->node))
        annotation = std::get<ast::Qualified>(annotation->node).type;
    if (annotation && std::holds_alternative<ast::WithPolicy>(annotation->node))
        annotation = std::get<ast::WithPolicy>(annotation->node).type;
    const auto* type = annotation ? std::get_if<ast::Subscript>(&annotation->node) : nullptr;
    if (!type) return std::nullopt;
    const Symbol of = checker.resolve(module, *type->base);
    const bool tensor = of.kind == Symbol::Kind::builtin && of.builtin->id == Builtin::tensor;
    if (of.kind != Symbol::Kind::dtype && !tensor) return std::nullopt;
    for (size_t axis = 0; axis < type->indices.size(); ++axis) {
        const auto* name = std::get_if<ast::Name>(&type->indices[axis]->node);
        const auto* quoted = std::get_if<ast::StringLiteral>(&type->indices[axis]->node);
        if ((name && name->text == text) || (quoted && quoted->value == text)) return axis;
    }
    return std::nullopt;
}

const ast::Expr* Body::field_extent(const ast::Expr& e, const std::string& text) {
    const RecordClass* record = function ? function->method_of : nullptr;
    if (!record || function->def->parameters.empty()) return nullptr;
    for (const ast::Parameter& field : record->constructor.parameters) {
        const auto axis = axis_named(checker, function->module, field.annotation, text);
        if (!axis) continue;
        Program& program = checker.program;
        auto [found, fresh] = program.field_extents.try_emplace(&e);
        FieldExtent& made = found->second;
        if (!fresh) return &made.whole;
        for (ast::Expr* part : {&made.self, &made.field, &made.shape, &made.axis, &made.whole}) {
            part->id = program.make_id();
            part->span = e.span;
        }
        made.self.node = ast::Name{function->def->parameters[0].name.text};
        made.field.node = ast::Attribute{&made.self, {field.name.text, e.span}};
        made.shape.node = ast::Attribute{&made.field, {"shape", e.span}};
        made.axis.node = ast::IntLiteral{*axis};
        made.whole.node = ast::Subscript{&made.shape, {&made.axis}};
        return &made.whole;
    }
    return nullptr;
}

}  // namespace tsr::sema
