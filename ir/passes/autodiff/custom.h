// Derivatives of calls that say where theirs comes from (CustomCallOp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/build/builder.h"
#include "ir/passes/autodiff/structured.h"

namespace tsr::ir::autodiff {

// A function of the module, in which no derivative waits to be made; null: it has an error.
using Functions = std::function<const Function*(const std::string& name)>;

// What the arguments of a call get, one for each that is a float and `wanted`; from the cotangents of its results,
// which are given where there are any. What the rule needs of the call itself is computed before it. Nothing after a
// message.
std::optional<std::vector<std::optional<ValueId>>> call_adjoint(Builder& at, OpId call,
                                                                const std::vector<std::optional<ValueId>>& cotangents,
                                                                const std::vector<bool>& wanted,
                                                                const Functions& functions);

// The same of a launch: its kernel as a graph (kernel_graph.h) has the derivative.
std::vector<std::optional<ValueId>> launch_adjoint(Builder& at, OpId launch,
                                                   const std::vector<std::optional<ValueId>>& cotangents,
                                                   const std::vector<bool>& wanted);
std::vector<std::optional<ValueId>> launch_tangents(Builder& at, OpId launch, const Tangents& tangents);

// The tangents of the results that are floats, from those of the arguments. Nothing after a message.
std::optional<std::vector<std::optional<ValueId>>> call_tangents(Builder& at, OpId call, const Tangents& tangents,
                                                                 const Functions& functions);

}  // namespace tsr::ir::autodiff
