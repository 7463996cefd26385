#include "sema/expressions/records.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

std::optional<size_t> field_of(const Type& record, const std::string& name) {
    const auto& names = record.names();
    const auto found = std::find(names.begin() + 1, names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<size_t>(found - names.begin()) - 1;
}

bool is_sparse_matrix(const Body& b, const Type& type) {
    if (!type.is(Kind::record)) return false;
    const Function& record = b.checker.program.function(type.function_id());
    return b.checker.is_library(record.module) && record.makes->methods.contains("to_dense");
}

// `net.run` that is not called is `lambda x: net.run(x)`: the record is read when it is called.
static Value bound_method(Body& b, const ast::Expr& e, const ast::Attribute& a, FunctionId method) {
    const Function& function = b.checker.program.function(method);
    if (!is_path(*a.base)) {
        b.refuse(Feature::host, a.base->span,
                 fmt::format("`{}` of a record without a name, as a function, is", a.name.text));
        return {};
    }
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.bound_methods[b.key(e)];
    if (!made.valid()) {
        ast::Lambda lambda;
        ast::Call call{&syntax.expr(e.span, a), {}};
        for (ast::Parameter parameter : b.checker.program.def(function).parameters) {
            const bool first = call.arguments.empty() && lambda.parameters.empty() && parameter.name.text == "self";
            // What stands in other files is evaluated there: those keep their defaults.
            const bool elsewhere = parameter.default_value && function.module != b.instance.module;
            if (first || elsewhere) continue;
            parameter.name.span = {};
            if (!Checker::is_static(parameter)) parameter.annotation = nullptr;
            call.arguments.push_back({parameter.name, &syntax.expr(e.span, ast::Name{parameter.name.text})});
            lambda.parameters.push_back(std::move(parameter));
        }
        lambda.body = &syntax.expr(e.span, std::move(call));
        made = syntax.expr(e.span, std::move(lambda)).id;
    }
    return expression(b, *b.expr(made));
}

const ast::Expr* call_method_of(Body& b, const ast::Expr& e, const Type& record) {
    if (!record.is(Kind::record) || record.is_keyed_dict()) return nullptr;
    const std::string method(RecordClass::kCallMethod);
    if (!b.checker.program.function(record.function_id()).makes->methods.contains(method)) return nullptr;
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.call_methods[b.key(e)];
    if (!made.valid()) made = syntax.expr(e.span, ast::Attribute{&e, {method, e.span}}).id;
    return b.expr(made);
}

void check_method_value(Body& b, const ast::Expr& function) {
    const auto* member = std::get_if<ast::Attribute>(&function.node);
    const Value* base = member ? b.found(*member->base) : nullptr;
    if (base && base->type.is(Kind::record)) expression(b, function);
}

// A field whose class declares extents as numbers, `cls: param f32[1, 1, D]`, has them: they are checked where it is
// read.
static Type with_declared_numbers(const Body& b, const Type& record, size_t field, const Type& type) {
    if (!type.is(Kind::tensor)) return type;
    for (const Instance& made : b.checker.program.instances) {
        if (made.function != record.function_id() || made.parameters.size() != record.parts().size()) continue;
        const Type& declared = made.parameters[field].type;
        const bool of_class = !made.parameters[field].any_tree && declared.is(Kind::tensor);
        if (!of_class || declared.rank() != type.rank()) return type;
        std::vector<ir::Dim> shape = type.shape();
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            const ir::Dim& extent = declared.tensor().shape[axis];
            if (extent.constant_value() && shape[axis].symbol_name() == "_") shape[axis] = extent;
        }
        return type.with_shape(std::move(shape));
    }
    return type;
}

