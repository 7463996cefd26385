#include "sema/elaborate/elements.h"

#include "ir/core/internal.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/types.h"
#include "sema/program/movements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;

namespace {

// Stages that follow each other need no choice.
std::optional<Val> consecutive_stage(Body& b, const Val& list, const Val& index) {
    if (list.parts.empty()) return std::nullopt;  // a static list
    std::optional<int64_t> first;
    for (size_t i = 0; i < list.parts.size(); ++i) {
        const Val& part = list.parts[i];
        if (!part.is(Val::Kind::buffer) || !part.parts[0].is_fixed()) return std::nullopt;
        const int64_t stage = part.parts[0].fixed.integer().value_or(0);
        if (!first) first = stage;
        if (part.site != list.parts[0].site || stage != *first + static_cast<int64_t>(i)) return std::nullopt;
    }
    if (first.value_or(0) == 0) return b.coerce(index, DType::index);
    return arithmetic(b, ast::BinaryOp::add, Val::index(first.value_or(0)), index, DType::index, DType::index);
}

}  // namespace

Val part_of_items(Body& b, const Val& whole, const ast::Slice& slice) {
    const auto items = sema::sliced_items(b.instance(), slice, whole.element_count());
    Val part = whole.is(Val::Kind::list) ? Val::list({}) : Val::tuple({});
    for (const size_t item : items.value_or(std::vector<size_t>{})) part.parts.push_back(whole.element(item));
    return part;
}

Val element_of(Body& b, const Val& whole, const Val& index) {
    const bool position = index.is_fixed() && index.fixed.integer();
    const int64_t number = position ? index.fixed.integer().value_or(0) : 0;
    if (whole.has_elements() && position) {
        const auto count = static_cast<int64_t>(whole.element_count());
        const int64_t at = number < 0 ? number + count : number;
        return at >= 0 && at < count ? whole.element(static_cast<size_t>(at)) : Val{};
    }
    if (whole.is_ssa() && b.type_of(whole.id).is_vector() && position) {
        const int64_t width = b.type_of(whole.id).width;
        const int64_t at = number < 0 ? number + width : number;
        return Val::ssa(b.emit.inferred(OpKind::vector_extract, {whole.id}, {{Attr::axis, at}}), whole.type);
    }
    if (!whole.has_elements() || whole.element_count() == 0) return Val{};
    for (const Val& part : whole.parts) {
        if (part.is(Val::Kind::buffer)) b.buffers.unite(part.site, whole.parts[0].site);
    }
    if (const auto stage = consecutive_stage(b, whole, index)) return Val::buffer(whole.parts[0].site, *stage);
    // A choice of a buffer by number, the last one for all that is outside. Of other lists in kernels, and of tuples,
    // the index is static (E0314).
    Val chosen = whole.element(whole.element_count() - 1);
    if (!chosen.is(Val::Kind::buffer)) ir::internal_error("an element that only the run chooses");
    for (size_t i = whole.element_count() - 1; i-- > 0;) {
        const ir::ValueId hit =
            b.emit.inferred(OpKind::eq, {b.index(index), b.emit.constant(static_cast<int64_t>(i), DType::index)});
        const ir::ValueId value =
            b.emit.inferred(OpKind::select, {hit, b.index(whole.element(i).parts[0]), b.index(chosen.parts[0])});
        chosen = Val::buffer(whole.parts[0].site, Val::ssa(value, DType::index));
    }
    return chosen;
}

}  // namespace tsr::elaborate
