// What `infer` answers: the types of the results, or a fault; and which extents must be equal when the program runs for
// the types to hold, where that is not known while it is compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/core/type.h"

namespace tsr::ir {

// One extent of an operand.
struct OperandAxis {
    size_t operand = 0;
    size_t axis = 0;
    Dim extent;
    // The operand's role, an attribute, or a parameter's name. `infer` of an operation puts in the role of the record
    // where its own function gives none.
    std::string role;
    bool operator==(const OperandAxis&) const = default;
};

// Two extents that are equal when the program runs, or the operation is an error.
struct EqualExtents {
    OperandAxis one, other;
    [[nodiscard]] std::string text() const;  // "axis 1 of 'a' is k, axis 0 of 'b' is m"
    bool operator==(const EqualExtents&) const = default;
};

struct ResultTypes {
    std::vector<Type> types;
    std::vector<EqualExtents> conditions;
};
using Inferred = Result<ResultTypes>;

// Nothing where the extents are equal, a fault where they differ; where neither is known (ir::compare) a condition is
// added.
std::optional<Failure> same_extent(const OperandAxis& one, const OperandAxis& other,
                                   std::vector<EqualExtents>& conditions);

}  // namespace tsr::ir
