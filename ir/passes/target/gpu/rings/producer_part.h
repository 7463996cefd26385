// What of a kernel fills its rings: the part that threads of their own can run beside the rest.
#pragma once

#include <optional>
#include <unordered_set>

#include "ir/core/function.h"

namespace tsr::ir {

struct ProducerPart {
    std::unordered_set<OpId> ops;        // that it runs; `yield`s are not among them
    std::unordered_set<ValueId> values;  // that it has; of what control flow gives and carries these alone
};

// Of a kernel with rings, all of them by arrivals. Nothing where what is brought, or how often, depends on what the
// rest of the kernel does.
std::optional<ProducerPart> producer_part(const Function& kernel);

}  // namespace tsr::ir
