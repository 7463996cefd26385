#include "sema/elaborate/graph_movements.h"

#include <algorithm>

#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_expressions.h"
#include "sema/elaborate/graph_products.h"
#include "sema/elaborate/recursion.h"
#include "sema/program/movements.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using Shape = std::vector<Dim>;

ValueId dim_value(Body& b, const Dim& dim) {
    if (const auto number = dim.constant_value()) return b.emit.constant(*number, DType::index);
    return b.emit.inferred(OpKind::dim, {}, {{Attr::dim, dim}});
}

ValueId reshaped(Body& b, ValueId value, const Shape& shape) {
    if (b.type_of(value).shape == shape) return value;
    return b.emit.inferred(OpKind::reshape, {value}, {{Attr::shape, shape}});
}

ValueId joined(Body& b, std::vector<ValueId> parts, size_t axis) {
    const ValueId first = parts[0];
    std::erase_if(parts, [&](ValueId part) { return b.type_of(part).shape[axis].constant_value() == 0; });
    if (parts.empty()) return first;
    std::vector<Dim> shape = b.type_of(parts[0]).shape;
    for (size_t i = 1; i < parts.size(); ++i) shape[axis] = shape[axis] + b.type_of(parts[i]).shape[axis];
    if (parts.size() == 1) return parts[0];
    return b.emit.inferred(OpKind::concat, std::move(parts),
                           {{Attr::axis, static_cast<int64_t>(axis)}, {Attr::shape, shape}});
}

Block whole_block(Body& b, ValueId value) {
    Block block;
    block.shape = b.type_of(value).shape;
    block.starts.assign(block.shape.size(), b.emit.constant(int64_t{0}, DType::index));
    block.steps.assign(block.shape.size(), 1);
    return block;
}

ValueId sliced(Body& b, ValueId value, const Block& block) {
    std::vector<ValueId> operands{value};
    operands.insert(operands.end(), block.starts.begin(), block.starts.end());
    ir::Attrs attrs{{Attr::shape, block.shape}};
    if (std::ranges::any_of(block.steps, [](int64_t step) { return step != 1; })) attrs.set(Attr::steps, block.steps);
    return b.emit.inferred(OpKind::slice, std::move(operands), std::move(attrs));
}

size_t movement_axis(Body& b, const CallInfo& info, size_t parameter, size_t rank) {
    const ast::Expr* written = argument(b, info, parameter);
    const auto number = written ? b.info(*written).value->integer() : std::optional<int64_t>(0);
    if (written && !number) return sema::axes_named(b.info(*written).value, rank)->front();
    return *sema::axis_named(number.value_or(0), rank);
}

namespace {

// The axes that an argument names; nothing where it names none.
std::optional<std::vector<size_t>> movement_axes(Body& b, const CallInfo& info, size_t parameter, size_t rank) {
    const ast::Expr* written = argument(b, info, parameter);
    if (!written) return std::nullopt;
    const auto& named = b.info(*written).value;
    if (!named || named->is_none()) return std::nullopt;
    return sema::axes_named(named, rank);
}

int64_t static_argument(Body& b, const CallInfo& info, size_t parameter) {
    return *b.info(*argument(b, info, parameter)).value->integer();
}

Shape shape_here(Body& b, const sema::Type& type) {
    Shape shape;
    for (const Dim& extent : type.shape()) shape.push_back(dim_in_function(b, extent));
    if (sema::is_complex_tensor(type)) shape.push_back(Dim::constant(2));
    return shape;
}

// The parts of a complex number stay together.
Shape flat(const Shape& shape, bool complex) {
    if (!complex) return {ir::element_count(shape)};
    return {ir::element_count({shape.begin(), shape.end() - 1}), shape.back()};
}

// How many axes of the value the program knows: not that of the parts of complex numbers.
size_t rank_of(Body& b, ValueId value, const sema::Type& type) {
    return b.type_of(value).rank() - (sema::is_complex(type) ? 1 : 0);
}

// Part of an axis.
ValueId part(Body& b, ValueId value, size_t axis, const Dim& begin, const Dim& extent) {
    Block block = whole_block(b, value);
    block.starts[axis] = dim_value(b, begin);
    block.shape[axis] = extent;
    return sliced(b, value, block);
}

ValueId reversed(Body& b, ValueId value, const std::vector<size_t>& axes) {
    Block block = whole_block(b, value);
    for (const size_t axis : axes) {
        block.starts[axis] = dim_value(b, block.shape[axis] - Dim::constant(1));
        block.steps[axis] = -1;
    }
    return sliced(b, value, block);
}

// What leaves the end comes in at the beginning: the last elements stand before the first ones.
ValueId rolled(Body& b, ValueId value, int64_t shift, size_t axis) {
    const Dim extent = b.type_of(value).shape[axis], by = Dim::constant(shift);
    const Dim period = Dim::maximum(extent, Dim::constant(1));  // an axis of nothing has nothing to move
    const Dim moved = by - period * Dim::floor_quotient(by, period);
    const Dim kept = extent - moved;
    return joined(b, {part(b, value, axis, kept, moved), part(b, value, axis, Dim(), kept)}, axis);
}

ValueId repeated(Body& b, ValueId value, int64_t times, size_t axis) {
    Shape shape = b.type_of(value).shape;
    std::vector<int64_t> places;
    for (size_t i = 0; i < shape.size(); ++i) places.push_back(static_cast<int64_t>(i + (i > axis ? 1 : 0)));
    Shape merged = shape;
    merged[axis] = merged[axis] * Dim::constant(times);
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis) + 1, Dim::constant(times));
    return reshaped(b, b.emit.inferred(OpKind::expand, {value}, {{Attr::axes, places}, {Attr::shape, shape}}), merged);
}

