#include "sema/builtin_calls/tensor_reductions.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtin_calls/reduction_types.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/program/reductions.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/declared_values.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

std::optional<std::vector<size_t>> static_axes(Body& b, const ast::Expr* written, const Type& x) {
    if (!written) return reduced_axes({}, x.rank());
    const Value axis = expression(b, *written);
    if (axis.broken()) return std::nullopt;
    if (!axis.value && axis.rounds != 0) {
        b.error("E0314", written->span, "an axis must be the same in every round of the loop");
        return std::nullopt;
    }
    if (!require_static(b, *written, axis, "an axis")) return std::nullopt;
    if (auto axes = reduced_axes(axis.value, x.rank())) return axes;
    b.error("E0312", written->span,
            fmt::format("{} has {} ax{}: `{}` does not name some of them, each once", shown(x), x.rank(),
                        x.rank() == 1 ? "is" : "es", b.source(*written)));
    return std::nullopt;
}

namespace {

std::optional<bool> keeps_axes(Body& b, const ast::Expr* written) {
    if (!written) return false;
    const Value keeps = expression(b, *written);
    require_bool(b, *written, keeps);
    if (!keeps.type.is_bool() || !require_static(b, *written, keeps, "`keepdims`")) return std::nullopt;
    return keeps.value->boolean();
}

bool asks(Builtin function) { return function == Builtin::any || function == Builtin::all; }

bool divides(Builtin function) {
    return function == Builtin::mean || function == Builtin::var || function == Builtin::std_;
}

// The mean of integers, or of bools, is of the type that `out=` names.
Value mean_of_integers(Body& b, const ast::Expr& e, const BuiltinEntry& row, const ast::Expr* out, const Type& x) {
    if (!out) {
        b.error("E0315", e.span, fmt::format("`{}` of {} lacks its `out=`", row.paths.front(), shown(x)))
            .note(fmt::format("a float: `{}({}, out=f32)`", row.paths.front(), b.source(e)));
        return {};
    }
    const auto wanted = named_dtype(b, *out);
    if (!wanted) return {};
    if (!is_float(*wanted)) {
        b.error("E0302", out->span, fmt::format("`{}` gives floats, this is `{}`", row.paths.front(), name(*wanted)));
        return {};
    }
    Value result = typed(Type::scalar(*wanted));
    result.compute = accumulation_type(*wanted, {});
    return result;
}

// One element of the result; its type is unknown after a message.
Value element_of(Body& b, const ast::Expr& e, const BuiltinEntry& row, const ast::Expr* out, const Type& x) {
    const Type elements = element_type(x);
    const DType elem = x.elem();
    const bool counts = row.id == Builtin::count_nonzero || (row.id == Builtin::sum && elements.is_bool());
    Value result;
    if ((elements.is_number() || elements.is_bool()) && (asks(row.id) || counts)) {
        result = typed(counts ? Type::scalar(DType::i64) : Type::boolean());
        result.compute = result.type.elem();
    } else if (divides(row.id) && (elements.is_integer() || elements.is_bool())) {
        return mean_of_integers(b, e, row, out, x);
    } else if (!elements.is_number()) {
        auto& d =
            b.error("E0302", e.span, fmt::format("`{}` combines numbers, this is {}", row.paths.front(), shown(x)));
        if (elements.is_bool()) d.note("bools have `any`, `all`, `sum`, `mean` and `count_nonzero`");
        return {};
    } else if (row.id == Builtin::min || row.id == Builtin::max) {
        result.compute = compute_type(elem, x.policy());
        result.type = Type::scalar(result_type(elem, x.policy())).carrying(x.policy());
    } else {
        result.compute = accumulation_type(elem, x.policy());
        result.type = Type::scalar(accumulated_type(elem, x.policy())).carrying(x.policy());
    }
    return choose_result(b, out, result) ? result : Value{};
}

// A number that the mean of squares is corrected by. False after a message.
bool require_correction(Body& b, const ast::Expr* written, DType type) {
    return !written ||
           require_converts(b, *written, expression(b, *written), Type::scalar(type), "the parameter `correction`");
}

}  // namespace

Value tensor_reduction(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Value& x) {
    const std::string what = fmt::format("`{}`", row.paths.front());
    const ReductionArguments given = reduction_arguments(b.instance.calls.at(e.id));
    const auto axes = static_axes(b, b.expr(given.axis), x.type);
    const auto keeps = keeps_axes(b, b.expr(given.keepdims));
    if (!require_no_kernel(b, e.span, what, {x})) return {};
    Value result = element_of(b, *b.expr(given.x), row, b.expr(given.out), x.type);
    if (!axes || !keeps || result.broken()) return {};
    if (!require_correction(b, b.expr(given.correction), *result.compute)) return {};
    std::vector<ir::Dim> shape;
    for (size_t axis = 0; axis < x.type.rank(); ++axis) {
        const bool reduced = std::ranges::binary_search(*axes, axis);
        if (!reduced) shape.push_back(x.type.shape()[axis]);
        if (reduced && *keeps) shape.push_back(ir::Dim::constant(1));
    }
    result.type = new_tensor(result.type, std::move(shape));
    if (!given.out.valid()) choose_declared(b, e, result);
    return result;
}

bool require_no_axis(Body& b, const ast::Expr& e, const BuiltinEntry& row) {
    const ReductionArguments given = reduction_arguments(b.instance.calls.at(e.id));
    bool ok = true;
    for (const auto& [name, id] :
         {std::pair("axis", given.axis), std::pair("keepdims", given.keepdims), std::pair("out", given.out)}) {
        const ast::Expr* written = b.expr(id);
        if (!written) continue;
        expression(b, *written);
        b.error("E0315", written->span,
                fmt::format("`{}` of `{}` belongs to the reduction of a tensor", name, row.paths.front()));
        ok = false;
    }
    return ok;
}

}  // namespace tsr::sema
