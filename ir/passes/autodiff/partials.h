// Partial derivatives of element operations, once for both modes: a tangent of an operand and a cotangent of the result
// are both multiplied by the same number.
#pragma once

#include <optional>
#include <string_view>

#include "ir/passes/math/term.h"

namespace tsr::ir::autodiff {

// An element operation that is differentiated, where the derivative is written. Operands and result are given in the
// type that derivatives are computed in: f64 for f64, else f32.
class ElementAt {
public:
    ElementAt(Builder& at, OpId op) : at_(at), op_(op) {}
    [[nodiscard]] math::Term operand(size_t number) const;
    [[nodiscard]] math::Term result() const;
    // As the operation takes it: a condition.
    [[nodiscard]] math::Term raw(size_t number) const;

private:
    Builder& at_;
    OpId op_;
};

// seed * (the derivative of the result in the operand); nothing: it is 0 everywhere.
using Partial = std::optional<math::Term> (*)(const ElementAt& of, size_t operand, math::Term seed);

struct PartialRule {
    OpKind kind = OpKind::count_;
    Partial along = nullptr;  // null: `refused` says why there is none
    // Infinite or not a number at points where the function itself is fine, or where `where` takes another branch: a
    // cotangent that came through such a choice stays 0 where it is 0.
    bool singular = false;
    bool chooses = false;  // one operand gets the whole cotangent, the others 0
    std::string_view refused;
};

const PartialRule& partial_rule(OpKind kind);  // of an element operation

}  // namespace tsr::ir::autodiff
