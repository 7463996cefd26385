#include "sema/elaborate/instances.h"

namespace tsr::elaborate {

using sema::Builtin;

namespace {

bool names_group(Builtin builtin) {
    switch (builtin) {
        case Builtin::local_id:
        case Builtin::lane_id:
        case Builtin::group_size:
        case Builtin::group_id:
        case Builtin::grid_groups:
        case Builtin::barrier:
        case Builtin::alloc_shared:
        case Builtin::tshared_alloc:
        case Builtin::cp_async:
        case Builtin::cp_commit_group:
        case Builtin::cp_wait_group:
        case Builtin::group_reduce_sum:
        case Builtin::group_reduce_max:
        case Builtin::group_reduce_min:
        case Builtin::group_reduce_prod:
        case Builtin::group_any:
        case Builtin::group_all:
        case Builtin::scan:
        case Builtin::shuffle:
        case Builtin::warp_broadcast:
        case Builtin::ballot:
        case Builtin::tile_zeros:
        case Builtin::tile_full:
        case Builtin::tile_iota:
        case Builtin::tile_row_max:
        case Builtin::tile_row_sum:
        case Builtin::tile_reduce:
        case Builtin::tile_causal_mask:
        case Builtin::tile_mma:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool group_is_named(const sema::Instance& instance) {
    for (const auto& [id, call] : instance.calls) {
        if (call.kind == sema::CallKind::alloc) return true;
        if (call.kind == sema::CallKind::builtin && names_group(call.builtin)) return true;
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
