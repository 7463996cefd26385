// Sequences: what is gone through by position. Lists, and what `enumerate`, `zip` and `reversed` make of others without
// a list of it.
#pragma once

#include <functional>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

struct Sequence {
    Val length;
    std::function<Val(const Val& position)> at;
    std::function<Val()> length_now;  // of a list, which the rounds of a loop may change
};
Sequence sequence_of(Body& b, const ast::Expr& e);
// Of a list, dictionary (its keys) or string.
Sequence sequence_of(Body& b, const Val& value, const sema::Type& type);

// True of what a loop goes through by a Sequence.
bool is_sequence(Body& b, const ast::Expr& e);

}  // namespace tsr::elaborate
