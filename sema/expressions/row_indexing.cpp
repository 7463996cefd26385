#include "sema/expressions/row_indexing.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"

namespace tsr::sema {

namespace {

// An index, where it is a whole tensor.
std::optional<Value> ids_at(Body& b, const ast::Expr& index) {
    const bool named =
        std::holds_alternative<ast::Name>(index.node) || std::holds_alternative<ast::Call>(index.node) ||
        std::holds_alternative<ast::Binary>(index.node) || std::holds_alternative<ast::Compare>(index.node) ||
        std::holds_alternative<ast::Unary>(index.node) || std::holds_alternative<ast::Subscript>(index.node) ||
        std::holds_alternative<ast::Attribute>(index.node);
    if (!named) return std::nullopt;
    const Value ids = expression(b, index);
    return ids.type.is(Kind::tensor) && ids.type.rank() > 0 ? std::optional(ids) : std::nullopt;
}

bool takes_one_place(const ast::Expr& index) {
    return !std::holds_alternative<ast::Slice>(index.node) && !std::holds_alternative<ast::NoneLiteral>(index.node) &&
           !std::holds_alternative<ast::EllipsisLiteral>(index.node);
}

bool is_whole(const ast::Expr& index) {
    const auto* slice = std::get_if<ast::Slice>(&index.node);
    return slice && !slice->lower && !slice->upper && !slice->step;
}

// `x[rows, columns]` of a matrix and two vectors: an element of each pair.
Value elements_by_pairs(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& rows, const Value& columns) {
    MadeSyntax& syntax = b.checker.program.made;
    const auto number = [&](uint64_t value) -> const ast::Expr* {
        return &syntax.expr(e.span, ast::IntLiteral{value});
    };
    if (compare(rows.type.shape()[0], columns.type.shape()[0]) == ir::Equality::different) {
        b.error(
            "E0312", e.span,
            fmt::format("pairs are made of as many rows as columns: {} and {}", shown(rows.type), shown(columns.type)));
        return {};
    }
    if (syntax.library_call(b.key(e), "flatten") != nullptr) return standing_call(b, e, "flatten", {});
    const ast::Expr& taken =
        made_call(b, e.span, "take", {{std::nullopt, s.base}, {std::nullopt, s.indices[0]}, {std::nullopt, number(0)}});
    const ast::Expr& each =
        made_call(b, e.span, "expand_dims", {{std::nullopt, s.indices[1]}, {std::nullopt, number(1)}});
    const ast::Expr& found =
        made_call(b, e.span, "gather", {{std::nullopt, &taken}, {std::nullopt, &each}, {std::nullopt, number(1)}});
    return standing_call(b, e, "flatten", {{std::nullopt, &found}});
}

bool is_list(Body& b, const ast::Expr& index) {
    if (std::holds_alternative<ast::List>(index.node)) return true;
    return takes_one_place(index) && expression(b, index).type.is(Kind::list);
}

}  // namespace

bool has_listed_ids(Body& b, const ast::Subscript& s) {
    return std::ranges::any_of(s.indices, [&](const ast::Expr* index) { return is_list(b, *index); });
}

std::optional<Value> elements_by_lists(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x) {
    if (!b.rules().tensor_values || !has_listed_ids(b, s)) return std::nullopt;
    for (const char* name : {"take", "flatten"}) {
        if (b.checker.program.made.library_call(b.key(e), name) != nullptr) return standing_call(b, e, name, {});
    }
    ast::Subscript ids{s.base, s.indices};
    for (const ast::Expr*& index : ids.indices) {
        if (is_list(b, *index)) index = &made_call(b, index->span, "from_list", {{std::nullopt, index}});
    }
    if (ids.indices.size() > 1) return elements_by_ids(b, e, ids, x);
    const ast::Expr& axis = b.checker.program.made.expr(e.span, ast::IntLiteral{uint64_t{0}});
    return standing_call(b, e, "take", {{std::nullopt, s.base}, {std::nullopt, ids.indices[0]}, {std::nullopt, &axis}});
}

std::optional<Value> row_ids(Body& b, const ast::Subscript& s) {
    if (!b.rules().tensor_values || s.indices.size() != 1) return std::nullopt;
    return ids_at(b, *s.indices[0]);
}

std::optional<Value> elements_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x) {
    if (!b.rules().tensor_values || s.indices.size() < 2) return std::nullopt;
    std::vector<size_t> places;
    std::vector<Value> ids;
    for (size_t i = 0; i < s.indices.size(); ++i) {
        if (auto found = ids_at(b, *s.indices[i])) {
            places.push_back(i);
            ids.push_back(std::move(*found));
        }
    }
    if (places.empty()) return std::nullopt;
    for (size_t i = 0; i < ids.size(); ++i) {
        if (is_integer(ids[i].type.elem())) continue;
        b.error("E0302", s.indices[places[i]]->span, fmt::format("ids are integers, these are {}", shown(ids[i].type)));
        return Value{};
    }
    const bool vectors = std::ranges::all_of(ids, [](const Value& one) { return one.type.rank() == 1; });
    if (ids.size() == 2 && s.indices.size() == 2 && x.type.rank() == 2 && vectors)
        return elements_by_pairs(b, e, s, ids[0], ids[1]);
    const size_t place = places[0];
    // NumPy puts the axes of ids in front where a number stands apart from them.
    bool apart = ids.size() > 1;
    for (size_t i = 0; i < s.indices.size(); ++i)
        apart = apart || (takes_one_place(*s.indices[i]) && (i > place || i + 1 < place));
    if (apart)
        return b.refuse(Feature::graphs, e.span, "ids as an index beside others than slices, or several of them, are");
    MadeSyntax& syntax = b.checker.program.made;
    if (syntax.library_call(b.key(e), "take") != nullptr) return standing_call(b, e, "take", {});
    // The axis of the ids, behind numbers and new axes; behind `...` it is
    // counted from the end.
    int64_t axis = 0, behind = 0;
    bool from_end = false, whole = true;
    ast::Subscript others{s.base, s.indices};
    others.indices[place] = &syntax.expr(s.indices[place]->span, ast::Slice{});
    for (size_t i = 0; i < s.indices.size(); ++i) {
        const ast::Expr& index = *s.indices[i];
        const bool rest = std::holds_alternative<ast::EllipsisLiteral>(index.node);
        from_end = from_end || (rest && i < place);
        whole = whole && (i == place || is_whole(index) || rest);
        if (i < place && !rest && !takes_one_place(index)) ++axis;
        if (i > place && !rest) ++behind;
    }
    const ast::Expr& base = whole ? *s.base : syntax.expr(s.base->span, std::move(others));
    const ast::Expr* number =
        &syntax.expr(e.span, ast::IntLiteral{static_cast<uint64_t>(from_end ? behind + 1 : axis)});
    if (from_end) number = &syntax.expr(e.span, ast::Unary{ast::UnaryOp::minus, number});
    return standing_call(b, e, "take",
                         {{std::nullopt, &base}, {std::nullopt, s.indices[place]}, {std::nullopt, number}});
}

Value rows_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& x, const Value& ids) {
    if (ids.type.elem() == DType::boolean && b.rules().host_objects && !is_packed(x.type.elem()))
        return library_call(b, e, {.name = "_masked", .file = "searching", .signature = {}, .doc = {}},
                            {s.base, s.indices[0]});
    if (ids.type.elem() == DType::boolean) return b.refuse(Feature::graphs, e.span, "a mask as an index is");
    if (!is_integer(ids.type.elem())) {
        b.error("E0302", s.indices[0]->span, fmt::format("ids are integers, these are {}", shown(ids.type)));
        return {};
    }
    if (is_packed(x.type.elem()) || is_packed(ids.type.elem()) || x.type.elem() == DType::c64)
        return b.refuse(Feature::graphs, e.span, fmt::format("{} by ids is", shown(x.type)));
    std::vector<ir::Dim> shape = x.type.shape();
    shape.erase(shape.begin());
    const std::vector<ir::Dim>& by = ids.type.shape();
    shape.insert(shape.begin(), by.begin(), by.end());
    Value result;
    result.type = new_tensor(Type::scalar(x.type.elem()).carrying(x.type.policy()), std::move(shape));
    return result;
}

}  // namespace tsr::sema
