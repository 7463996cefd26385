#include "sema/expressions/local_arrays.h"

#include <fmt/format.h>

#include "sema/expressions/indexing.h"
#include "sema/state/recursion.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

namespace {

// An element is a value of each tile: more than this many are no registers on any machine.
constexpr int64_t kMostLocalElements = 1024;
// A choice by number is made among so many elements at most.
constexpr int64_t kMostChosen = 256;
// So many rounds together are unrolled so that indices become static.
constexpr int64_t kMostUnrolled = 256;
int64_t element_count(const Type& type) {
    int64_t count = 1;
    for (const int64_t extent : type.tile_shape()) count *= extent;
    return count;
}

}  // namespace

Value local_array(Body& b, const ast::Expr& e, const Matched& m) {
    const auto shape = static_shape(b, *m.arguments[0], "the shape of an array", "E0312");
    const auto elem = named_dtype(b, *m.arguments[1]);
    if (!shape || !elem) return {};
    if (*elem == DType::c64) return b.refuse(Feature::host, m.arguments[1]->span, "complex numbers are");
    if (shape->empty()) {
        b.error("E0312", m.arguments[0]->span, "an array has one axis or more");
        return {};
    }
    Value result;
    result.type = Type::local(*elem, *shape);
    if (const int64_t count = element_count(result.type); count > kMostLocalElements) {
        b.error("E0420", e.span,
                fmt::format("an array of {} elements for each tile: at most {} are", count, kMostLocalElements))
            .note("a tensor or a shared buffer holds more");
        return {};
    }
    return result;
}

Value local_array_index(Body& b, const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base) {
    const std::vector<int64_t>& shape = base.type.tile_shape();
    bool element = indices.size() == shape.size();
    for (const ast::Expr* index : indices) {
        element &= !std::holds_alternative<ast::Slice>(index->node) &&
                   !std::holds_alternative<ast::NoneLiteral>(index->node) &&
                   !std::holds_alternative<ast::EllipsisLiteral>(index->node);
    }
    if (!element) {
        b.error("E0310", e.span,
                fmt::format("{} is read and written element by element, by {} index{}", shown(base.type), shape.size(),
                            shape.size() == 1 ? "" : "es"));
        return {};
    }
    bool broken = false, chosen = false;
    for (size_t i = 0; i < indices.size(); ++i) {
        const Value index = expression(b, *indices[i]);
        check_index(b, *indices[i], index, ir::Dim::constant(shape[i]));
        broken |= index.broken() || !index.type.is_integer();
        const bool known = index.value || (index.rounds != 0 && unroll_short_loops(b, index.rounds, kMostUnrolled));
        chosen |= !known;
    }
    if (broken) return {};
    if (chosen && element_count(base.type) > kMostChosen) {
        b.error("E0420", e.span,
                fmt::format("an array of {} elements is indexed by what only the run knows: at most {} elements are",
                            element_count(base.type), kMostChosen))
            .note("a shared buffer with a row for each tile is indexed by anything");
        return {};
    }
    Value result;
    result.type = Type::scalar(base.type.elem());
    return result;
}

}  // namespace tsr::sema
