#include "sema/expressions/register_tiles.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

// More than this is no value that a group holds.
constexpr int64_t kMostTileElements = int64_t{1} << 24;

std::optional<Type> tile_type(Body& b, Span at, DType elem, std::vector<int64_t> shape) {
    if (elem == DType::c64) {
        b.refuse(Feature::host, at, "complex numbers are");
        return std::nullopt;
    }
    if (shape.empty()) {
        b.error("E0418", at, "a register tile has an axis at least").note("one element by itself is a scalar");
        return std::nullopt;
    }
    int64_t count = 1;
    for (int64_t extent : shape) {
        if (!__builtin_mul_overflow(count, extent, &count) && count <= kMostTileElements) continue;
        b.error("E0418", at, fmt::format("a register tile has at most {} elements", kMostTileElements));
        return std::nullopt;
    }
    return Type::tile(elem, std::move(shape));
}

std::optional<int64_t> tile_axis(Body& b, const ast::Expr& e, size_t rank) {
    const auto axis = static_integer(b, e, "an axis");
    if (!axis) return std::nullopt;
    const auto count = static_cast<int64_t>(rank);
    if (*axis >= -count && *axis < count) return *axis < 0 ? *axis + count : *axis;
    b.error("E0418", e.span,
            fmt::format("the tile has {} ax{}, there is no axis {}", count, count == 1 ? "is" : "es", *axis));
    return std::nullopt;
}

std::optional<Type> viewed_tile(Body& b, const ast::Expr& e, const Type& view) {
    if (view.is(Kind::buffer) && !require_untransposed(b, e, view)) return std::nullopt;
    std::vector<int64_t> shape;
    for (const ir::Dim& extent : view.shape()) {
        const auto known = extent.constant_value();
        if (!known) {
            b.error("E0324", e.span, fmt::format("the extent of a view must be static, here it is {}", extent.text()))
                .note("a view with a static extent may reach over the end: what is outside is filled with 0");
            return std::nullopt;
        }
        shape.push_back(*known);
    }
    auto type = tile_type(b, e.span, view.elem(), std::move(shape));
    return type ? std::optional(type->carrying(view.policy())) : std::nullopt;
}

bool require_untransposed(Body& b, const ast::Expr& e, const Type& memory) {
    if (!memory.is(Kind::buffer) || !memory.buffer().transposed) return true;
    b.error("E0310", e.span, "a transposed buffer is an operand of `tile.mma` only")
        .note("`tile.load(buffer).T` is a register tile");
    return false;
}

void offer_load(Body& b, Diagnostic& d, const ast::Expr& e, const Type& type) {
    if (!b.rules().in_group) return;
    if (type.is(Kind::view) || type.is(Kind::buffer)) {
        const std::string replacement = fmt::format("tile.load({})", b.source(e));
        d.suggest(e.span, replacement, fmt::format("load it: `{}`", replacement));
    }
}

bool require_broadcast(Body& b, const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r, Span at,
                       const std::string& what) {
    if (!l.type.is(Kind::tile) || !r.type.is(Kind::tile)) {
        const bool mixed =
            (l.type.is(Kind::tile) && r.type.is(Kind::vector)) || (l.type.is(Kind::vector) && r.type.is(Kind::tile));
        if (!mixed) return true;
        b.error("E0308", at, fmt::format("{} is not defined for {} and {}", what, shown(l.type), shown(r.type)))
            .label(le.span, shown(l.type))
            .label(re.span, shown(r.type));
        return false;
    }
    const std::vector<int64_t>&left = l.type.tile_shape(), &right = r.type.tile_shape();
    if (broadcast(left, right)) return true;
    size_t back = 1;  // counted from the last axis
    while (left[left.size() - back] == right[right.size() - back] || left[left.size() - back] == 1 ||
           right[right.size() - back] == 1)
        ++back;
    auto& d = b.error("E0312", at,
                      fmt::format("{} of {} and {}: axis {} has {} and {} elements", what, shown(l.type), shown(r.type),
                                  -static_cast<int64_t>(back), left[left.size() - back], right[right.size() - back]));
    d.label(le.span, shown(l.type)).label(re.span, shown(r.type));
    // One value per row beside the rows.
    for (const auto& [column, shape, rows] : {std::tuple(&le, &left, &right), std::tuple(&re, &right, &left)}) {
        std::vector<int64_t> kept = *rows;
        kept.pop_back();
        if (shape->size() + 1 != rows->size() || !repeats_to(*shape, kept)) continue;
        const bool name = std::holds_alternative<ast::Name>(column->node);
        const std::string indices = shape->size() == 1 ? "[:, None]" : "[..., None]";
        const std::string written = name ? b.source(*column) + indices : "(" + b.source(*column) + ")" + indices;
        d.suggest(column->span, written, fmt::format("a new last axis has one value per row: `{}`", written));
        break;
    }
    return false;
}

