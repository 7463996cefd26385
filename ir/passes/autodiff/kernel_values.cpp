#include "ir/passes/autodiff/kernel_values.h"

#include <algorithm>

#include "ir/build/dim_code.h"
#include "ir/ops/bound_dim.h"
#include "ir/passes/autodiff/control.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

size_t KernelValues::new_axis(const Dim& extent) {
    extents_.push_back(extent);
    return extents_.size() - 1;
}

Dim KernelValues::extent_of(ValueId value) {
    if (auto known = dimension_of(out_, value)) return *known;
    const Dim symbol = make_symbol(out_, "rounds");
    at_->value(OpKind::dim, {at_->maximum(value, at_->index(0))}, {{Attr::dim, symbol}});
    return symbol;
}

Held KernelValues::number(ValueId id) {
    Held held{id, {}, {}, {}};
    if (out_.type(id).is_scalar() && out_.type(id).elem == DType::index) held.line = Line{std::nullopt, 0, id};
    return held;
}

Held KernelValues::rounds(size_t axis, ValueId start, int64_t stride) {
    const ValueId numbers =
        at_->value(OpKind::positions, {}, {{Attr::shape, std::vector<Dim>{extents_[axis]}}, {Attr::type, DType::i64}});
    const Held first = number(at_->cast(start, DType::i64)), by = number(at_->constant(stride, DType::i64));
    Held line{numbers, {axis}, {}, {}};
    line = element(OpKind::add, {element(OpKind::mul, {line, by}), first});
    line.line = Line{axis, stride, start};
    return line;
}

std::vector<Dim> KernelValues::shape_of(const Axes& axes, const std::vector<Dim>& tile) const {
    std::vector<Dim> shape;
    for (const size_t axis : axes) shape.push_back(extents_[axis]);
    shape.insert(shape.end(), tile.begin(), tile.end());
    return shape;
}

Axes KernelValues::joined(const Axes& a, const Axes& b) {
    Axes all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

ValueId KernelValues::wide(ValueId id) { return out_.type(id).elem == DType::index ? at_->cast(id, DType::i64) : id; }

ValueId KernelValues::spread(const Held& v, const Axes& axes, const std::vector<Dim>& tile) {
    const std::vector<Dim> shape = shape_of(axes, tile);
    if (v.axes == axes && v.tile.size() == tile.size()) return shape.empty() ? v.id : wide(v.id);
    if (v.is_number()) return at_->value(OpKind::full, {wide(v.id)}, {{Attr::shape, shape}});
    std::vector<int64_t> to;
    for (const size_t axis : v.axes) {
        const auto place = std::find(axes.begin(), axes.end(), axis);
        to.push_back(place - axes.begin());
    }
    for (size_t i = 0; i < v.tile.size(); ++i) to.push_back(static_cast<int64_t>(axes.size() + i));
    return at_->value(OpKind::expand, {wide(v.id)}, {{Attr::axes, to}, {Attr::shape, shape}});
}

Held KernelValues::element(OpKind kind, const std::vector<Held>& operands, Attrs attrs) {
    Held made;
    for (const Held& operand : operands) {
        made.axes = joined(made.axes, operand.axes);
        if (made.tile.empty()) made.tile = operand.tile;
    }
    if (made.is_number()) {
        Values numbers;
        for (const Held& operand : operands) numbers.push_back(operand.id);
        return number(at_->value(kind, std::move(numbers), std::move(attrs)));
    }
    if (attrs.has(Attr::type) && attrs.dtype(Attr::type) == DType::index) attrs.set(Attr::type, DType::i64);
    Values all;
    for (const Held& operand : operands) all.push_back(spread(operand, made.axes, made.tile));
    made.id = at_->value(kind, std::move(all), std::move(attrs));
    return made;
}

Held KernelValues::numbers_along(std::ptrdiff_t axis, const std::vector<Dim>& tile, DType type) {
    const std::vector<Dim> line{tile[static_cast<size_t>(axis)]};
    ValueId made = at_->value(OpKind::positions, {}, {{Attr::shape, line}, {Attr::type, type}});
    if (tile.size() > 1)
        made = at_->value(OpKind::expand, {made},
                          {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(axis)}}, {Attr::shape, tile}});
    return {made, {}, tile, {}};
}

bool KernelValues::is_zero(ValueId value) const {
    const auto known = dimension_of(out_, value);
    return known && known->constant_value() == 0;
}

}  // namespace tsr::ir::autodiff
