#include "sema/program/reductions.h"

#include <algorithm>

#include "sema/builtins/builtins.h"

namespace tsr::sema {

bool takes_declared_type(const Instance& instance, const CallInfo& call) {
    if (call.kind != CallKind::builtin) return false;
    // Those of kernels alone end with `out`.
    const BuiltinEntry& row = entry(call.builtin);
    const bool of_kernels = row.in_kernel && !row.on_host && !row.in_graph;
    if (of_kernels && !row.parameters.empty() && row.parameters.back().name == "out") {
        return !call.arguments.back().expr.valid();
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
