#include "sema/expressions/records.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/values/items.h"

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

Value field_value(Body& b, const ast::Expr& e, const Value& base, const ast::Attribute& a) {
    if (const auto at = field_of(base.type, a.name.text)) {
        Value value;
        value.type = item_type(b, base.type.parts()[*at], e);
        value.referent = FieldName{base.type.function_id(), a.name.text};
        return value;
    }
    if (a.name.text == "T" && is_sparse_matrix(b, base.type))
        return library_call(b, e, {.name = "_transposed", .file = "sparse", .signature = {}, .doc = {}}, {a.base});
    const RecordClass& made = *b.checker.program.function(base.type.function_id()).makes;
    auto& d = b.error("E0328", a.name.span, fmt::format("{} has no field `{}`", shown(base.type), a.name.text));
    std::vector<std::string> known(base.type.names().begin() + 1, base.type.names().end());
    if (made.methods.contains(a.name.text)) {
        d.note(fmt::format("`{}` is a method: it is called", a.name.text));
    } else if (auto near = nearest(a.name.text, known)) {
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    }
    return {};
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
