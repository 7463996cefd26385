#include "sema/builtin_calls/axis_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtins/builtin_cases.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/program/movements.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

bool require_tensor(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Value& x) {
    if (x.broken()) return false;
    if (x.type.is(Kind::tensor) && x.type.rank() > 0) return true;
    b.error("E0302", e.span, fmt::format("`{}` takes a tensor, this is {}", row.paths.front(), shown(x.type)));
    return false;
}

namespace {

using Extents = std::vector<ir::Dim>;

const char* axes_of(size_t rank) { return rank == 1 ? "axis" : "axes"; }

// False after a message.
bool require_axes(Body& b, const ast::Expr& e) {
    const Value v = expression(b, e);
    if (v.broken()) return false;
    if (!v.value && v.rounds != 0) {
        b.error("E0314", e.span, "an axis must be the same in every round of the loop");
        return false;
    }
    return require_static(b, e, v, "an axis");
}

std::optional<std::vector<size_t>> axes_argument(Body& b, const ast::Expr& e, const Type& x, size_t rank) {
    if (!require_axes(b, e)) return std::nullopt;
    if (auto axes = axes_named(b.instance.info(e).value, rank)) return axes;
    b.error("E0312", e.span,
            fmt::format("{} has {} {}: `{}` does not name some of {}, each once", shown(x), x.rank(), axes_of(x.rank()),
                        b.source(e), rank == x.rank() ? "them" : fmt::format("the result's {}", rank)));
    return std::nullopt;
}

bool is_none(Body& b, const ast::Expr* e) {
    return !e || std::holds_alternative<ast::NoneLiteral>(e->node) ||
           (b.instance.info(*e).value && b.instance.info(*e).value->is_none());
}

Value moved_to(const Value& x, Extents shape) { return typed(new_tensor(element_type(x.type), std::move(shape))); }

Value permuted(Body& b, const ast::Expr& e, const Matched& m, const Value& x) {
    std::vector<const ast::Expr*> written(m.arguments.begin() + 1, m.arguments.end());
    written.insert(written.end(), m.rest.begin(), m.rest.end());
    for (const ast::Expr* axis : written) {
        if (axis && !require_axes(b, *axis)) return {};
    }
    const auto axes = permutation(b.instance, b.instance.calls.at(e.id), x.type.rank());
    if (!axes) {
        b.error("E0312", e.span,
                fmt::format("{} has {} {}: what is named here is no order of them", shown(x.type), x.type.rank(),
                            axes_of(x.type.rank())));
        return {};
    }
    const Extents from = x.type.shape();
    Extents shape;
    for (const int64_t axis : *axes) shape.push_back(from[static_cast<size_t>(axis)]);
    return moved_to(x, std::move(shape));
}

Value with_new_axes(Body& b, const Matched& m, const Value& x) {
    if (!require_axes(b, *m.arguments[1])) return {};
    const auto& named = b.instance.info(*m.arguments[1]).value;
    const size_t rank = x.type.rank() + (named && named->tuple() ? named->tuple()->size() : 1);
    const auto axes = axes_argument(b, *m.arguments[1], x.type, rank);
    if (!axes) return {};
    Extents shape = x.type.shape();
    std::vector<size_t> sorted = *axes;
    std::ranges::sort(sorted);
    for (const size_t axis : sorted) shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), ir::Dim::constant(1));
    return moved_to(x, std::move(shape));
}

Value squeezed(Body& b, const ast::Expr& e, const Matched& m, const Value& x) {
    const Extents from = x.type.shape();
    const ir::Dim one = ir::Dim::constant(1);
    const bool named = !is_none(b, m.arguments[1]);
    std::vector<size_t> gone;
    if (named) {
        const auto axes = axes_argument(b, *m.arguments[1], x.type, x.type.rank());
        if (!axes) return {};
        gone = *axes;
    } else if (m.arguments[1]) {
        expression(b, *m.arguments[1]);
    }
    Extents shape;
    std::vector<DimCheck> checks;
    for (size_t axis = 0; axis < from.size(); ++axis) {
        if (named ? std::ranges::count(gone, axis) == 0 : !(from[axis] == one)) {
            shape.push_back(from[axis]);
            continue;
        }
        const ir::Equality single = ir::compare(from[axis], one);
        if (single == ir::Equality::different) {
            b.error("E0312", e.span,
                    fmt::format("axis {} of {} has {} elements: only axes of one are left out", axis, shown(x.type),
                                from[axis].text()));
            return {};
        }
        if (single == ir::Equality::unknown) checks.push_back({0, axis, from[axis], one, "1", std::nullopt, {}});
    }
    if (!checks.empty()) b.instance.extents[e.id] = std::move(checks);
    return moved_to(x, std::move(shape));
}

