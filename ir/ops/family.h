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

template <const auto& records>
constexpr OpKind first_without_axes() {
    for (const OpRecord& r : records) {
        if (r.axes == AxisRule::none) return r.kind;
    }
    return OpKind::count_;
}

}  // namespace total

// There is one finished record for each operation of the family, in its order; otherwise it does not compile.
template <const auto& records, const auto& family>
constexpr bool complete() {
    static_assert(Total<records, family>::kChecked);
    return total::UnfinishedRecordOf<records, total::first_unfinished<records, family>()>::kChecked;
}

// Each record says how the axes of register tiles follow; otherwise it does not compile.
template <const auto& records>
constexpr bool say_axes() {
    return total::NoAxisRuleOf<records, total::first_without_axes<records>()>::kChecked;
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
