// Values of a Graph function that are computed again where they are used late, so that they need no memory between.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

struct Recomputed {
    ValueId value;
    OpId before;     // the first use that takes the second copy
    int64_t bytes;   // that the value has
    int64_t work;    // operations to compute it again
    int64_t extent;  // of dimensions that only the run knows, for both
};

// The number of bytes, or of whatever a dimension counts, where each symbol is `extent`; nothing where it is no whole
// number then.
std::optional<int64_t> at_extent(const Dim& dim, int64_t extent);

// Values that may be computed again for their late uses, those that save most bytes for their work first, dimensions
// that only the run knows taken for `extent`: values made by element operations, by operations that move elements, and
// by products, out of values that are there anyway. What rounds in an order that its kernel chooses (sums) is kept, so
// that bits stay.
std::vector<Recomputed> recomputable(const Function& graph, int64_t extent);

// Computes it again, if it still may be. The copies are made of `reshape` with `anew`: nothing shares them with what
// was computed.
bool recompute(Function& graph, const Recomputed& chosen);

// What a function needs: how far it is beyond the limit, in bytes summed over the times at which it makes a tensor; the
// most bytes at once; and those of all tensors that it makes.
struct MemoryNeed {
    int64_t beyond = 0, most = 0, all = 0;
    auto operator<=>(const MemoryNeed&) const = default;
};

struct MemoryFit {
    int64_t before = 0, after = 0;   // the most bytes at once
    std::vector<Recomputed> chosen;  // values of the function, in the order of the choice
};
// What a function needs, and how far that is beyond a limit; nothing where that is not known, or it has no code.
using MemoryNeedOf = std::function<std::optional<MemoryNeed>(const Function& graph, int64_t limit)>;
// Computes values again until the function needs at most `limit` bytes at once, or no value that is left lessens what
// is beyond, or `tries` functions were tried. Dimensions that only the run knows count as `extent`, as `need_of` counts
// them, too. Nothing, where `need_of` knows nothing of the function.
std::optional<MemoryFit> fit_memory(Function& graph, int64_t limit, int64_t extent, int tries,
                                    const MemoryNeedOf& need_of);

}  // namespace tsr::ir
