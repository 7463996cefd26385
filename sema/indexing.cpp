// Indexing: elements, views and buffers of a list in kernels; elements and slices on the host.
#include <fmt/format.h>

#include "sema/body.h"
#include "sema/static_tables.h"

namespace tsr::sema {

namespace {

bool is_slice(const ast::Expr& e) { return std::holds_alternative<ast::Slice>(e.node); }

// A[i, j] and A[(i, j)] are one thing.
std::vector<const ast::Expr*> flat_indices(const ast::Subscript& s) {
    if (s.indices.size() == 1) {
        if (const auto* tuple = std::get_if<ast::Tuple>(&s.indices[0]->node)) return tuple->elements;
    }
    return s.indices;
}

}  // namespace

ir::Dim Body::affine(const ast::Expr& e) {
    if (const auto* b = std::get_if<ast::Binary>(&e.node)) {
        if (b->op == ast::BinaryOp::add) return affine(*b->lhs) + affine(*b->rhs);
        if (b->op == ast::BinaryOp::sub) return affine(*b->lhs) - affine(*b->rhs);
        if (b->op == ast::BinaryOp::mul) return affine(*b->lhs) * affine(*b->rhs);
    }
    const ExprInfo& info = instance.info(e);
    if (info.dim) return *info.dim;
    if (info.value && info.value->integer()) return ir::Dim::constant(*info.value->integer());
    return ir::Dim::symbol("$" + source(e));
}

void Body::check_index(const ast::Expr& e, const Value& v, const ir::Dim& extent) {
    require_integer(e, v, "an index");
    auto position = v.value ? v.value->integer() : std::nullopt;
    auto size = extent.constant_value();
    if (!position || !in_kernel()) {
        if (!position || !size || (*position < *size && *position >= -*size)) return;
    }
    if (*position < 0 && in_kernel()) {
        error("E0323", e.span,
              fmt::format("index {} is outside: in kernels no index is counted from the end", *position));
    } else if (size && (*position >= *size || *position < -*size)) {
        error("E0323", e.span, fmt::format("index {} is outside: the axis has {} elements", *position, *size));
    }
}

// One axis of a view, in kernels; nothing after a message.
std::optional<ViewAxis> Body::view_axis(const ast::Expr& index, const ir::Dim& extent) {
    const auto* slice = std::get_if<ast::Slice>(&index.node);
    if (!slice) {
        check_index(index, expr(index), extent);
        return ViewAxis{};
    }
    for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
        if (!bound) continue;
        Value v = expr(*bound);
        require_integer(*bound, v, "a bound of a slice");
        if (v.broken()) return std::nullopt;
    }
    if (slice->step) {
        const auto& step = instance.info(*slice->step).value;
        if (!step || step->integer() != 1) {
            error("E0324", slice->step->span, "views in kernels have step 1");
            return std::nullopt;
        }
    }
    ir::Dim lower = slice->lower ? affine(*slice->lower) : ir::Dim::constant(0);
    ir::Dim upper = slice->upper ? affine(*slice->upper) : extent;
    ViewAxis axis;
    axis.whole = !slice->lower && !slice->upper;
    axis.extent = (upper - lower).constant_value();
    if (axis.whole) return axis;
    if (!axis.extent) {
        error("E0324", index.span,
              fmt::format("the extent of a view must be static, here it is {}",
                          (upper - lower).text().find('$') == std::string::npos ? (upper - lower).text() : "not known"))
            .note("write the same start on both sides: `t:t+128`");
        return std::nullopt;
    }
    if (*axis.extent <= 0) {
        error("E0324", index.span, fmt::format("the extent of a view must be positive, here it is {}", *axis.extent));
        return std::nullopt;
    }
    return axis;
}

Value Body::subscript(const ast::Expr& e, const ast::Subscript& s) {
    Value base = expr(*s.base);
    if (base.broken()) {
        for (const ast::Expr* index : s.indices) {
            const auto* slice = std::get_if<ast::Slice>(&index->node);
            if (!slice) expr(*index);
            for (const ast::Expr* bound :
                 {slice ? slice->lower : nullptr, slice ? slice->upper : nullptr, slice ? slice->step : nullptr}) {
                if (bound) expr(*bound);
            }
        }
        return {};
    }
    switch (base.type.kind()) {
        case Kind::tensor:
        case Kind::buffer:
            return index_memory(e, s, base);
        case Kind::dict:
            return index_dict(e, s, base);
        case Kind::string:
            if (in_kernel()) break;
            return index_elements(e, s, base);
        case Kind::list:
        case Kind::tuple:
        case Kind::vector:
            return index_elements(e, s, base);
        case Kind::local:
            return index_local(e, flat_indices(s), base);
        case Kind::tile:
            return index_tile(e, flat_indices(s), base);
        case Kind::function:
            return launch_groups(e, s, base.type.function_id());
        case Kind::dtype:
        case Kind::builtin: {
            Annotation written = annotation(e, false);
            Value value;
            if (!written.type.is_unknown()) value.type = Type::type_value(written.type);
            return value;
        }
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
        case Kind::record:
            break;
    }
    error("E0310", e.span, fmt::format("{} is not indexed", shown(base.type)));
    return {};
}

