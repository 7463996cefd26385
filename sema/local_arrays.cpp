// Arrays of each tile's own: `a = tile.local((8,), f32)`.
#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

namespace {

// An element is a value of each tile: more than this many are no registers on any machine.
constexpr int64_t kMostElements = 1024;
// A choice by number is made among so many elements at most.
constexpr int64_t kMostChosen = 64;
// So many rounds together are unrolled so that indices become static.
constexpr int64_t kMostUnrolled = 256;
// What a loop is taken for whose bounds depend on the round of a loop around.
constexpr int64_t kUsualRounds = 16;

int64_t element_count(const Type& type) {
    int64_t count = 1;
    for (const int64_t extent : type.tile_shape()) count *= extent;
    return count;
}

// The rounds of a loop over one range; nothing where its bounds are not static.
std::optional<int64_t> round_count(const Body& b, const ForInfo& info) {
    if (info.axes.size() != 1) return std::nullopt;
    const auto bound = [&](const Bound& at, int64_t otherwise) -> std::optional<int64_t> {
        if (!at.expr) return otherwise;
        const auto& value = b.instance.info(*at.expr).value;
        return value ? value->integer() : std::nullopt;
    };
    const LoopAxis& axis = info.axes[0];
    const auto start = bound(axis.start, 0), stop = bound(axis.stop, 0), step = bound(axis.step, 1);
    if (!start || !stop || !step || *step == 0) return std::nullopt;
    const int64_t way = *step > 0 ? *stop - *start : *start - *stop;
    return way <= 0 ? 0 : (way + std::abs(*step) - 1) / std::abs(*step);
}

}  // namespace

Value Body::local_array(const ast::Expr& e, const Matched& m) {
    const auto shape = static_shape(*m.arguments[0], "the shape of an array", "E0312");
    const auto elem = dtype(*m.arguments[1]);
    if (!shape || !elem) return {};
    if (*elem == DType::c64) return refuse(Feature::host, m.arguments[1]->span, "complex numbers are");
    if (shape->empty()) {
        error("E0312", m.arguments[0]->span, "an array has one axis or more");
        return {};
    }
    Value result;
    result.type = Type::local(*elem, *shape);
    if (const int64_t count = element_count(result.type); count > kMostElements) {
        error("E0420", e.span,
              fmt::format("an array of {} elements for each tile: at most {} are", count, kMostElements))
            .note("a tensor or a shared buffer holds more");
        return {};
    }
    return result;
}

bool Body::unroll_short_loops(uint64_t rounds) {
    int64_t together = 1;
    for (size_t bit = 0; bit < round_loops.size(); ++bit) {
        if (!(rounds >> bit & 1)) continue;
        const auto count = round_count(*this, instance.loops[round_loops[bit]->id]).value_or(kUsualRounds);
        if ((together *= std::max<int64_t>(count, 1)) > kMostUnrolled) return false;
    }
    for (size_t bit = 0; bit < round_loops.size(); ++bit) {
        if (rounds >> bit & 1) instance.loops[round_loops[bit]->id].must_unroll = true;
    }
    return true;
}

Value Body::index_local(const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base) {
    const std::vector<int64_t>& shape = base.type.tile_shape();
    bool element = indices.size() == shape.size();
    for (const ast::Expr* index : indices) {
        element &= !std::holds_alternative<ast::Slice>(index->node) &&
                   !std::holds_alternative<ast::NoneLiteral>(index->node) &&
                   !std::holds_alternative<ast::EllipsisLiteral>(index->node);
    }
    if (!element) {
        error("E0310", e.span,
              fmt::format("{} is read and written element by element, by {} index{}", shown(base.type), shape.size(),
                          shape.size() == 1 ? "" : "es"));
        return {};
    }
    bool broken = false, chosen = false;
    for (size_t i = 0; i < indices.size(); ++i) {
        const Value index = expr(*indices[i]);
        check_index(*indices[i], index, ir::Dim::constant(shape[i]));
        broken |= index.broken() || !index.type.is_integer();
        const bool known = index.value || (index.rounds != 0 && unroll_short_loops(index.rounds));
        chosen |= !known;
    }
    if (broken) return {};
    if (chosen && element_count(base.type) > kMostChosen) {
        error("E0420", e.span,
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
