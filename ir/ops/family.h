// For the files of records: the check that a family is complete.
#pragma once

#include <array>

#include "ir/ops/record.h"

namespace tsr::ir {

#define TSR_KIND(op) OpKind::op,

// True when there is one finished record for each kind of the list, in its order.
template <size_t Kinds, size_t Records>
constexpr bool complete(const std::array<OpKind, Kinds>& kinds, const std::array<OpRecord, Records>& records) {
    if (Kinds != Records) return false;
    for (size_t i = 0; i < Kinds; ++i) {
        const OpRecord& r = records[i];
        if (r.kind != kinds[i] || r.name.empty() || r.doc.empty()) return false;
        if ((r.results == ResultsFrom::infer) != r.infer.given) return false;
        if (!r.levels.any()) return false;
    }
    return true;
}

// Answers of `infer`.
using Inferred = Result<std::vector<Type>>;
using Operands = std::span<const Type>;
inline Inferred gives(Type type) { return std::vector<Type>{std::move(type)}; }
inline Inferred gives_nothing() { return std::vector<Type>{}; }

inline Inferred infer_nothing(Operands, const Attrs&) { return gives_nothing(); }
inline Inferred infer_index(Operands, const Attrs&) { return gives(Type::scalar(DType::index)); }

std::optional<Failure> want_pointer(const Type& type);
// The operands from `begin` on are integer scalars: indices, positions, bounds.
std::optional<Failure> want_integers(Operands operands, size_t begin, std::string_view what);

}  // namespace tsr::ir
