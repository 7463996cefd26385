#include "sema/elaborate/arguments.h"

#include <algorithm>
#include <numeric>

#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using sema::CallInfo;

const ast::Expr* argument(Body& b, const CallInfo& info, size_t parameter) {
    return parameter < info.arguments.size() ? b.expr(info.arguments[parameter].expr) : nullptr;
}

Val argument_value(Body& b, const CallInfo& info, size_t parameter) {
    const ast::Expr* expr = argument(b, info, parameter);
    return expr ? expression(b, *expr) : Val{};
}

std::vector<Val> argument_values(Body& b, const CallInfo& info) {
    const sema::Instance& callee = b.program.instance(info.callee);
    std::vector<Val> values(std::min(info.arguments.size(), callee.parameters.size()));
    // In the order in which they are written.
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) {
        const ast::Expr* given = argument(b, info, i);
        return given ? given->span.begin : UINT32_MAX;
    });
    for (const size_t i : order) {
        const sema::ParameterInfo& parameter = callee.parameters[i];
        Val value;
        if (parameter.value) {
            value = Val::of(*parameter.value);
        } else if (const ast::Expr* given = argument(b, info, i)) {
            value = expression(b, *given);
        } else if (const auto& known = callee.info(info.arguments[i].default_value).value) {
            value = Val::of(*known);
        }
        values[i] = b.coerce(b.rounded(value), parameter.type);
    }
    return values;
}

Val captured_value(Body& b, const sema::Variable& captured) {
    if (!captured.captured) return {};
    const auto& [owner, variable] = *captured.captured;
    for (auto frame = b.frames.rbegin(); frame != b.frames.rend(); ++frame) {
        if (frame->instance->id == owner) return b.get({frame->number, variable.index});
        for (size_t i = 0; i < frame->instance->variables.size(); ++i) {
            if (frame->instance->variables[i].captured == captured.captured) {
                return b.get({frame->number, static_cast<uint32_t>(i)});
            }
        }
    }
    return {};
}

void add_hidden_arguments(Body& b, const sema::Instance& callee, std::vector<ir::ValueId>& operands) {
    for (const sema::VariableId variable : callee.captures) {
        const sema::Variable& captured = callee.variables[variable.index];
        b.flatten(captured_value(b, captured), &captured.type, operands);
    }
    for (const sema::SymbolInfo& symbol : callee.symbols) {
        if (symbol.source != sema::SymbolInfo::Source::enclosing) continue;
        operands.push_back(b.index(b.dimension(ir::Dim::symbol(symbol.name))));
    }
}

}  // namespace tsr::elaborate
