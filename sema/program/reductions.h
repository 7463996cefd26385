// Reductions: those whose result type is chosen by what they stand in; the arguments of those of whole tensors.
#pragma once

#include <optional>
#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

// A reduction of the tiles of a group, of a shared buffer, or along axes of a register tile or tensor, without `out=`:
// what it stands directly in chooses its type. A scan is none.
bool takes_declared_type(const Instance& instance, const CallInfo& call);

// What a call of `sum`, `max` and so on is given; invalid: not written.
struct ReductionArguments {
    ast::ExprId x, axis, keepdims, out, correction;
};
// Of a call that could reduce a tensor: `x` is invalid where it has several operands, or is of another function.
ReductionArguments reduction_arguments(const CallInfo& call);

// The axes that the static value of `axis=` names in a tensor of this rank, sorted: an integer, a tuple of them, None
// or nothing for all. Nothing where one is not an integer, is not there or is named twice.
std::optional<std::vector<size_t>> reduced_axes(const std::optional<Static>& axis, size_t rank);

}  // namespace tsr::sema