Value Body::index_memory(const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    if (!require_plain(*s.base, base.type)) return {};
    std::vector<const ast::Expr*> indices = flat_indices(s);
    size_t named = 0;  // axes of the tensor that an index stands for
    for (const ast::Expr* index : indices) {
        const bool new_axis = std::holds_alternative<ast::NoneLiteral>(index->node);
        const bool rest = std::holds_alternative<ast::EllipsisLiteral>(index->node);
        if (new_axis && in_kernel()) {
            error("E0310", index->span, "memory has no new axis: a register tile gets one")
                .note("`tile.load(view)[:, None]`");
            return {};
        }
        if (!new_axis && (!rest || in_kernel())) ++named;
    }
    std::vector<ir::Dim> shape = base.type.shape();
    if (named > shape.size()) {
        error("E0310", e.span, fmt::format("{} indices for {} of rank {}", named, shown(base.type), shape.size()))
            .label(s.base->span, base.type.text());
        return {};
    }
    if (!in_kernel()) return index_host(e, base, indices, shape.size() - named);
    std::vector<ViewAxis> axes;
    bool element = indices.size() == shape.size(), broken = false;
    for (size_t i = 0; i < indices.size(); ++i) {
        auto axis = view_axis(*indices[i], shape[i]);
        broken |= !axis || (!is_slice(*indices[i]) && instance.type(*indices[i]).is_unknown());
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

// NumPy's indices: numbers, slices, `None` for a new axis, one `...` for the axes that are not named.
Value Body::index_host(const ast::Expr& e, const Value& base, const std::vector<const ast::Expr*>& indices,
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
                error("E0310", index->span, "an index has one `...`");
                return {};
            }
            rest_seen = true;
            for (size_t k = 0; k < unnamed; ++k) result_shape.push_back(shape[i++]);
            continue;
        }
        const size_t axis = i++;
        const auto* slice = std::get_if<ast::Slice>(&index->node);
        if (!slice) {
            Value v = expr(*index);
            check_index(*index, v, shape[axis]);
            broken |= v.broken();
            continue;
        }
        bool plain = !slice->step;
        for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
            if (!bound) continue;
            Value v = expr(*bound);
            require_integer(*bound, v, "a bound of a slice");
            broken |= v.broken();
        }
        if (!slice->lower && !slice->upper && plain) {
            result_shape.push_back(shape[axis]);
            continue;
        }
        // NumPy limits bounds to the axis: only what lies inside for certain has a known extent.
        auto bound = [&](const ast::Expr* b, std::optional<int64_t> otherwise) {
            if (!b) return otherwise;
            const auto& value = instance.info(*b).value;
            return value ? value->integer() : std::nullopt;
        };
        auto lower = bound(slice->lower, 0), upper = bound(slice->upper, shape[axis].constant_value()),
             size = shape[axis].constant_value();
        if (plain && lower && upper && size && 0 <= *lower && *lower <= *upper && *upper <= *size) {
            result_shape.push_back(ir::Dim::constant(*upper - *lower));
        } else {
            result_shape.push_back(fresh_symbol("extent", e, result_shape.size()));
        }
    }
    if (broken) return {};
    while (i < shape.size()) result_shape.push_back(shape[i++]);
    Value result;
    if (result_shape.empty() && !rest_seen) {
        result.type = Type::scalar(base.type.elem()).carrying(base.type.policy());
    } else {
        result.type = base.type.with_shape(std::move(result_shape));
    }
    return result;
}

// Elements of lists, tuples and vectors. In kernels buffers take a stage number, scalars and vectors a static index.
// `WEIGHTS[k]` in a loop that is unrolled: the elements of the tuple have one type, each round knows its own.
Value Body::element_by_round(const ast::Expr& at, const Value& base) {
    std::optional<Type> joined;
    for (size_t i = 0; i < base.type.parts().size(); ++i) {
        const Type& part = base.type.parts()[i];
        joined = i == 0 ? part : join(*joined, part);
        if (joined) continue;
        error("E0314", at.span, "an index of a tuple of several types must be the same in every round of the loop");
        return {};
    }
    Value result;
    result.type = joined.value_or(Type::unknown());
    return result;
}

