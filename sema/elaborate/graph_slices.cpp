#include "sema/elaborate/graph_slices.h"

#include <algorithm>

#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/recursion.h"
#include "sema/program/movements.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;

namespace {

ValueId zero(Body& b) { return b.emit.constant(int64_t{0}, DType::index); }

// Ends the program where the condition does not hold.
void require(Body& b, ValueId condition, std::vector<ValueId> values, const std::string& text) {
    values.insert(values.begin(), condition);
    b.emit.op(OpKind::assert_, std::move(values), {{Attr::text, text}});
}

ValueId both(Body& b, ValueId one, ValueId other) { return b.emit.inferred(OpKind::bit_and, {one, other}); }

std::optional<Dim> known(Body& b, const ast::Expr* bound) {
    const auto dim = sema::bound_of_slice(b.instance(), bound);
    return dim ? std::optional(dim_in_function(b, *dim)) : std::nullopt;
}

// The place that a single index names, one below 0 from the end.
ValueId element_index(Body& b, const ast::Expr& e, const Dim& extent) {
    const std::string text = "index {} is outside of an axis of {} elements";
    auto dim = known(b, &e);
    const Val value = dim ? Val{} : expression(b, e);
    // The index of a loop that is unrolled.
    if (value.is_fixed() && value.fixed.integer()) dim = Dim::constant(*value.fixed.integer());
    if (dim) {
        const auto number = dim->constant_value();
        const bool from_end = number && *number < 0;
        const Dim at = from_end ? extent + *dim : *dim;
        const ValueId index = dim_value(b, at);
        const bool inside = ir::is_never_negative(at) && ir::is_never_negative(extent - at - Dim::constant(1));
        if (!inside) {
            const ValueId size = dim_value(b, extent);
            const ValueId fits =
                both(b, b.emit.inferred(OpKind::ge, {index, zero(b)}), b.emit.inferred(OpKind::lt, {index, size}));
            require(b, fits, {dim_value(b, *dim), size}, text);
        }
        return index;
    }
    const ValueId given = b.index(value), size = dim_value(b, extent);
    const ValueId from_end = b.emit.inferred(OpKind::lt, {given, zero(b)});
    const ValueId at = b.emit.inferred(OpKind::select, {from_end, b.emit.inferred(OpKind::add, {given, size}), given});
    const ValueId fits = both(b, b.emit.inferred(OpKind::ge, {at, zero(b)}), b.emit.inferred(OpKind::lt, {at, size}));
    require(b, fits, {given, size}, text);
    return at;
}

void require_slice(Body& b, ValueId start, const Dim& taken, const Dim& extent) {
    const ValueId end = b.emit.inferred(OpKind::add, {start, dim_value(b, taken)}), size = dim_value(b, extent);
    const ValueId in_order =
        both(b, b.emit.inferred(OpKind::ge, {start, zero(b)}), b.emit.inferred(OpKind::le, {start, end}));
    require(b, both(b, in_order, b.emit.inferred(OpKind::le, {end, size})), {start, end, size},
            "the slice from {} to {} is outside of an axis of {} elements");
}

// `taken`: how many elements the checker found.
void add_slice(Body& b, Block& block, size_t axis, const ast::Slice& slice, const Dim& taken) {
    const Dim extent = block.shape[axis];
    const int64_t step = slice.step ? *b.info(*slice.step).value->integer() : 1;
    const auto lower = known(b, slice.lower), upper = known(b, slice.upper);
    block.steps[axis] = step;
    if ((slice.lower && !lower) || (slice.upper && !upper)) {
        block.starts[axis] = slice.lower ? b.index(expression(b, *slice.lower)) : zero(b);
        block.shape[axis] = taken;
        return require_slice(b, block.starts[axis], taken, extent);
    }
    const sema::SlicedAxis part = sema::sliced_axis(extent, lower, upper, step);
    block.starts[axis] = dim_value(b, part.start);
    block.shape[axis] = part.extent;
    if (!part.sure) require_slice(b, block.starts[axis], part.extent, extent);
}

}  // namespace

TensorBlock tensor_block(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items,
                         const sema::Type& type) {
    TensorBlock made{.block = whole_block(b, tensor.id), .shape = {}};
    Block& block = made.block;
    std::vector<Dim>& result = made.shape;
    const std::vector<Dim> from = block.shape;
    const auto names_axis = [](const ast::Expr* item) {
        return !std::holds_alternative<ast::NoneLiteral>(item->node) &&
               !std::holds_alternative<ast::EllipsisLiteral>(item->node);
    };
    const auto named = static_cast<size_t>(std::ranges::count_if(items, names_axis));
    size_t axis = 0;
    for (const ast::Expr* item : items) {
        if (std::holds_alternative<ast::NoneLiteral>(item->node)) {
            result.push_back(Dim::constant(1));
        } else if (std::holds_alternative<ast::EllipsisLiteral>(item->node)) {
            const size_t axes =
                from.size() - (sema::is_complex(type) ? 1 : 0);  // that of the parts is not the program's
            for (size_t i = 0; i < axes - named; ++i) result.push_back(from[axis++]);
        } else if (const auto* slice = std::get_if<ast::Slice>(&item->node)) {
            add_slice(b, block, axis, *slice, dim_in_function(b, type.shape()[result.size()]));
            result.push_back(block.shape[axis++]);
        } else {
            block.starts[axis] = element_index(b, *item, from[axis]);
            block.shape[axis++] = Dim::constant(1);
        }
    }
    while (axis < from.size()) result.push_back(from[axis++]);
    made.whole = block.shape == from && std::ranges::all_of(block.steps, [](int64_t step) { return step == 1; });
    return made;
}

Val taken(Body& b, const Val& tensor, const TensorBlock& block, const sema::Type& type) {
    const ValueId part = block.whole ? tensor.id : sliced(b, tensor.id, block.block);
    const ValueId given = reshaped(b, part, block.shape);
    if (sema::is_complex_number(type)) return parts_of_pair(b, given);
    return Val::ssa(given, tensor.type.value_or(type.elem()));
}

Val updated(Body& b, const Val& tensor, const TensorBlock& block, const Val& value) {
    const Val whole = b.rounded(tensor);
    const DType elem = b.type_of(whole.id).elem;
    const Val given = b.rounded(value);
    const std::vector<Dim>& shape = block.block.shape;
    if (block.whole && !block.shape.empty())
        return Val::ssa(reshaped(b, b.tile(given, elem, block.shape), shape), elem);
    const ValueId put =
        block.shape.empty() ? b.tile(given, elem, shape) : reshaped(b, b.tile(given, elem, block.shape), shape);
    std::vector<ValueId> operands{whole.id, put};
    operands.insert(operands.end(), block.block.starts.begin(), block.block.starts.end());
    ir::Attrs attrs;
    if (std::ranges::any_of(block.block.steps, [](int64_t step) { return step != 1; }))
        attrs.set(Attr::steps, block.block.steps);
    return Val::ssa(b.emit.inferred(OpKind::update, std::move(operands), std::move(attrs)), elem);
}

}  // namespace tsr::elaborate
