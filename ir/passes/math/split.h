#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// A positive number as 2^k m.
struct Split {
    Term k;
    Term f;  // m - 1, exact
};

// logarithm.cpp of each format.
namespace f32 {
// sqrt(1/2) <= m < sqrt(2), of a positive normal number; k is that of x times 2^scaled.
Split split_at_root(Term x, Term scaled);
// Positive, normal and below 2^126.
Term is_common(Term x);
}  // namespace f32
namespace f64 {
// As for f32.
Split split_at_root(Term x, Term scaled);
// Positive, normal and below 2^1022.
Term is_common(Term x);
}  // namespace f64

}  // namespace tsr::ir::math
