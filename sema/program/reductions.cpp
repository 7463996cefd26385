#include "sema/program/reductions.h"

#include <algorithm>

#include "sema/builtins/builtin_cases.h"

namespace tsr::sema {

bool takes_declared_type(const Instance& instance, const CallInfo& call) {
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
            TSR_CASES_MADE
            TSR_CASES_FORM
            break;
    }
    const ReductionArguments given = reduction_arguments(call);
    return given.x.valid() && !given.out.valid() && instance.info(given.x).type.is(Kind::tensor);
}

ReductionArguments reduction_arguments(const CallInfo& call) {
    if (call.kind != CallKind::builtin) return {};
    switch (call.builtin) {
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
        case Builtin::min:
        case Builtin::max:
        case Builtin::prod:
        case Builtin::mean:
        case Builtin::var:
        case Builtin::std_:
        case Builtin::count_nonzero:
            break;
        default:
            return {};
    }
    ReductionArguments given;
    const std::vector<BuiltinParameter>& parameters = entry(call.builtin).parameters;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const ast::ExprId written = call.arguments[i].expr;
        if (parameters[i].name == "axis") given.axis = written;
        if (parameters[i].name == "keepdims") given.keepdims = written;
        if (parameters[i].name == "out") given.out = written;
        if (parameters[i].name == "correction") given.correction = written;
    }
    given.x = call.arguments[0].expr;  // of `x.max()`, too
    if (parameters[0].variadic && !given.x.valid() && call.rest.size() == 1) given.x = call.rest[0];
    return given;
}

std::optional<std::vector<size_t>> reduced_axes(const std::optional<Static>& axis, size_t rank) {
    std::vector<size_t> axes;
    if (!axis || axis->is_none()) {
        for (size_t i = 0; i < rank; ++i) axes.push_back(i);
        return axes;
    }
    std::vector<Static> named{*axis};
    if (const auto* parts = axis->tuple()) named = *parts;
    const auto count = static_cast<int64_t>(rank);
    for (const Static& one : named) {
        const auto number = one.integer();
        if (!number || *number < -count || *number >= count) return std::nullopt;
        axes.push_back(static_cast<size_t>(*number < 0 ? *number + count : *number));
    }
    std::ranges::sort(axes);
    if (std::ranges::adjacent_find(axes) != axes.end()) return std::nullopt;
    return axes;
}

}  // namespace tsr::sema
