#include "sema/expressions/indexing.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/annotations/annotations.h"
#include "sema/expressions/element_indexing.h"
#include "sema/expressions/graph_slices.h"
#include "sema/expressions/launchers.h"
#include "sema/expressions/local_arrays.h"
#include "sema/expressions/records.h"
#include "sema/expressions/register_tiles.h"
#include "sema/expressions/row_indexing.h"
#include "sema/expressions/stored_parts.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

ir::Dim affine_sum(Body& b, const ast::Expr& e) {
    if (const auto* operation = std::get_if<ast::Binary>(&e.node)) {
        if (operation->op == ast::BinaryOp::add) return affine_sum(b, *operation->lhs) + affine_sum(b, *operation->rhs);
        if (operation->op == ast::BinaryOp::sub) return affine_sum(b, *operation->lhs) - affine_sum(b, *operation->rhs);
        if (operation->op == ast::BinaryOp::mul) return affine_sum(b, *operation->lhs) * affine_sum(b, *operation->rhs);
    }
    const ExprInfo& info = b.instance.info(e);
    if (info.dim) return *info.dim;
    if (info.value && info.value->integer()) return ir::Dim::constant(*info.value->integer());
    return ir::Dim::symbol("$" + b.source(e));
}

void check_index(Body& b, const ast::Expr& e, const Value& v, const ir::Dim& extent) {
    require_integer(b, e, v, "an index");
    auto position = v.value ? v.value->integer() : std::nullopt;
    auto size = extent.constant_value();
    if (!position || b.rules().counts_from_end) {
        if (!position || !size || (*position < *size && *position >= -*size)) return;
    }
    if (*position < 0 && !b.rules().counts_from_end) {
        b.error("E0323", e.span,
                fmt::format("index {} is outside: in kernels no index is counted from the end", *position));
    } else if (size && (*position >= *size || *position < -*size)) {
        b.error("E0323", e.span, fmt::format("index {} is outside: the axis has {} elements", *position, *size));
    }
}

// One axis of a view, in kernels; nothing after a message.
static std::optional<ViewAxis> view_axis(Body& b, const ast::Expr& index, const ir::Dim& extent) {
    const auto* slice = std::get_if<ast::Slice>(&index.node);
    if (!slice) {
        check_index(b, index, expression(b, index), extent);
        return ViewAxis{};
    }
    for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
        if (!bound) continue;
        Value v = expression(b, *bound);
        require_integer(b, *bound, v, "a bound of a slice");
        if (v.broken()) return std::nullopt;
    }
    if (slice->step) {
        const auto& step = b.instance.info(*slice->step).value;
        if (!step || step->integer() != 1) {
            b.error("E0324", slice->step->span, "views in kernels have step 1");
            return std::nullopt;
        }
    }
    ir::Dim lower = slice->lower ? affine_sum(b, *slice->lower) : ir::Dim::constant(0);
    ir::Dim upper = slice->upper ? affine_sum(b, *slice->upper) : extent;
    ViewAxis axis;
    axis.whole = !slice->lower && !slice->upper;
    axis.extent = (upper - lower).constant_value();
    if (axis.whole) return axis;
    if (!axis.extent) {
        b.error(
             "E0324", index.span,
             fmt::format("the extent of a view must be static, here it is {}",
                         (upper - lower).text().find('$') == std::string::npos ? (upper - lower).text() : "not known"))
            .note("write the same start on both sides: `t:t+128`");
        return std::nullopt;
    }
    if (*axis.extent <= 0) {
        b.error("E0324", index.span, fmt::format("the extent of a view must be positive, here it is {}", *axis.extent));
        return std::nullopt;
    }
    return axis;
}

