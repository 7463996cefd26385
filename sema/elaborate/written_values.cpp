#include "sema/elaborate/written_values.h"

namespace tsr::elaborate {

namespace {

const sema::VariableId* named_variable(Body& b, const ast::Expr* argument) {
    const bool name = argument && std::holds_alternative<ast::Name>(argument->node);
    return name ? std::get_if<sema::VariableId>(&b.info(*argument).referent) : nullptr;
}

}  // namespace

void write_value(Body& b, const ast::Expr* argument, const Val& value) {
    if (const sema::VariableId* variable = named_variable(b, argument)) b.assign(*variable, value);
}

void add_written_values(Body& b, Span range, LoopEffects& found) {
    if (!b.rules().new_values) return;
    b.instance().for_each_callee([&](const sema::CallInfo& call) {
        const auto& parameters = b.program.instance(call.callee).parameters;
        for (size_t i = 0; i < call.arguments.size() && i < parameters.size(); ++i) {
            const ast::Expr* given = b.expr(call.arguments[i].expr);
            if (!given || !parameters[i].type.is(sema::Kind::tensor) || !parameters[i].type.tensor().mut) continue;
            const Span at = given->span;
            const bool inside = at.file == range.file && range.begin <= at.begin && at.end <= range.end;
            const sema::VariableId* variable = inside ? named_variable(b, given) : nullptr;
            if (variable) found.assigned.insert(b.slot(*variable));
        }
    });
}

}  // namespace tsr::elaborate
