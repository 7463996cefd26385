#include "ir/passes/autodiff/kernel_memory.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/ops/handle.h"

namespace tsr::ir::autodiff {

namespace {

// Of places that are one number: with an axis of one.
std::string letters(const Held& ids) {
    std::string all(std::max<size_t>(ids.axes.size() + ids.tile.size(), 1), 'a');
    std::iota(all.begin(), all.end(), 'a');
    return "z," + all + "->" + all;
}

// Each index runs along an axis of its own, or along none.
bool is_block(const std::vector<Held>& indices) {
    std::set<size_t> seen;
    return std::ranges::all_of(indices, [&](const Held& index) {
        return index.line && (!index.line->axis || (index.line->stride == 1 && seen.insert(*index.line->axis).second));
    });
}

}  // namespace

KernelMemory::Places KernelMemory::places(const std::vector<Dim>& shape, const std::vector<Held>& starts,
                                          const std::vector<size_t>& tiled, const std::vector<Dim>& tile) {
    Places made;
    std::optional<Held> sum;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        Held index = element(OpKind::cast, {starts[axis]}, {{Attr::type, DType::i64}});
        const Held extent = number(at_->cast(at_->dim(shape[axis]), DType::i64));
        const auto along = std::find(tiled.begin(), tiled.end(), axis);
        if (along != tiled.end()) {
            index = element(OpKind::add, {index, numbers_along(along - tiled.begin(), tile, DType::i64)});
        }
        if (!tile.empty()) {
            const Held zero = number(at_->constant(0, DType::i64));
            const Held here =
                element(OpKind::bit_and, {element(OpKind::ge, {index, zero}), element(OpKind::lt, {index, extent})});
            made.inside = made.inside ? element(OpKind::bit_and, {*made.inside, here}) : here;
        }
        sum = sum ? element(OpKind::add, {element(OpKind::mul, {*sum, extent}), index}) : index;
    }
    made.place = sum ? *sum : number(at_->constant(0, DType::i64));
    if (mask_) made.inside = made.inside ? element(OpKind::bit_and, {*made.inside, *mask_}) : *mask_;
    return made;
}

ValueId KernelMemory::with_axis(const Held& v) {
    if (!v.is_number()) return v.id;
    return at_->value(OpKind::full, {wide(v.id)}, {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}});
}
ValueId KernelMemory::as_line(ValueId tensor) {
    const std::vector<Dim> shape = out_.type(tensor).shape;
    if (shape.size() == 1) return tensor;
    return at_->value(OpKind::reshape, {tensor}, {{Attr::shape, std::vector<Dim>{element_count(shape)}}});
}
Held KernelMemory::guarded(const Places& of) {
    if (!of.inside) return of.place;
    return element(OpKind::select, {*of.inside, of.place, number(at_->constant(-1, DType::i64))});
}

Held KernelMemory::gathered(ValueId x, const Places& of) {
    const Held ids = guarded(of);
    const ValueId found = at_->value(OpKind::gather_axis, {as_line(x), with_axis(ids)},
                                     {{Attr::letters, letters(ids)}, {Attr::outside, kFlag}});
    if (!ids.is_number()) return {found, ids.axes, ids.tile, {}};
    return number(at_->value(OpKind::reshape, {found}, {{Attr::shape, std::vector<Dim>{}}}));
}

void KernelMemory::scattered(ValueId& x, const Places& of, const Held& value, std::optional<ReduceOp> how) {
    Places all = of;
    all.place = {spread(of.place, nest_, of.place.tile), nest_, of.place.tile, {}};
    if (nest_.empty() && of.place.tile.empty()) all.place = of.place;
    const Held ids = guarded(all);
    const Held values = ids.is_number() ? value : Held{spread(value, ids.axes, ids.tile), ids.axes, ids.tile, {}};
    Attrs attrs{{Attr::letters, letters(ids)}, {Attr::outside, kFlag}};
    if (how) attrs.set(Attr::op, static_cast<int64_t>(*how));
    const std::vector<Dim> shape = out_.type(x).shape;
    const ValueId into = as_line(x);
    x = at_->value(OpKind::scatter_axis, {into, with_axis(ids), with_axis(values)}, std::move(attrs));
    if (shape.size() != 1) x = at_->value(OpKind::reshape, {x}, {{Attr::shape, shape}});
}

