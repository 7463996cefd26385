#include "sema/values/declared_values.h"

#include "sema/state/recursion.h"

namespace tsr::sema {

bool is_given_as(DType own, DType wanted) {
    if (is_float(own)) return is_float(wanted);
    return is_integer(own) && (is_integer(wanted) || is_float(wanted)) && wanted != DType::index;
}

std::optional<DType> element_declared(const Type& declared) {
    if (!declared.is_number() && !declared.is(Kind::tensor)) return std::nullopt;
    return declared.elem();
}

void choose_declared(const Body& b, const ast::Expr& e, Value& result) {
    const DeclaredValue& declared = b.declared_value;
    if (declared.value == &e && declared.elem && is_given_as(result.type.elem(), *declared.elem))
        result.type = result.type.with_elem(*declared.elem);
}

const ast::Expr* declared_out(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& arguments) {
    const DeclaredValue& declared = b.declared_value;
    if (declared.value != &e || !declared.elem || arguments.empty() || !arguments[0]) return nullptr;
    const Type first = expression(b, *arguments[0]).type;
    if (!first.is(Kind::tensor) || !is_given_as(first.elem(), *declared.elem)) return nullptr;
    MadeSyntax& syntax = b.checker.program.made;
    ast::ExprId& made = syntax.declared_types[{b.key(e), *declared.elem}];
    if (!made.valid()) {
        const ast::Expr& root = syntax.expr(e.span, ast::Name{"tessera"});
        made = syntax.expr(e.span, ast::Attribute{&root, {std::string(name(*declared.elem)), e.span}}).id;
    }
    return b.expr(made);
}

}  // namespace tsr::sema
