#include "sema/builtin_calls/reduction_types.h"

#include <fmt/format.h>

#include "sema/program/reductions.h"
#include "sema/values/declared_values.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

bool chooses_result(const Body& b, const ast::Expr& value, const Type& own, const Type& declared) {
    const auto call = b.instance.calls.find(value.id);
    const bool reduction = call != b.instance.calls.end() && takes_declared_type(b.instance, call->second);
    return reduction && own.is_scalar() && declared.is_scalar() && is_given_as(own.elem(), declared.elem());
}

bool choose_result(Body& b, const ast::Expr* out, Value& result) {
    if (!out) return true;
    const auto wanted = named_dtype(b, *out);
    if (!wanted) return false;
    if (!is_given_as(result.type.elem(), *wanted)) {
        b.error("E0302", out->span,
                fmt::format("what has `{}` is not given as `{}`", name(result.type.elem()), name(*wanted)));
        return false;
    }
    result.type = result.type.with_elem(*wanted);
    return true;
}

}  // namespace tsr::sema
