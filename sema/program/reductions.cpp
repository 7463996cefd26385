#include "sema/program/reductions.h"

#include "sema/builtins/builtin_cases.h"

namespace tsr::sema {

bool takes_declared_type(const CallInfo& call) {
    if (call.kind != CallKind::builtin) return false;
    switch (call.builtin) {
        case Builtin::group_reduce_sum:
        case Builtin::group_reduce_max:
        case Builtin::group_reduce_min:
        case Builtin::group_reduce_prod:
        case Builtin::buffer_reduce_sum:
        case Builtin::buffer_reduce_max:
        case Builtin::buffer_reduce_min:
        case Builtin::buffer_reduce_prod:
        case Builtin::tile_row_max:
        case Builtin::tile_row_sum:
        case Builtin::tile_reduce:
            return !call.arguments.back().expr.valid();  // `out`
        case Builtin::linear_id:
        case Builtin::context:
        case Builtin::tile_range:
        case Builtin::alloc_register:
        case Builtin::load:
        case Builtin::store:
        case Builtin::load_vector:
        case Builtin::store_vector:
        case Builtin::atomic_add:
        case Builtin::atomic_min:
        case Builtin::atomic_max:
        case Builtin::atomic_bit_and:
        case Builtin::atomic_bit_or:
        case Builtin::atomic_bit_xor:
        case Builtin::atomic_exchange:
        case Builtin::atomic_compare_exchange:
        case Builtin::tile_local:
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
        case Builtin::group_any:
        case Builtin::group_all:
        case Builtin::scan:
        case Builtin::shuffle:
        case Builtin::warp_broadcast:
        case Builtin::ballot:
        case Builtin::tile_zeros:
        case Builtin::tile_full:
        case Builtin::tile_iota:
        case Builtin::tile_causal_mask:
        case Builtin::tile_mma:
            TSR_CASES_MATH
            TSR_CASES_HOST
            TSR_CASES_FORM
            return false;
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
