// For the files of records: the check that a family is complete.
#pragma once

#include <array>

#include "ir/core/total.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace total {

template <const auto& records, OpKind operation>
struct UnfinishedRecordOf {
    static_assert(operation == OpKind::count_, "the record of an operation lacks a part, or stands in another order");
    static constexpr bool kChecked = true;
};

template <const auto& records, const auto& family>
constexpr OpKind first_unfinished() {
    for (size_t i = 0; i < records.size(); ++i) {
        const OpRecord& r = records[i];
        if (r.kind != family[i] || r.name.empty() || r.doc.empty() || !r.levels.any()) return r.kind;
        if ((r.results == ResultsFrom::infer) != r.infer.given) return r.kind;
        if ((r.regions > 0) != (r.flow != Flow::straight)) return r.kind;
    }
    return OpKind::count_;
}

template <const auto& records, OpKind operation>
struct NoAxisRuleOf {
    static_assert(operation == OpKind::count_, "the record of an operation on register tiles has no rule of axes");
    static constexpr bool kChecked = true;
};

template <const auto& records, OpKind operation>
struct NoExampleOf {
    static_assert(operation == OpKind::count_, "the record of an operation has no example");
    static constexpr bool kChecked = true;
};
template <const auto& records, OpKind operation>
struct NoErrorBoundOf {
    static_assert(operation == OpKind::count_, "the record of an operation does not bound its error");
    static constexpr bool kChecked = true;
};
template <const auto& records, OpKind operation>
struct NoCostOf {
    static_assert(operation == OpKind::count_, "the record of an operation does not say what it costs");
    static constexpr bool kChecked = true;
};
template <const auto& records, OpKind operation>
struct OtherLevelsOf {
    static_assert(operation == OpKind::count_,
                  "the record of an operation and opkind.h differ in whether graphs have it");
    static constexpr bool kChecked = true;
};
template <const auto& records, OpKind operation>
struct OtherFormulaOf {
    static_assert(operation == OpKind::count_,
                  "the record of an operation and opkind.h differ in whether it becomes a formula");
    static constexpr bool kChecked = true;
};

template <typename Lacks>
constexpr OpKind first_that(const auto& records, Lacks lacks) {
    for (const OpRecord& r : records) {
        if (lacks(r)) return r.kind;
    }
    return OpKind::count_;
}

}  // namespace total

// There is one finished record for each operation of the family, in its order; otherwise it does not compile.
template <const auto& records, const auto& family>
constexpr bool complete() {
    static_assert(Total<records, family>::kChecked);
    return total::UnfinishedRecordOf<records, total::first_unfinished<records, family>()>::kChecked &&
           total::NoExampleOf<records, total::first_that(records, [](const OpRecord& r) {
                                  return r.example.text.empty();
                              })>::kChecked;
}

// Each record says how the axes of register tiles follow; otherwise it does not compile.
template <const auto& records>
constexpr bool say_axes() {
    return total::NoAxisRuleOf<records, total::first_that(records, [](const OpRecord& r) {
                                   return r.axes == AxisRule::none;
                               })>::kChecked;
}

// Each record says how exact results of floats are; otherwise it does not compile.
template <const auto& records>
constexpr bool say_error() {
    return total::NoErrorBoundOf<records, total::first_that(
                                              records, [](const OpRecord& r) { return !r.error.said(); })>::kChecked;
}

// Each record says what it costs; otherwise it does not compile.
template <const auto& records>
constexpr bool say_cost() {
    return total::NoCostOf<records, total::first_that(
                                        records, [](const OpRecord& r) { return r.cost == Cost::unsaid; })>::kChecked;
}

// Those of the family, and no others, have this formula; otherwise it does not compile.
template <const auto& records, const auto& family, Formula formula>
constexpr bool say_formula() {
    constexpr OpKind kOther = total::first_that(records, [](const OpRecord& r) {
        bool listed = false;
        for (OpKind kind : family) listed = listed || kind == r.kind;
        return listed != (r.formula == formula);
    });
    return total::OtherFormulaOf<records, kOther>::kChecked;
}

// Those of the family, and no others, are of level Graph too; otherwise it does not compile.
template <const auto& records, const auto& family>
constexpr bool say_graphs() {
    constexpr OpKind kOther = total::first_that(records, [](const OpRecord& r) {
        bool listed = false;
        for (OpKind kind : family) listed = listed || kind == r.kind;
        return listed != r.levels.has(Level::graph);
    });
    return total::OtherLevelsOf<records, kOther>::kChecked;
}

// The record of an operation whose `infer` may answer with conditions.
constexpr OpRecord with_conditions(OpRecord record) {
    record.conditional = true;
    return record;
}

// Answers of `infer`.
using Operands = std::span<const Type>;
inline Inferred gives_all(std::vector<Type> types) { return ResultTypes{std::move(types), {}}; }
inline Inferred gives(Type type) { return gives_all({std::move(type)}); }
inline Inferred gives_nothing() { return ResultTypes{}; }

inline Inferred infer_nothing(Operands, const Attrs&) { return gives_nothing(); }
inline Inferred infer_index(Operands, const Attrs&) { return gives(Type::scalar(DType::index)); }

std::optional<Failure> want_pointer(const Type& type);
// The operands from `begin` on are integer scalars: indices, positions, bounds.
std::optional<Failure> want_integers(Operands operands, size_t begin, std::string_view what);

}  // namespace tsr::ir
