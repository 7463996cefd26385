// Makes a function smaller without changing any bit of a result, on every level.
#pragma once

#include "ir/passes/pass.h"

namespace tsr::ir {

// Folds constants, takes the branch that a constant chooses, drops what is carried for nothing, computes equal pure
// values once, drops what nobody uses; until nothing changes.
void simplify(Function& function);

template <Level At>
Pass<At, At> simplify_pass() {
    return {"simplify",
            [](Function& function, PassContext&) {
                simplify(function);
                return true;
            },
            true};
}

// The parts, in the order in which they run. True when something changed.

// Element operations on constants become the constant that the evaluator would compute; a NaN never appears, its bits
// are the machine's. Neutral and absorbing integers and bools go.
bool fold_constants(Function& function);
// `if` of a constant, loops without a round, assertions that hold.
bool fold_branches(Function& function);
// What a loop yields unchanged is the initial value; what both branches yield is that value.
bool forward_carried(Function& function);
// A pure operation on the same operands as one before it that is visible gives the same value.
bool share_common(Function& function);
// Operations and carried values that no effect and no result of the function needs. Loops are taken to end.
bool drop_dead(Function& function);

}  // namespace tsr::ir
