#include "ir/passes/autodiff/rules.h"

#include <string_view>

#include <fmt/format.h>

#include "ir/passes/autodiff/partials.h"
#include "ir/passes/autodiff/structured.h"

namespace tsr::ir::autodiff {

bool has_derivative(const Function& fn, OpId op, Diagnostics& said) {
    const OpKind kind = fn.op(op).kind;
    std::string_view why;
    if (is_element(kind)) {
        why = partial_rule(kind).refused;
    } else if (const Refusal refuses = structured_rule(kind).refuses) {
        why = refuses(fn, op);
    }
    if (why.empty()) return true;
    said.error("E0611", fn.span_of(op), fmt::format("no derivative passes here: {}", why));
    return false;
}

}  // namespace tsr::ir::autodiff
