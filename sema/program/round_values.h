// The values that checked expressions have in one round of the loops around them. They follow from the tables alone:
// the checker asks for all rounds, the elaborator for the one that it stands in, and both get the same values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sema/program/tables.h"
#include "sema/types/fold.h"

namespace tsr::sema {

// The unrollable loops on whose rounds the value of an expression depends, one bit each (ExprInfo::rounds); nothing
// where it does not follow from static values. Of names it is said where they are read.
std::optional<uint64_t> rounds_of(const Program& program, const Instance& instance, const ast::Expr& e);

// One round.
struct RoundScope {
    const Program& program;
    const Instance& instance;
    std::function<Folded(VariableId)> variable;  // what it holds in this round
};
Folded value_in_round(const RoundScope& scope, const ast::Expr& e);

// What a variable of this type holds of a static value.
Static held(const Static& value, const Type& type);

}  // namespace tsr::sema
