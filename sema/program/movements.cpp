#include "sema/program/movements.h"

#include <algorithm>
#include <numeric>

namespace tsr::sema {

namespace {

std::vector<Static> parts_of(const std::optional<Static>& value) {
    if (!value) return {};
    if (const auto* parts = value->tuple()) return *parts;
    return {*value};
}

// An axis as well as several.
std::optional<std::vector<int64_t>> moved(const Instance& instance, const CallInfo& call, size_t rank) {
    const auto from = axes_named(instance.info(call.arguments[1].expr).value, rank);
    const auto to = axes_named(instance.info(call.arguments[2].expr).value, rank);
    if (!from || !to || from->size() != to->size()) return std::nullopt;
    std::vector<int64_t> axes(rank, -1);
    for (size_t i = 0; i < from->size(); ++i) axes[(*to)[i]] = static_cast<int64_t>((*from)[i]);
    size_t next = 0;
    for (int64_t& axis : axes) {
        if (axis >= 0) continue;
        while (std::ranges::count(*from, next) > 0) ++next;
        axis = static_cast<int64_t>(next++);
    }
    return axes;
}

}  // namespace

std::optional<size_t> axis_named(int64_t axis, size_t rank) {
    const auto count = static_cast<int64_t>(rank);
    if (axis < -count || axis >= count) return std::nullopt;
    return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

std::optional<std::vector<size_t>> axes_named(const std::optional<Static>& axes, size_t rank) {
    std::vector<size_t> all;
    for (const Static& one : parts_of(axes)) {
        const auto number = one.integer();
        const auto axis = number ? axis_named(*number, rank) : std::nullopt;
        if (!axis || std::ranges::count(all, *axis) > 0) return std::nullopt;
        all.push_back(*axis);
    }
    return all;
}

std::optional<std::vector<int64_t>> permutation(const Instance& instance, const CallInfo& call, size_t rank) {
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), int64_t{0});
    if (call.builtin == Builtin::moveaxis) return moved(instance, call, rank);
    if (call.builtin == Builtin::swapaxes) {
        const auto one = axes_named(instance.info(call.arguments[1].expr).value, rank);
        const auto other = axes_named(instance.info(call.arguments[2].expr).value, rank);
        if (!one || !other || one->size() != 1 || other->size() != 1) return std::nullopt;
        std::swap(axes[one->front()], axes[other->front()]);
        return axes;
    }
    std::ranges::reverse(axes);
    std::vector<Static> named;
    for (const ast::ExprId written : call.rest) {
        const auto& value = instance.info(written).value;
        if (value && value->is_none() && call.rest.size() == 1) return axes;
        for (Static& part : parts_of(value)) named.push_back(std::move(part));
    }
    if (named.empty()) return axes;
    const auto all = axes_named(Static::of(named), rank);
    if (!all || all->size() != rank) return std::nullopt;
    std::ranges::transform(*all, axes.begin(), [](size_t axis) { return static_cast<int64_t>(axis); });
    return axes;
}

namespace {

// Of one bound: the place that it names, and what it counts as where the number of elements is found. NumPy limits both
// to the axis; where limiting one of them alone gives the same number the other stays as it is, so that `x[1:]` and
// `x[:-1]` have one extent.
struct SliceBegin {
    ir::Dim place, counted;
};

SliceBegin begin_of(const std::optional<ir::Dim>& bound, const ir::Dim& extent, bool back, bool& sure) {
    const ir::Dim zero, last = extent - ir::Dim::constant(1);
    if (!bound) return back ? SliceBegin{last, last} : SliceBegin{zero, zero};
    const bool from_end = bound->constant_value().value_or(0) < 0;
    if (from_end) {
        const ir::Dim place = extent + *bound;
        if (back) return {place, place};
        return {ir::Dim::maximum(place, zero), ir::Dim::maximum(place, zero)};
    }
    if (!ir::is_never_negative(*bound)) {
        sure = false;
        return {*bound, *bound};
    }
    if (back) return {ir::Dim::minimum(*bound, last), ir::Dim::minimum(*bound, last)};
    return {ir::Dim::minimum(*bound, extent), *bound};
}

ir::Dim end_of(const std::optional<ir::Dim>& bound, const ir::Dim& extent, bool back, bool& sure) {
    if (!bound) return back ? ir::Dim::constant(-1) : extent;
    const bool from_end = bound->constant_value().value_or(0) < 0;
    if (from_end) return back ? ir::Dim::maximum(extent + *bound, ir::Dim::constant(-1)) : extent + *bound;
    if (ir::is_never_negative(*bound)) return back ? *bound : ir::Dim::minimum(*bound, extent);
    sure = false;
    return *bound;
}

}  // namespace