KernelMemory::Order KernelMemory::order_of(const std::vector<Held>& indices) {
    Order order;
    for (const Held& index : indices) {
        if (index.line->axis) order.axes.push_back(*index.line->axis);
    }
    order.sorted.resize(order.axes.size());
    std::iota(order.sorted.begin(), order.sorted.end(), 0);
    std::ranges::sort(order.sorted, {}, [&](int64_t i) { return order.axes[static_cast<size_t>(i)]; });
    return order;
}
ValueId KernelMemory::permuted(ValueId value, const std::vector<int64_t>& axes) {
    if (std::ranges::is_sorted(axes)) return value;
    return at_->value(OpKind::transpose, {value}, {{Attr::axes, axes}});
}

KernelMemory::Block KernelMemory::block_of(const std::vector<Held>& indices, const std::vector<Dim>& shape) {
    Block block;
    for (size_t i = 0; i < indices.size(); ++i) {
        const Line& line = *indices[i].line;
        block.starts.push_back(line.start);
        block.shape.push_back(line.axis ? extents_[*line.axis] : Dim::constant(1));
        block.whole = block.whole && is_zero(line.start) && block.shape.back() == shape[i];
    }
    return block;
}

Held KernelMemory::read(ValueId x, const std::vector<Held>& indices) {
    const std::vector<Dim> shape = out_.type(x).shape;
    if (mask_ || !is_block(indices) || indices.empty()) return gathered(x, places(shape, indices, {}, {}));
    const Block block = block_of(indices, shape);
    const Order order = order_of(indices);
    ValueId value = x;
    if (!block.whole) {
        Values operands{x};
        operands.insert(operands.end(), block.starts.begin(), block.starts.end());
        value = at_->value(OpKind::slice, std::move(operands), {{Attr::shape, block.shape}});
    }
    if (order.axes.size() != shape.size())
        value = at_->value(OpKind::reshape, {value}, {{Attr::shape, shape_of(order.axes, {})}});
    if (order.axes.empty()) return number(value);
    Held held{permuted(value, order.sorted), order.axes, {}, {}};
    std::ranges::sort(held.axes);
    return held;
}

void KernelMemory::write(ValueId& x, const Held& value, const std::vector<Held>& indices, std::optional<ReduceOp> how) {
    const std::vector<Dim> shape = out_.type(x).shape;
    Order order;
    bool block = !mask_ && !how && is_block(indices) && !indices.empty();
    if (block) {
        order = order_of(indices);
        Axes sorted = order.axes;
        std::ranges::sort(sorted);
        block = sorted == nest_;  // each round has an element of its own
    }
    if (!block) return scattered(x, places(shape, indices, {}, {}), value, how);
    const Block at = block_of(indices, shape);
    std::vector<int64_t> back(order.sorted.size());
    for (size_t i = 0; i < back.size(); ++i) back[static_cast<size_t>(order.sorted[i])] = static_cast<int64_t>(i);
    ValueId made = permuted(spread(value, nest_, {}), back);
    if (out_.type(made).is_scalar()) {
        made = at_->value(OpKind::full, {made}, {{Attr::shape, at.shape}});
    } else if (order.axes.size() != shape.size()) {
        made = at_->value(OpKind::reshape, {made}, {{Attr::shape, at.shape}});
    }
    if (at.whole) {
        x = made;
        return;
    }
    Values operands{x, made};
    operands.insert(operands.end(), at.starts.begin(), at.starts.end());
    x = at_->value(OpKind::update, std::move(operands));
}

}  // namespace tsr::ir::autodiff
