#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

void simplify(Function& function) {
    // Each round can make the next one's constants; chains longer than this stay for the next run.
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
        bool changed = fold_constants(function);
        changed |= fold_branches(function);
        changed |= forward_carried(function);
        changed |= share_common(function);
        changed |= drop_dead(function);
        if (!changed) return;
    }
}

}  // namespace tsr::ir