// NumPy's indices: numbers, slices, `None` for a new axis, one `...` for the axes that are not named.
static Value host_index(Body& b, const ast::Expr& e, const Value& base, const std::vector<const ast::Expr*>& indices,
                        size_t unnamed) {
    std::vector<ir::Dim> shape = base.type.shape(), result_shape;
    bool broken = false, rest_seen = false;
    size_t i = 0;  // the axis that the next index is for
    for (const ast::Expr* index : indices) {
        if (std::holds_alternative<ast::NoneLiteral>(index->node)) {
            result_shape.push_back(ir::Dim::constant(1));
            continue;
        }
        if (std::holds_alternative<ast::EllipsisLiteral>(index->node)) {
            if (rest_seen) {
                b.error("E0310", index->span, "an index has one `...`");
                return {};
            }
            rest_seen = true;
            for (size_t k = 0; k < unnamed; ++k) result_shape.push_back(shape[i++]);
            continue;
        }
        const size_t axis = i++;
        const auto* slice = std::get_if<ast::Slice>(&index->node);
        if (!slice) {
            Value v = expression(b, *index);
            check_index(b, *index, v, shape[axis]);
            broken |= v.broken();
            continue;
        }
        bool plain = !slice->step;
        for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
            if (!bound) continue;
            Value v = expression(b, *bound);
            require_integer(b, *bound, v, "a bound of a slice");
            broken |= v.broken();
        }
        if (const auto& step = slice->step ? b.instance.info(*slice->step).value : std::nullopt;
            step && step->integer() == 0) {
            b.error("E0334", slice->step->span, "the step is zero");
            broken = true;
            continue;
        }
        if (!b.rules().has_elements && !broken) {
            const auto extent = graph_slice(b, *index, shape[axis]);
            broken |= !extent;
            result_shape.push_back(extent.value_or(shape[axis]));
            continue;
        }
        if (!slice->lower && !slice->upper && plain) {
            result_shape.push_back(shape[axis]);
            continue;
        }
        // NumPy limits bounds to the axis: only what lies inside for certain has a known extent.
        auto bound = [&](const ast::Expr* written, std::optional<int64_t> otherwise) {
            if (!written) return otherwise;
            const auto& value = b.instance.info(*written).value;
            return value ? value->integer() : std::nullopt;
        };
        auto lower = bound(slice->lower, 0), upper = bound(slice->upper, shape[axis].constant_value()),
             size = shape[axis].constant_value();
        if (plain && lower && upper && size && 0 <= *lower && *lower <= *upper && *upper <= *size) {
            result_shape.push_back(ir::Dim::constant(*upper - *lower));
        } else {
            result_shape.push_back(fresh_symbol(b, "extent", e, result_shape.size()));
        }
    }
    if (broken) return {};
    while (i < shape.size()) result_shape.push_back(shape[i++]);
    Value result;
    if (result_shape.empty() && (!rest_seen || !b.rules().has_elements)) {
        result.type = Type::scalar(base.type.elem()).carrying(base.type.policy());
    } else if (!b.rules().has_elements) {
        result.type = new_tensor(element_type(base.type), std::move(result_shape));
    } else {
        result.type = base.type.with_shape(std::move(result_shape));
    }
    return result;
}

static Value memory_index(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    if (!require_untransposed(b, *s.base, base.type)) return {};
    std::vector<const ast::Expr*> indices = flat_indices(s);
    size_t named = 0;  // axes of the tensor that an index stands for
    for (const ast::Expr* index : indices) {
        const bool new_axis = std::holds_alternative<ast::NoneLiteral>(index->node);
        const bool rest = std::holds_alternative<ast::EllipsisLiteral>(index->node);
        if (new_axis && !b.rules().tensor_values) {
            b.error("E0310", index->span, "memory has no new axis: a register tile gets one")
                .note("`tile.load(view)[:, None]`");
            return {};
        }
        if (!new_axis && (!rest || !b.rules().tensor_values)) ++named;
    }
    std::vector<ir::Dim> shape = base.type.shape();
    if (named > shape.size()) {
        b.error("E0310", e.span, fmt::format("{} indices for {} of rank {}", named, shown(base.type), shape.size()))
            .label(s.base->span, base.type.text());
        return {};
    }
    if (b.rules().tensor_values) return host_index(b, e, base, indices, shape.size() - named);
    std::vector<ViewAxis> axes;
    bool element = indices.size() == shape.size(), broken = false;
    for (size_t i = 0; i < indices.size(); ++i) {
        auto axis = view_axis(b, *indices[i], shape[i]);
        broken |= !axis || (!is_slice(*indices[i]) && b.instance.type(*indices[i]).is_unknown());
        element &= !is_slice(*indices[i]);
        if (axis) axes.push_back(*axis);
    }
    if (broken) return {};
    Value result;
    if (element) {
        result.type = Type::scalar(base.type.elem());
        if (base.type.is(Kind::tensor)) result.type = result.type.carrying(base.type.policy());
        return result;
    }
    while (axes.size() < shape.size()) axes.push_back({shape[axes.size()].constant_value(), true});
    result.type = Type::view(base.type, std::move(axes));
    return result;
}

