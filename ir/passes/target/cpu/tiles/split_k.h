// Products of few groups whose sums over k are long: groups of their own sum parts of k.
#pragma once

#include <optional>

#include "ir/passes/target/cpu/tiles/pack_operands.h"

namespace tsr::ir {

// The sums of so many parts have room; where k is longer a group sums all.
inline constexpr int64_t kMostParts = 64;

// The steps over k that a part can have: of the only loop over products of a kernel in group form, where its parts can
// be summed apart. Nothing: they can not.
std::optional<int64_t> splits_k(const Function& kernel);

// `kernel` is in group form with a plan that has `split`, its steps over k are merged. Its loop over products becomes
// one over the sums of parts, `split` of k each, that stand in a buffer: one more parameter of the kernel, the last.
// The answer fills it: its grid has one more axis, of parts. The order of the sum follows from the sizes alone.
PackedOperand split_k(Function& kernel);

}  // namespace tsr::ir