Value broadcast_to(Body& b, const ast::Expr& e, const Matched& m, const Value& x) {
    const auto shape = shape_argument(b, *m.arguments[1]);
    if (!shape) return {};
    const Extents from = x.type.shape();
    const ir::Dim one = ir::Dim::constant(1);
    bool fits = from.size() <= shape->size();
    std::vector<DimCheck> checks;
    for (size_t axis = 0; fits && axis < from.size(); ++axis) {
        const ir::Dim& wanted = (*shape)[shape->size() - from.size() + axis];
        if (from[axis] == one) continue;
        const ir::Equality same = ir::compare(from[axis], wanted);
        fits = same != ir::Equality::different;
        if (same == ir::Equality::unknown)
            checks.push_back({0, axis, from[axis], wanted, wanted.text(), std::nullopt, {}});
    }
    Value result = moved_to(x, *shape);
    if (!fits) {
        b.error("E0312", e.span, fmt::format("{} is not repeated to {}", shown(x.type), shown(result.type)))
            .label(m.arguments[0]->span, shown(x.type));
        return {};
    }
    if (!checks.empty()) b.instance.extents[e.id] = std::move(checks);
    return result;
}

// Of `flip`, `roll` and `repeat`: nothing where no axis is written.
std::optional<std::vector<size_t>> written_axes(Body& b, const ast::Expr* written, const Type& x, bool& ok) {
    ok = true;
    if (!written) return std::nullopt;
    if (is_none(b, written)) {
        expression(b, *written);
        return std::nullopt;
    }
    auto axes = axes_argument(b, *written, x, x.rank());
    ok = axes.has_value();
    return axes;
}

Value rolled(Body& b, const Matched& m, const Value& x) {
    bool ok = true;
    const auto axes = written_axes(b, m.arguments[2], x.type, ok);
    const auto shift = static_integer(b, *m.arguments[1], "a shift");
    if (!ok || !shift) return {};
    if (axes && axes->size() != 1) {
        b.error("E0312", m.arguments[2]->span, "`roll` goes along one axis, or all elements as one");
        return {};
    }
    return moved_to(x, x.type.shape());
}

Value repeated(Body& b, const Matched& m, const Value& x) {
    bool ok = true;
    const auto axes = written_axes(b, m.arguments[2], x.type, ok);
    const auto times = static_integer(b, *m.arguments[1], "how often elements are repeated");
    if (!ok || !times) return {};
    if (*times < 0 || (axes && axes->size() != 1)) {
        b.error("E0312", m.arguments[*times < 0 ? 1 : 2]->span,
                *times < 0 ? fmt::format("nothing is repeated {} times", *times)
                           : "`repeat` goes along one axis, or all elements as one");
        return {};
    }
    Extents shape = x.type.shape();
    if (axes) {
        ir::Dim& extent = shape[axes->front()];
        extent = extent * ir::Dim::constant(*times);
        return moved_to(x, std::move(shape));
    }
    return moved_to(x, {ir::element_count(shape) * ir::Dim::constant(*times)});
}

}  // namespace

std::optional<size_t> axis_argument(Body& b, const ast::Expr* written, const Type& x, size_t rank) {
    if (!written) return 0;
    const auto axes = axes_argument(b, *written, x, rank);
    if (!axes) return std::nullopt;
    if (axes->size() == 1) return axes->front();
    b.error("E0312", written->span, fmt::format("one axis is wanted here, these are {}", axes->size()));
    return std::nullopt;
}

Value axis_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const Value x = expression(b, *m.arguments[0]);
    if (!require_tensor(b, *m.arguments[0], row, x)) {
        for (size_t i = 1; i < m.arguments.size(); ++i) {
            if (m.arguments[i]) expression(b, *m.arguments[i]);
        }
        for (const ast::Expr* axis : m.rest) expression(b, *axis);
        return {};
    }
    switch (row.id) {
        case Builtin::expand_dims:
            return with_new_axes(b, m, x);
        case Builtin::squeeze:
            return squeezed(b, e, m, x);
        case Builtin::flatten:
            return moved_to(x, {ir::element_count(x.type.shape())});
        case Builtin::broadcast_to:
            return broadcast_to(b, e, m, x);
        case Builtin::flip: {
            bool ok = true;
            (void)written_axes(b, m.arguments[1], x.type, ok);
            return ok ? moved_to(x, x.type.shape()) : Value{};
        }
        case Builtin::roll:
            return rolled(b, m, x);
        case Builtin::repeat:
            return repeated(b, m, x);
        case Builtin::transpose:
        case Builtin::swapaxes:
        case Builtin::moveaxis:
            return permuted(b, e, m, x);
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_HOST
            TSR_CASES_INDEXED
            TSR_CASES_JOINING
            TSR_CASES_FORM
            break;
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
