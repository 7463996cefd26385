// Derivatives of functions, in graphs.
#pragma once

#include <functional>

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// What dimensions of the callee are where it is called; no answer: the symbol itself.
using Substitution = std::function<std::optional<ir::Dim>(const std::string&)>;

// In a graph: what an instance that `grad` made gives for these arguments, flattened as a result is.
std::vector<ir::ValueId> derivative(Body& b, const sema::Instance& made, std::vector<ir::ValueId> arguments,
                                    const Substitution& dims);

}  // namespace tsr::elaborate