Value tile_index(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base) {
    const std::vector<int64_t>& shape = base.type.tile_shape();
    std::vector<int64_t> result;
    size_t named = 0;
    bool rest_seen = false;
    for (const ast::Expr* index : indices) {
        const auto* slice = std::get_if<ast::Slice>(&index->node);
        named += slice != nullptr;
        if (std::holds_alternative<ast::NoneLiteral>(index->node)) continue;
        if (slice && !slice->lower && !slice->upper && !slice->step) continue;
        if (std::holds_alternative<ast::EllipsisLiteral>(index->node) && !rest_seen) {
            rest_seen = true;
            continue;
        }
        if (!slice && expression(b, *index).broken()) return {};
        b.error("E0310", index->span, "a register tile is indexed by `:` and `None` only")
            .note(
                "the group holds it as a whole: `tile.load` a smaller view, `tile.reduce` an axis, or store the "
                "tile and read the memory");
        return {};
    }
    if (named > shape.size()) {
        b.error("E0310", e.span, fmt::format("{} axes of {}", named, shown(base.type)));
        return {};
    }
    size_t axis = 0;
    for (const ast::Expr* index : indices) {
        if (std::holds_alternative<ast::NoneLiteral>(index->node)) {
            result.push_back(1);
        } else if (std::holds_alternative<ast::EllipsisLiteral>(index->node)) {
            for (size_t left = shape.size() - named; left > 0; --left) result.push_back(shape[axis++]);
        } else {
            result.push_back(shape[axis++]);
        }
    }
    while (axis < shape.size()) result.push_back(shape[axis++]);
    Value value;
    value.type = Type::tile(base.type.elem(), std::move(result)).carrying(base.type.policy());
    return value;
}

// A row of a packed tensor ends with a byte of its own; a part of a row is to be whole bytes.
static bool require_whole_bytes(Body& b, const ast::Expr& target, const Type& view) {
    if (!view.is(Kind::view) || !is_packed(view.elem()) || view.parts()[0].is(Kind::buffer)) return true;
    const ViewAxis& last = view.axes().back();
    if (last.whole || (last.extent && *last.extent * bits(view.elem()) % 8 == 0)) return true;
    b.error("E0322", target.span,
            fmt::format("{} element{} of a row of `{}` {} not whole bytes", last.extent.value_or(1),
                        last.extent.value_or(1) == 1 ? "" : "s", tsr::name(view.elem()),
                        last.extent.value_or(1) == 1 ? "is" : "are"));
    return false;
}

bool require_stores(Body& b, const ast::Expr& target, const Type& view, const ast::Expr& e, const Value& value) {
    b.name_group(target.span, "register tile");
    const auto stored = viewed_tile(b, target, view);
    if (!stored || value.broken()) return false;
    if (!require_whole_bytes(b, target, view)) return false;
    if (value.type.is(Kind::tile) && !repeats_to(value.type.tile_shape(), stored->tile_shape())) {
        b.error("E0312", e.span, fmt::format("{} does not fill {}", shown(value.type), shown(view)))
            .label(target.span, shown(view));
        return false;
    }
    Value element = value;
    element.type = element_type(value.type);
    if (value.type.is(Kind::vector) || (!element.type.is_number() && !element.type.is_bool())) {
        auto& d = b.error(
            "E0302", e.span,
            fmt::format("a register tile or a scalar is stored in {}, this is {}", shown(view), shown(value.type)));
        d.label(target.span, shown(view));
        offer_load(b, d, e, value.type);
        return false;
    }
    return require_converts(b, e, element, element_type(*stored), fmt::format("an element of {}", shown(view)));
}

}  // namespace tsr::sema
