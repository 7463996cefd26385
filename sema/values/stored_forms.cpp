#include "sema/values/stored_forms.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

const StoredForm* stored_form(const Body& b, const Type& record) {
    if (!record.is(Kind::record) || record.is_keyed_dict()) return nullptr;
    const RecordClass* made = b.checker.program.function(record.function_id()).makes;
    return made && made->form ? &*made->form : nullptr;
}

Type stored_type(Body& b, const ast::Expr& at, FunctionId made, const std::vector<ir::Dim>& shape) {
    const StoredForm form = *b.checker.program.function(made).makes->form;
    TensorDetail detail;
    detail.shape = shape;
    Type values = Type::tensor(form.storage, detail);
    if (b.rules().in_group) return values;
    const auto rank = static_cast<int64_t>(shape.size());
    if (form.block && -form.axis > rank) {
        b.error("E0326", at.span,
                fmt::format("blocks lie along axis {}, a tensor of {} axes has none", form.axis, rank));
        return {};
    }
    std::vector<std::string> names{b.checker.program.function(made).name, "values", "scale"};
    const Type scale = form.block ? as_item(Type::tensor(form.scale, detail)) : Type::scalar(form.scale);
    std::vector<Type> fields{as_item(values), scale};
    if (form.rule == StoredForm::Rule::nvfp4) {
        names.emplace_back("tensor_scale");
        fields.push_back(Type::scalar(DType::f32));
    }
    return Type::record(made, std::move(names), std::move(fields), false);
}

// The class of a policy or block format that a value is; null where it is none.
static const RecordClass* class_named(const Body& b, const Type& named) {
    if (!named.is(Kind::function) || !named.parts().empty()) return nullptr;
    const RecordClass* made = b.checker.program.function(named.function_id()).makes;
    return made && made->form ? made : nullptr;
}

std::optional<Value> form_member(Body& b, const Type& named, const ast::Attribute& a) {
    const RecordClass* made = class_named(b, named);
    if (!made) return std::nullopt;
    const StoredForm& form = *made->form;
    const std::string& text = a.name.text;
    const auto type = [](DType dtype) { return typed(Type::dtype_value(dtype), Static::of(dtype)); };
    if (text == "storage") return type(form.storage);
    if (text == "scale") return type(form.scale);
    if (text == "compute") return type(form.compute);
    if (text == "accumulate") return type(form.accumulate);
    if (text == "block") return typed(Type::int_literal(), Static::of(form.block.value_or(0)));
    if (text == "axis") return typed(Type::int_literal(), Static::of(form.axis));
    if (text == "_rule") return typed(Type::string(), Static::of(std::string(sema::text(form.rule))));
    const auto method = made->methods.find(text);
    if (method == made->methods.end()) return std::nullopt;
    Value value = typed(Type::function(method->second));
    value.referent = FunctionName{method->second};
    return value;
}

Value form_along(Body& b, const ast::Expr& e, const ast::Call& c, const Type& named) {
    const RecordClass* known = class_named(b, named);
    if (!known) {
        for (const ast::Argument& argument : c.arguments) expression(b, *argument.value);
        b.error("E0302", e.span,
                fmt::format("a block format, `mxfp8`, or a precision policy of the program is wanted here, this is {}",
                            shown(named)));
        return {};
    }
    const FunctionId made = named.function_id();
    const StoredForm form = *known->form;
    const auto axis = static_integer(b, *c.arguments[0].value, "`axis`");
    const auto rank = static_integer(b, *c.arguments[1].value, "the number of axes");
    if (!axis || !rank) return {};
    StoredForm along = form;
    along.axis = *axis < 0 ? *axis : *axis - *rank;
    if (*rank == 0 || along.axis < -*rank || along.axis >= 0) {
        b.error("E0310", e.span, fmt::format("there is no axis {} of {}", *axis, *rank));
        return {};
    }
    if (form.rule == StoredForm::Rule::own && along.axis != -1) {
        b.error("E0326", e.span, "a precision policy scales whole tensors, or blocks of the last axis");
        return {};
    }
    const FunctionId found = form.rule == StoredForm::Rule::own ? made : b.checker.class_of(along);
    Value value = typed(Type::function(found));
    value.referent = FunctionName{found};
    return value;
}

}  // namespace tsr::sema
