// What may be written: tensors and records that a function made, and its `mut` parameters.
#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

bool Body::require_writable(const ast::Expr& e, const Value& memory) {
    if (memory.type.writable() || (!memory.type.is(Kind::tensor) && !memory.type.is(Kind::record))) return true;
    const ast::Expr& root = written_root(e);
    auto& d = error("E0319", e.span, fmt::format("`{}` may not be written", source(e)));
    const auto* variable = std::get_if<VariableId>(&instance.info(root).referent);
    int parameter = variable ? instance.variables[variable->index].parameter : -1;
    const bool several = variable && slots[variable->index].bindings > 1;
    if (several) {
        const std::string name = source(root);
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
    const ast::Parameter& written = *instance.parameters[static_cast<size_t>(parameter)].syntax;
    d.label(written.name.span, "this parameter is not `mut`");
    if (written.annotation) {
        Span at{written.annotation->span.file, written.annotation->span.begin, written.annotation->span.begin};
        d.suggest(at, "mut ", fmt::format("declare it `{}: mut {}`", written.name.text, source(*written.annotation)));
    } else {
        Span at{written.name.span.file, written.name.span.end, written.name.span.end};
        d.suggest(at, ": mut", fmt::format("declare it `{}: mut`", written.name.text));
    }
    return false;
}

}  // namespace tsr::sema
