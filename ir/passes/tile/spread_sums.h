// Loops over `tile.range` that carry nothing but sums, products, least and greatest values: their rounds are dealt to
// the tiles of the group, which combine what each of them found as `tile.reduce_sum` and its kin do.
#pragma once

#include <optional>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// How each carried variable of a `for` is combined from round to round; nothing where one is used otherwise: read,
// assigned, combined in two ways, or of a type that no group reduces.
std::optional<std::vector<ReduceOp>> combined_variables(const Function& kernel, OpId loop);

// Whether a loop that is all there is in the body of another one carries on what that carries, and nothing else: the
// two are spread as one.
bool carries_on(const Function& kernel, OpId outer, OpId inner);

// Rewrites a nest of such loops, outermost first, whose bounds are the same for all tiles and may be computed before
// the nest:
//
//     for %j in tile.range(n) {%s}     becomes    %t = tile_id
//       %s + e(%j)                                for %i in range(0, n // size * size, size) {%p}: %p + e(%i + %t)
//                                                 if n // size * size + %t < n: once more
//                                                 %s + group_reduce %p
void spread_sums(Function& kernel, const std::vector<OpId>& nest);

}  // namespace tsr::ir
