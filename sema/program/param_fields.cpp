#include "sema/program/param_fields.h"

#include <algorithm>

namespace tsr::sema {

bool declares_param(const ast::Parameter& declared) {
    const auto* qualified = declared.annotation ? std::get_if<ast::Qualified>(&declared.annotation->node) : nullptr;
    return qualified && qualified->qualifier == ast::Qualified::Qualifier::param;
}

static const std::vector<ast::Parameter>* fields_of(const Program& program, const Type& type) {
    if (!type.is(Kind::record) || type.is_keyed_dict()) return nullptr;
    return &program.def(program.function(type.function_id())).parameters;
}

bool holds_param_fields(const Program& program, const Type& type) {
    if (!type.is(Kind::record) && !type.is(Kind::tuple) && !type.is(Kind::list)) return false;
    const auto* fields = fields_of(program, type);
    if (fields && std::ranges::any_of(*fields, declares_param)) return true;
    return std::ranges::any_of(type.parts(), [&](const Type& part) { return holds_param_fields(program, part); });
}

bool is_trained_part(const Program& program, const Type& form, size_t part, bool whole) {
    if (!holds_param_fields(program, form)) return whole;
    const Type& type = form.parts()[form.is(Kind::list) ? 0 : part];
    if (holds_param_fields(program, type)) return true;
    const auto* fields = fields_of(program, form);
    return fields && std::ranges::any_of(*fields, [&](const ast::Parameter& field) {
               return field.name.text == form.names()[part + 1] && declares_param(field);
           });
}

}  // namespace tsr::sema