Value field_value(Body& b, const ast::Expr& e, const Value& base, const ast::Attribute& a) {
    const bool named = !base.type.is_keyed_dict();
    const StoredForm* form = stored_form(b, base.type);
    if (form && a.name.text == "_policy") {  // for the library
        Value value = typed(Type::function(base.type.function_id()));
        value.referent = FunctionName{base.type.function_id()};
        return value;
    }
    if (const auto at = named ? field_of(base.type, a.name.text) : std::nullopt) {
        Value value;
        value.type = base.type.parts()[*at];
        const auto* variable = form ? std::get_if<VariableId>(&base.referent) : nullptr;
        const int parameter = variable ? b.instance.variables[variable->index].parameter : -1;
        // As the header declares it, where nothing else is assigned to the name.
        if (parameter >= 0 && a.name.text == "values" && b.slots[variable->index].bindings <= 1) {
            const std::vector<ir::Dim>& shape = b.instance.parameters[static_cast<size_t>(parameter)].values_shape;
            if (shape.size() == value.type.rank()) value.type = value.type.with_shape(shape);
        }
        if (!form) value.type = with_declared_numbers(b, base.type, *at, value.type);
        value.type = item_type(b, value.type, e);
        value.referent = FieldName{base.type.function_id(), a.name.text};
        return value;
    }
    if (a.name.text == "T" && is_sparse_matrix(b, base.type))
        return library_call(b, e, {.name = "_transposed", .file = "sparse", .signature = {}, .doc = {}}, {a.base});
    if (base.type.is_keyed_dict()) {
        auto& d = b.error("E0328", a.name.span, fmt::format("{} has no `{}`", shown(base.type), a.name.text));
        if (field_of(base.type, a.name.text))
            d.note(fmt::format("what a key stands for is read as `{}[\"{}\"]`", b.source(*a.base), a.name.text));
        return {};
    }
    const RecordClass& made = *b.checker.program.function(base.type.function_id()).makes;
    if (const auto method = made.methods.find(a.name.text); method != made.methods.end()) {
        b.note(a.name.span, function_entity(b.checker.program, method->second));
        return bound_method(b, e, a, method->second);
    }
    auto& d = b.error("E0328", a.name.span, fmt::format("{} has no field `{}`", shown(base.type), a.name.text));
    std::vector<std::string> known(base.type.names().begin() + 1, base.type.names().end());
    if (auto near = nearest(a.name.text, known)) {
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    }
    return {};
}

std::optional<size_t> key_of(Body& b, const ast::Expr& key_expr, const Value& key, const Type& dict) {
    if (key.broken()) return std::nullopt;
    const std::string* name = key.value ? key.value->string() : nullptr;
    if (!name) {
        if (!require_static(b, key_expr, key, fmt::format("a key of {}", shown(dict)))) return std::nullopt;
        b.error("E0302", key_expr.span,
                fmt::format("a key of {} is a string, this is {}", shown(dict), shown(key.type)));
        return std::nullopt;
    }
    if (const auto at = field_of(dict, *name)) return at;
    const std::vector<std::string> known(dict.names().begin() + 1, dict.names().end());
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + Static::of(one).text();
    auto& d = b.error("E0328", key_expr.span,
                      fmt::format("the dictionary has no key {}: its keys are {}", Static::of(*name).text(), list));
    if (auto near = nearest(*name, known)) {
        const std::string text = Static::of(*near).text();
        d.suggest(key_expr.span, text, fmt::format("did you mean `{}`?", text));
    }
    return std::nullopt;
}

Value keyed_item(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    std::vector<Value> keys;
    for (const ast::Expr* index : s.indices) {
        if (!std::holds_alternative<ast::Slice>(index->node)) keys.push_back(expression(b, *index));
    }
    if (s.indices.size() != 1 || keys.empty()) {
        b.error("E0310", e.span, "a dictionary takes one key");
        return {};
    }
    if (!keys[0].broken() && !keys[0].value && keys[0].rounds != 0 && keys[0].type.is(Kind::string)) {
        // In a loop over keys, which is unrolled: what they stand for has one type.
        if (!require_static(b, *s.indices[0], keys[0], "a key")) return {};
        if (const auto item = common_item(base.type.parts())) return typed(item_type(b, *item, e));
        b.error(
             "E0303", e.span,
             fmt::format("what the keys of {} stand for has no common type: an expression has one type in all rounds",
                         shown(base.type)))
            .note("`tree.map(f, …)` calls a function for each leaf, whatever type it has");
        return {};
    }
    const auto any = b.rules().host_objects ? with_any_keys(base.type) : std::nullopt;
    if (any && !keys[0].value && keys[0].type.is(Kind::string)) {  // the run knows the key
        widen_container(b, *s.base, *any);
        return typed(item_type(b, any->parts()[1], e));
    }
    const auto at = key_of(b, *s.indices[0], keys[0], base.type);
    return at ? typed(item_type(b, base.type.parts()[*at], e)) : Value{};
}