// ---- several tensors ----
// Numbers become tensors of one element.
std::vector<ValueId> items_of(Body& b, const CallInfo& info, DType elem) {
    const ast::Expr& of = *argument(b, info, 0);
    const auto* list = std::get_if<ast::List>(&of.node);
    const auto* tuple = std::get_if<ast::Tuple>(&of.node);
    std::vector<ValueId> items;
    const auto add = [&](const Val& item) {
        const bool tensor = item.is_ssa() && !b.type_of(item.id).is_scalar();
        const std::vector<Dim> one{Dim::constant(1)};
        items.push_back(tensor ? item.id : b.emit.inferred(OpKind::full, {b.scalar(item, elem)}, {{Attr::shape, one}}));
    };
    if (list || tuple) {
        for (const ast::Expr* item : list ? list->elements : tuple->elements) add(b.rounded(expression(b, *item)));
        return items;
    }
    const Val whole = expression(b, of);
    for (size_t i = 0; i < whole.element_count(); ++i) add(b.rounded(whole.element(i)));
    return items;
}

ValueId stacked(Body& b, std::vector<ValueId> items, size_t axis, bool numbers) {
    if (numbers) return joined(b, std::move(items), 0);
    Shape shape = b.type_of(items[0]).shape;
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), Dim::constant(1));
    for (ValueId& item : items) item = reshaped(b, item, shape);
    return joined(b, std::move(items), axis);
}

Val divided(Body& b, const ast::Expr& e, const CallInfo& info, ValueId value) {
    const size_t axis = movement_axis(b, info, 2, rank_of(b, value, b.info(e).type.parts().at(0)));
    Val parts = Val::tuple({});
    Dim begin;
    for (const sema::Type& type : b.info(e).type.parts()) {
        const Dim extent = dim_in_function(b, type.shape()[axis]);
        parts.parts.push_back(Val::ssa(part(b, value, axis, begin, extent), type.elem()));
        begin = begin + extent;
    }
    return parts;
}

// ---- borders ----
// Elements of the axis once more: of "edge" the first or last, of "reflect" those beside them in reverse order.
ValueId border(Body& b, ValueId value, size_t axis, int64_t count, bool behind, bool reflects) {
    const Dim extent = b.type_of(value).shape[axis], width = Dim::constant(count), one = Dim::constant(1);
    if (reflects) {
        const ValueId beside = part(b, value, axis, behind ? extent - one - width : one, width);
        return reversed(b, beside, {axis});
    }
    Shape shape = b.type_of(value).shape;
    shape[axis] = width;
    std::vector<int64_t> places;
    for (size_t i = 0; i < shape.size(); ++i) places.push_back(static_cast<int64_t>(i));
    const ValueId last = part(b, value, axis, behind ? extent - one : Dim(), one);
    return b.emit.inferred(OpKind::expand, {last}, {{Attr::axes, places}, {Attr::shape, shape}});
}

void require_elements(Body& b, const Dim& extent, int64_t least, const std::string& mode) {
    if (ir::is_never_negative(extent - Dim::constant(least))) return;
    const ValueId have = dim_value(b, extent);
    const ValueId enough = b.emit.inferred(OpKind::ge, {have, b.emit.constant(least, DType::index)});
    b.emit.op(OpKind::assert_, {enough, have},
              {{Attr::text, "`pad` of mode \"" + mode + "\" needs " + std::to_string(least) +
                                " elements along an axis, there are {}"}});
}

ValueId padded(Body& b, const CallInfo& info, const Val& x, const sema::Type& type) {
    const ast::Expr* written_mode = argument(b, info, 3);
    const std::string mode = written_mode ? *b.info(*written_mode).value->string() : "constant";
    ValueId value = b.rounded(x).id;
    const Shape from = b.type_of(value).shape;
    const auto widths = *sema::pad_widths(*b.info(*argument(b, info, 1)).value, from.size());
    if (mode == "constant") {
        const ast::Expr* fill = argument(b, info, 2);
        const Val around = fill ? expression(b, *fill) : Val::of(sema::Static::of(int64_t{0}));
        std::vector<ValueId> operands{value, b.scalar(b.rounded(around), type.elem())};
        Shape shape = from;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            shape[axis] = shape[axis] + Dim::constant(widths[axis].before + widths[axis].behind);
            operands.push_back(b.emit.constant(widths[axis].before, DType::index));
        }
        return b.emit.inferred(OpKind::pad, std::move(operands), {{Attr::shape, shape}});
    }
    const bool reflects = mode == "reflect";
    for (size_t axis = 0; axis < from.size(); ++axis) {
        const int64_t most = std::max(widths[axis].before, widths[axis].behind);
        if (most == 0) continue;
        require_elements(b, from[axis], reflects ? most + 1 : 1, mode);
        std::vector<ValueId> parts;
        if (widths[axis].before > 0) parts.push_back(border(b, value, axis, widths[axis].before, false, reflects));
        parts.push_back(value);
        if (widths[axis].behind > 0) parts.push_back(border(b, value, axis, widths[axis].behind, true, reflects));
        value = joined(b, std::move(parts), axis);
    }
    return value;
}