Value subscript(Body& b, const ast::Expr& e, const ast::Subscript& s) {
    Value base = expression(b, *s.base);
    for (const ast::Expr* index : flat_indices(s)) {
        // They stand for axes, whatever is indexed.
        const bool axes = std::holds_alternative<ast::NoneLiteral>(index->node) ||
                          std::holds_alternative<ast::EllipsisLiteral>(index->node);
        if (axes) expression(b, *index);
    }
    if (base.broken()) {
        for (const ast::Expr* index : s.indices) {
            const auto* slice = std::get_if<ast::Slice>(&index->node);
            if (!slice) expression(b, *index);
            for (const ast::Expr* bound :
                 {slice ? slice->lower : nullptr, slice ? slice->upper : nullptr, slice ? slice->step : nullptr}) {
                if (bound) expression(b, *bound);
            }
        }
        return {};
    }
    switch (base.type.kind()) {
        case Kind::tensor:
            if (const auto elements = elements_by_lists(b, e, s, base)) return *elements;
            if (const auto ids = row_ids(b, s)) return rows_by_ids(b, e, s, base, *ids);
            if (const auto elements = elements_by_ids(b, e, s, base)) return *elements;
            if (Value of = memory_index(b, e, s, base); !is_complex(base.type) || !of.type.is(Kind::view)) return of;
            return b.refuse(Feature::host, e.span, "a view of complex numbers in a kernel is");
        case Kind::buffer:
            return memory_index(b, e, s, base);
        case Kind::dict:
            return dict_index(b, e, s, base);
        case Kind::string:
            if (!b.rules().host_objects) break;
            return sequence_index(b, e, s, base);
        case Kind::list:
        case Kind::tuple:
        case Kind::vector:
            return sequence_index(b, e, s, base);
        case Kind::local:
            return local_array_index(b, e, flat_indices(s), base);
        case Kind::tile:
            return tile_index(b, e, flat_indices(s), base);
        case Kind::function:
            return launch_groups(b, e, s, base.type.function_id());
        case Kind::dtype:
        case Kind::builtin:
            return written_type(b, e);
        case Kind::unknown:
        case Kind::none:
        case Kind::int_literal:
        case Kind::float_literal:
        case Kind::scalar:
        case Kind::view:
        case Kind::range:
        case Kind::launcher:
        case Kind::name_space:
        case Kind::module:
        case Kind::type:
        case Kind::context:
            break;
        case Kind::record:
            if (stored_form(b, base.type)) return part_of_stored(b, e, s, base);
            if (!base.type.is_keyed_dict()) break;
            return keyed_item(b, e, s, base);
    }
    const auto indices = flat_indices(s);
    const bool new_axes = std::ranges::all_of(
        indices, [](const ast::Expr* index) { return std::holds_alternative<ast::NoneLiteral>(index->node); });
    if (new_axes && b.rules().tensor_values && (base.type.is_number() || base.type.is_bool()))
        return expanded_number(b, e, *s.base, indices.size());
    b.error("E0310", e.span, fmt::format("{} is not indexed", shown(base.type)));
    return {};
}

}  // namespace tsr::sema