bool is_path(const ast::Expr& e) {
    if (const auto* field = std::get_if<ast::Attribute>(&e.node)) return is_path(*field->base);
    if (const auto* part = std::get_if<ast::Subscript>(&e.node)) {
        const auto fixed = [](const ast::Expr* index) {
            return std::holds_alternative<ast::IntLiteral>(index->node) ||
                   std::holds_alternative<ast::StringLiteral>(index->node) ||
                   std::holds_alternative<ast::Name>(index->node);
        };
        return is_path(*part->base) && std::ranges::all_of(part->indices, fixed);
    }
    return std::holds_alternative<ast::Name>(e.node);
}

const ast::Expr* dict_of_items(const Body& b, const ast::Expr& e) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    const auto* callee = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
    const bool items = callee && callee->name.text == "items" && b.instance.type(*callee->base).is_keyed_dict();
    return items ? callee->base : nullptr;
}

const ast::Expr& keys_of(Body& b, const ast::Expr& dict, const Type& type) {
    return parts_of_dict(b, dict, type, "keys");
}

const ast::Expr& parts_of_dict(Body& b, const ast::Expr& dict, const Type& type, const std::string& method) {
    MadeSyntax& syntax = b.checker.program.made;
    // Another signature may have other keys.
    ast::ExprId& made = syntax.tree_parts[{b.key(dict), parts_form(type, method)}];
    if (made.valid()) return *b.expr(made);
    std::vector<const ast::Expr*> parts;
    for (size_t i = 1; i < type.names().size(); ++i) {
        const ast::Expr& key = syntax.expr(dict.span, ast::StringLiteral{type.names()[i]});
        const ast::Expr& read_key = syntax.expr(dict.span, ast::StringLiteral{type.names()[i]});
        const ast::Expr& item = syntax.expr(dict.span, ast::Subscript{&dict, {&read_key}});
        const ast::Expr& both = syntax.expr(dict.span, ast::Tuple{{&key, &item}});
        parts.push_back(method == "keys" ? &key : method == "values" ? &item : &both);
    }
    const ast::Expr& whole = syntax.expr(dict.span, ast::Tuple{std::move(parts)});
    made = whole.id;
    return whole;
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

const ast::Expr* field_extent(Body& b, const ast::Expr& e, const std::string& text) {
    const RecordClass* record = b.function ? b.function->method_of : nullptr;
    if (!record || b.def().parameters.empty()) return nullptr;
    for (const ast::Parameter& field : b.checker.program.def(record->constructor).parameters) {
        const auto axis = axis_named(b.checker, b.function->module, field.annotation, text);
        if (!axis) continue;
        MadeSyntax& syntax = b.checker.program.made;
        ast::ExprId& made = syntax.field_extents[b.key(e)];
        if (made.valid()) return syntax.find(made);
        const ast::Expr& self = syntax.expr(e.span, ast::Name{b.def().parameters[0].name.text});
        const ast::Expr& tensor = syntax.expr(e.span, ast::Attribute{&self, {field.name.text, e.span}});
        const ast::Expr& shape = syntax.expr(e.span, ast::Attribute{&tensor, {"shape", e.span}});
        const ast::Expr& number = syntax.expr(e.span, ast::IntLiteral{*axis});
        const ast::Expr& extent = syntax.expr(e.span, ast::Subscript{&shape, {&number}});
        made = extent.id;
        return &extent;
    }
    return nullptr;
}

}  // namespace tsr::sema