// `K[i]` in a kernel, of a module's list and an index that the run knows.
Value Body::table_item(const ast::Expr& at, const Static& table, const Value& base) {
    if (!is_rectangular(table)) {
        error("E0314", at.span, "an index of a list in a kernel must be static")
            .note(
                "a constant of the module is indexed by anything where it is a list of numbers, or of lists of one "
                "length");
        return {};
    }
    constexpr int64_t kMostElements = 16384;
    int64_t count = 1;
    for (const Static* part = &table; part->tuple(); part = &part->tuple()->front())
        count *= static_cast<int64_t>(part->tuple()->size());
    if (count > kMostElements) {
        error("E0420", at.span,
              fmt::format("a constant of {} elements is indexed by what only the run knows: at most {} elements are",
                          count, kMostElements))
            .note("a tensor parameter holds more");
        return {};
    }
    Type item = base.type.parts()[0];
    size_t lists = 0;
    for (; item.is(Kind::list); item = Type(item.parts()[0])) ++lists;
    Value result;
    result.type = Type::scalar(table_element(table));
    const Static* part = &table;
    std::vector<int64_t> lengths;
    for (; part->tuple(); part = &part->tuple()->front())
        lengths.push_back(static_cast<int64_t>(part->tuple()->size()));
    for (size_t i = 0; i < lists; ++i) result.type = Type::list(result.type, lengths[lengths.size() - 1 - i]);
    return result;
}

Value Body::index_elements(const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    std::vector<const ast::Expr*> indices = flat_indices(s);
    const bool sliced = !in_kernel() && (base.type.is(Kind::list) || base.type.is(Kind::string));
    if (indices.size() == 1 && is_slice(*indices[0]) && sliced)
        return slice_sequence(std::get<ast::Slice>(indices[0]->node), base);
    if (indices.size() != 1 || is_slice(*indices[0])) {
        error("E0310", e.span, fmt::format("{} takes one index", shown(base.type)));
        return {};
    }
    const ast::Expr& at = *indices[0];
    Value index = expr(at);
    require_integer(at, index, "an index");
    if (index.broken() || !index.type.is_integer()) return {};
    bool tuple = base.type.is(Kind::tuple), vector = base.type.is(Kind::vector);
    const bool counted = base.type.is(Kind::list) || vector;
    int64_t length = counted ? base.type.length().value_or(-1) : -1;
    if (tuple) length = static_cast<int64_t>(base.type.parts().size());
    bool stage = base.type.is(Kind::list) && base.type.parts()[0].is(Kind::buffer);
    // Long loops are not unrolled for a table, which may lie in memory.
    constexpr int64_t kMostRounds = 64;
    const Static* table = in_kernel() && !index.value ? table_below(instance, e) : nullptr;
    const bool by_round = index.rounds != 0 && table && (tuple || unroll_short_loops(index.rounds, kMostRounds));
    if (table && !by_round) return table_item(at, *table, base);
    bool must_be_static = tuple || vector || (in_kernel() && !stage);
    if (must_be_static && !require_static(at, index,
                                          fmt::format("an index of {}", tuple    ? "a tuple"
                                                                        : vector ? "a vector"
                                                                                 : "a list in a kernel")))
        return {};
    std::optional<int64_t> position;
    if (index.value) position = index.value->integer();
    if (position.has_value() && length >= 0) {
        const int64_t written = position.value();
        const int64_t at_most = written < 0 && !in_kernel() ? written + length : written;
        if (at_most < 0 || at_most >= length) {
            error("E0323", at.span, fmt::format("index {} is outside: there are {} elements", written, length));
            return {};
        }
        position = at_most;
    }
    Value result;
    if (tuple) {
        if (!position) return element_by_round(at, base);
        if (static_cast<size_t>(*position) < base.elements.size()) {
            result = base.elements[static_cast<size_t>(*position)];
            result.referent = {};
            if (base.rounds == 0) set_rounds(result, 0);  // of a tuple with other parts that are not static
            return result;
        }
        result.type = base.type.parts()[static_cast<size_t>(*position)];
        return result;
    }
    if (base.type.is(Kind::string)) {
        result.type = Type::string();
        return result;
    }
    result.type = vector ? Type::scalar(base.type.elem()).carrying(base.type.policy()) : base.type.parts()[0];
    const auto* values = base.value ? base.value->tuple() : nullptr;
    if (values && position) result.value = (*values)[static_cast<size_t>(*position)];
    if (!in_kernel() && !result.value) result.type = item_type(settled_type(stored(result.type), {}), e);
    return result;
}

}  // namespace tsr::sema
