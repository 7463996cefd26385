#include "sema/elaborate/written_values.h"

#include "sema/program/host_methods.h"

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
    const auto add = [&](const ast::Expr* given) {
        const bool inside =
            given && given->span.file == range.file && range.begin <= given->span.begin && given->span.end <= range.end;
        const sema::VariableId* variable = inside ? named_variable(b, given) : nullptr;
        if (variable) found.assigned.insert(b.slot(*variable));
    };
    b.instance().for_each_callee([&](const sema::CallInfo& call) {
        const auto& parameters = b.program.instance(call.callee).parameters;
        for (size_t i = 0; i < call.arguments.size() && i < parameters.size(); ++i) {
            const sema::Type& type = parameters[i].type;
            if (type.is(sema::Kind::tensor) && type.tensor().mut) add(b.expr(call.arguments[i].expr));
        }
    });
    for (const auto& [id, call] : b.instance().calls) {
        if (call.kind == sema::CallKind::method && call.method->changes) add(b.expr(call.arguments[0].expr));
    }
}

}  // namespace tsr::elaborate
