#include "sema/elaborate/instances.h"

namespace tsr::elaborate {

bool group_is_named(const sema::Instance& instance) {
    for (const auto& [id, call] : instance.calls) {
        if (call.kind == sema::CallKind::alloc) return true;
        if (call.kind == sema::CallKind::builtin && is_of_group(call.builtin)) return true;
    }
    for (const auto& [id, info] : instance.exprs) {
        const auto* builtin = std::get_if<sema::BuiltinName>(&info.referent);
        if (builtin && builtin->name == sema::Builtin::grid_groups) return true;
    }
    return false;
}

sema::VariableId variable_of_parameter(const sema::Instance& instance, size_t parameter) {
    for (size_t i = 0; i < instance.variables.size(); ++i) {
        if (instance.variables[i].parameter == static_cast<int>(parameter)) return sema::VariableId(i);
    }
    return {};
}

}  // namespace tsr::elaborate
