#include "sema/expressions/element_indexing.h"

#include <fmt/format.h>

#include "sema/program/movements.h"
#include "sema/program/static_tables.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/counted_lists.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

bool is_slice(const ast::Expr& e) { return std::holds_alternative<ast::Slice>(e.node); }

// A[i, j] and A[(i, j)] are one thing.
std::vector<const ast::Expr*> flat_indices(const ast::Subscript& s) {
    if (s.indices.size() == 1) {
        if (const auto* tuple = std::get_if<ast::Tuple>(&s.indices[0]->node)) return tuple->elements;
    }
    return s.indices;
}

// `d[k]`; the value of an assignment is checked where it is assigned.
Value dict_index(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    std::vector<Value> parts;
    for (const ast::Expr* index : s.indices) {
        if (!std::holds_alternative<ast::Slice>(index->node)) parts.push_back(expression(b, *index));
    }
    if (s.indices.size() != 1 || parts.empty()) {
        b.error("E0310", e.span, "a dictionary takes one key; a tuple as a key needs parentheses");
        return {};
    }
    if (!require_known(b, *s.base, base)) return {};
    if (parts[0].broken() || !require_hashable(b, *s.indices[0], parts[0])) return {};
    if (b.aloud && !require_converts(b, *s.indices[0], parts[0], base.type.parts()[0], "a key")) return {};
    Value result;
    result.type = item_type(b, base.type.parts()[1], e);
    return result;
}

// `xs[1:-1]`, `"text"[::2]`.
static Value sequence_slice(Body& b, const ast::Slice& slice, const Value& base) {
    bool counted = base.type.is(Kind::list) && base.type.length();
    for (const ast::Expr* bound : {slice.lower, slice.upper, slice.step}) {
        if (!bound) continue;
        Value v = expression(b, *bound);
        require_integer(b, *bound, v, "a bound of a slice");
        if (v.broken() || !v.type.is_integer()) return {};
        counted &= v.value.has_value();
        if (bound == slice.step && v.value && v.value->integer() == 0) {
            b.error("E0334", bound->span, "the step is zero");
            return {};
        }
    }
    Value result;
    result.type = stored(base.type);
    if (!base.type.is(Kind::list)) return result;
    result.type = any_length(result.type);
    if (!counted) return result;
    if (const auto items = sliced_items(b.instance, slice, static_cast<size_t>(*base.type.length())))
        result.type = list_of(result.type.parts()[0], static_cast<int64_t>(items->size()));
    return result;
}

// `shape[:-1]`: bounds of a tuple's slice are static, and those of a list's in a graph function.
static Value part_of_items(Body& b, const ast::Expr& e, const ast::Slice& slice, const Value& base) {
    for (const ast::Expr* bound : {slice.lower, slice.upper, slice.step}) {
        if (bound && !static_integer(b, *bound, fmt::format("a bound of a slice of {}", shown(base.type)))) return {};
    }
    const bool tuple = base.type.is(Kind::tuple);
    const auto count = tuple ? base.type.parts().size() : static_cast<size_t>(base.type.length().value_or(0));
    const auto items = sliced_items(b.instance, slice, count);
    if (!items) {
        b.error("E0334", e.span, "the step is zero");
        return {};
    }
    Value result;
    std::vector<Type> types;
    std::vector<Static> values;
    const auto* known = base.value ? base.value->tuple() : nullptr;
    for (const size_t item : *items) {
        if (tuple) types.push_back(base.type.parts()[item]);
        if (item < base.elements.size()) result.elements.push_back(base.elements[item]);
        if (known) values.push_back((*known)[item]);
    }
    if (result.elements.size() != items->size()) result.elements.clear();
    if (known) result.value = Static::of(std::move(values));
    result.type =
        tuple ? Type::tuple(std::move(types)) : Type::list(base.type.parts()[0], static_cast<int64_t>(items->size()));
    return result;
}

