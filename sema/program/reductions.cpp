#include "sema/program/reductions.h"

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
        default:
            return false;
    }
}

}  // namespace tsr::sema
