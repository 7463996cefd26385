// The derivatives of a Graph function, as Graph functions of their own.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "ir/core/function.h"
#include "ir/passes/autodiff/custom.h"

namespace tsr::ir::autodiff {

// Takes what the function takes, then a cotangent for each result that is a float; gives the results, then what each
// parameter of `wrt` gets, rounded once to the type that `given_in` says of it. Nothing after a message: an operation
// has no derivative.
std::optional<Function> reverse_derivative(const Function& of, const std::vector<int64_t>& wrt,
                                           const std::vector<DType>& given_in, Diagnostics& said,
                                           const Functions& functions);

// Takes what the function takes, then a tangent for each parameter of `wrt`; gives the results, then a tangent for each
// of them that is a float.
std::optional<Function> forward_derivative(const Function& of, const std::vector<int64_t>& wrt, Diagnostics& said,
                                           const Functions& functions);

}  // namespace tsr::ir::autodiff