// Elements of lists, tuples and vectors. In kernels buffers take a stage number, scalars and vectors a static index.
// `WEIGHTS[k]` in a loop that is unrolled: the elements of the tuple have one type, each round knows its own.
static Value element_by_round(Body& b, const ast::Expr& e, const ast::Expr& at, const Value& base) {
    const std::optional<Type> joined = common_item(base.type.parts());
    if (!joined && !base.type.parts().empty()) {
        b.error("E0314", at.span, "an index of a tuple of several types must be the same in every round of the loop");
        return {};
    }
    return typed(item_type(b, joined.value_or(Type::unknown()), e));
}

// `K[i]` in a kernel, of a module's list and an index that the run knows.
static Value table_item(Body& b, const ast::Expr& at, const Static& table, const Value& base) {
    if (!is_rectangular(table)) {
        b.error("E0314", at.span,
                fmt::format("an index of a list in a {} must be static",
                            b.rules().new_values ? "graph function" : "kernel"))
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
        b.error("E0420", at.span,
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

Value sequence_index(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    std::vector<const ast::Expr*> indices = flat_indices(s);
    const bool sliced = b.rules().host_objects && (base.type.is(Kind::list) || base.type.is(Kind::string));
    if (indices.size() == 1 && is_slice(*indices[0]) && sliced)
        return sequence_slice(b, std::get<ast::Slice>(indices[0]->node), base);
    const bool parted = base.type.is(Kind::tuple) || (base.type.is(Kind::list) && b.rules().new_values);
    if (indices.size() == 1 && is_slice(*indices[0]) && parted)
        return part_of_items(b, e, std::get<ast::Slice>(indices[0]->node), base);
    if (indices.size() != 1 || is_slice(*indices[0])) {
        b.error("E0310", e.span, fmt::format("{} takes one index", shown(base.type)));
        return {};
    }
    const ast::Expr& at = *indices[0];
    Value index = expression(b, at);
    require_integer(b, at, index, "an index");
    if (index.broken() || !index.type.is_integer()) return {};
    bool tuple = base.type.is(Kind::tuple), vector = base.type.is(Kind::vector);
    const bool grows = b.rules().host_objects && !std::holds_alternative<ast::List>(s.base->node);
    const bool counted = (base.type.is(Kind::list) && !grows) || vector;
    int64_t length = counted ? base.type.length().value_or(-1) : -1;
    if (tuple) length = static_cast<int64_t>(base.type.parts().size());
    const auto* values = base.value ? base.value->tuple() : nullptr;
    if (values) length = static_cast<int64_t>(values->size());
    bool stage = base.type.is(Kind::list) && base.type.parts()[0].is(Kind::buffer);
    // Long loops are not unrolled for a table, which may lie in memory.
    constexpr int64_t kMostRounds = 64;
    const Static* table = !b.rules().host_objects && !index.value ? table_below(b.instance, e) : nullptr;
    const bool by_round = index.rounds != 0 && table && (tuple || unroll_short_loops(b, index.rounds, kMostRounds));
    if (table && !by_round) return table_item(b, at, *table, base);
    bool must_be_static = tuple || vector || (!b.rules().host_objects && !stage);
    if (must_be_static && !require_static(b, at, index,
                                          fmt::format("an index of {}", tuple    ? "a tuple"
                                                                        : vector ? "a vector"
                                                                                 : "a list in a kernel")))
        return {};
    std::optional<int64_t> position;
    if (index.value) position = index.value->integer();
    if (position.has_value() && length >= 0) {
        const int64_t written = position.value();
        const int64_t at_most = written < 0 && b.rules().counts_from_end ? written + length : written;
        if (at_most < 0 || at_most >= length) {
            b.error("E0323", at.span, fmt::format("index {} is outside: there are {} elements", written, length));
            return {};
        }
        position = at_most;
    }
    Value result;
    if (tuple) {
        if (!position) return element_by_round(b, e, at, base);
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
    if (values && position) result.value = (*values)[static_cast<size_t>(*position)];
    if (b.rules().host_objects && !result.value) result.type = item_type(b, settled_type(stored(result.type), {}), e);
    if (b.rules().new_values) result.type = item_type(b, result.type, e);
    return result;
}

}  // namespace tsr::sema