SlicedAxis sliced_axis(const ir::Dim& extent, const std::optional<ir::Dim>& lower, const std::optional<ir::Dim>& upper,
                       int64_t step) {
    const bool back = step < 0;
    SlicedAxis slice;
    const SliceBegin begin = begin_of(lower, extent, back, slice.sure);
    const ir::Dim end = end_of(upper, extent, back, slice.sure);
    const ir::Dim span = back ? begin.counted - end : end - begin.counted;
    slice.start = begin.place;
    slice.extent = slice.sure ? ir::Dim::maximum(span, ir::Dim()) : span;
    const int64_t by = back ? -step : step;
    if (by != 1)
        slice.extent = ir::Dim::floor_quotient(slice.extent + ir::Dim::constant(by - 1), ir::Dim::constant(by));
    return slice;
}

std::optional<ir::Dim> bound_of_slice(const Instance& instance, const ast::Expr* bound) {
    if (!bound) return std::nullopt;
    const ExprInfo& info = instance.info(*bound);
    if (info.value && info.value->integer()) return ir::Dim::constant(*info.value->integer());
    return info.dim;
}

std::optional<std::vector<PadWidth>> pad_widths(const Static& widths, size_t rank) {
    const auto number = [](const Static& value) -> std::optional<int64_t> {
        const auto width = value.integer();
        return width && *width >= 0 ? width : std::nullopt;
    };
    const auto pair = [&](const Static& value) -> std::optional<PadWidth> {
        const std::vector<Static> parts = parts_of(value);
        if (parts.empty() || parts.size() > 2) return std::nullopt;
        const auto before = number(parts.front()), behind = number(parts.back());
        if (!before || !behind) return std::nullopt;
        return PadWidth{*before, *behind};
    };
    const auto* parts = widths.tuple();
    const bool of_each = parts && !parts->empty() && parts->front().tuple();
    std::vector<PadWidth> all;
    for (size_t axis = 0; axis < rank; ++axis) {
        if (of_each && parts->size() != rank && parts->size() != 1) return std::nullopt;
        const auto width = pair(of_each ? (*parts)[parts->size() == 1 ? 0 : axis] : widths);
        if (!width) return std::nullopt;
        all.push_back(*width);
    }
    return all;
}

std::optional<std::vector<size_t>> sliced_items(const Instance& instance, const ast::Slice& slice, size_t count) {
    const auto number = [&](const ast::Expr* bound) -> std::optional<int64_t> {
        const auto& value = instance.info(*bound).value;
        return value ? value->integer() : std::nullopt;
    };
    std::optional<ir::Dim> bounds[2];
    for (size_t i = 0; i < 2; ++i) {
        const ast::Expr* bound = i == 0 ? slice.lower : slice.upper;
        if (!bound) continue;
        const auto value = number(bound);
        if (!value) return std::nullopt;
        bounds[i] = ir::Dim::constant(*value);
    }
    const auto step = slice.step ? number(slice.step) : 1;
    if (!step || *step == 0) return std::nullopt;
    const SlicedAxis taken = sliced_axis(ir::Dim::constant(static_cast<int64_t>(count)), bounds[0], bounds[1], *step);
    const auto start = taken.start.constant_value(), extent = taken.extent.constant_value();
    if (!start || !extent) return std::nullopt;
    std::vector<size_t> items;
    for (int64_t i = 0; i < *extent; ++i) items.push_back(static_cast<size_t>(*start + i * *step));
    return items;
}

}  // namespace tsr::sema