ValueId repeated_to(Body& b, const ast::Expr& e, const CallInfo& info, ValueId value) {
    // Extents that the expression binds are bound in the host function.
    if (b.takes_operands()) (void)expression(b.operands->host, *argument(b, info, 1));
    const Shape shape = shape_here(b, b.info(e).type);
    const size_t rank = b.type_of(value).rank();
    std::vector<int64_t> places;
    for (size_t i = 0; i < rank; ++i) places.push_back(static_cast<int64_t>(shape.size() - rank + i));
    return b.emit.inferred(OpKind::expand, {value}, {{Attr::axes, places}, {Attr::shape, shape}});
}

ValueId along_one_axis(Body& b, const CallInfo& info, ValueId value, const sema::Type& type) {
    const auto axes = movement_axes(b, info, 2, rank_of(b, value, type));
    const int64_t number = static_argument(b, info, 1);
    const bool rolls = info.builtin == Builtin::roll;
    if (axes) return rolls ? rolled(b, value, number, axes->front()) : repeated(b, value, number, axes->front());
    const ValueId all = reshaped(b, value, flat(b.type_of(value).shape, sema::is_complex(type)));
    return rolls ? reshaped(b, rolled(b, all, number, 0), shape_here(b, type)) : repeated(b, all, number, 0);
}

// Where axes of one element alone move, the elements stay where they are.
ValueId transposed(Body& b, ValueId value, const std::vector<int64_t>& axes) {
    const Shape& from = b.type_of(value).shape;
    Shape to;
    std::vector<int64_t> longer;
    for (const int64_t axis : axes) {
        to.push_back(from[static_cast<size_t>(axis)]);
        if (to.back().constant_value() != 1) longer.push_back(axis);
    }
    if (std::ranges::is_sorted(longer)) return reshaped(b, value, to);
    return b.emit.inferred(OpKind::transpose, {value}, {{Attr::axes, axes}});
}

ValueId moved(Body& b, const ast::Expr& e, const CallInfo& info, ValueId value) {
    const sema::Type& type = b.info(e).type;
    const size_t rank = rank_of(b, value, type);
    switch (info.builtin) {
        case Builtin::transpose:
        case Builtin::swapaxes:
        case Builtin::moveaxis: {
            std::vector<int64_t> axes = *sema::permutation(b.instance(), info, rank);
            if (sema::is_complex(type)) axes.push_back(static_cast<int64_t>(rank));
            return transposed(b, value, axes);
        }
        case Builtin::broadcast_to:
            return repeated_to(b, e, info, value);
        case Builtin::flip: {
            std::vector<size_t> axes(rank);
            for (size_t i = 0; i < rank; ++i) axes[i] = i;
            return reversed(b, value, movement_axes(b, info, 1, rank).value_or(axes));
        }
        case Builtin::roll:
        case Builtin::repeat:
            return along_one_axis(b, info, value, type);
        default:
            return reshaped(b, value, shape_here(b, type));
    }
}

}  // namespace

std::optional<Val> graph_movement(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    switch (info.builtin) {
        case Builtin::concat:
        case Builtin::stack: {
            const std::vector<ValueId> items = items_of(b, info, type.elem());
            const At at(b.emit, e.span);
            const size_t axis = movement_axis(b, info, 1, type.rank());
            const ValueId made =
                info.builtin == Builtin::stack ? stacked(b, items, axis, type.rank() == 1) : joined(b, items, axis);
            return Val::ssa(made, type.elem());
        }
        case Builtin::einsum:
            return einsum(b, e, info);
        case Builtin::pad: {
            const Val x = argument_value(b, info, 0);
            const At at(b.emit, e.span);
            return Val::ssa(padded(b, info, x, type), type.elem());
        }
        case Builtin::split: {
            const Val x = b.rounded(argument_value(b, info, 0));
            const At at(b.emit, e.span);
            return divided(b, e, info, x.id);
        }
        case Builtin::transpose:
        case Builtin::swapaxes:
        case Builtin::moveaxis:
        case Builtin::expand_dims:
        case Builtin::squeeze:
        case Builtin::flatten:
        case Builtin::broadcast_to:
        case Builtin::flip:
        case Builtin::roll:
        case Builtin::repeat:
        case Builtin::reshape: {
            // Elements that are not rounded yet stay so.
            const Val x = argument_value(b, info, 0);
            const At at(b.emit, e.span);
            return Val::ssa(moved(b, e, info, x.id), type.elem());
        }
        default:
            return std::nullopt;
    }
}

}  // namespace tsr::elaborate
