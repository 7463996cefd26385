// The keys of what stochastic rounding draws, and the places in the program that they belong to.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The number of a random operation among all of the program, in the order of the text, from 1: other text may change
// without changing it.
int64_t random_place(Body& b, const ast::Expr& e);

// Operands of `philox`: the seed; the place, and how often the program has run it before.
struct RandomKey {
    ir::ValueId seed;
    ir::ValueId stream;
};

// The number of a place that rounds by chance: `written` names what is stored, or is what is returned.
int64_t random_site(Body& b, const ast::Expr& written);

// Of a store that rounds by chance. A kernel is given them where it is launched.
RandomKey random_key(Body& b, const ast::Expr& written);

// Of a random operation in a graph function. A call of the function is given them (`give_random_keys`).
RandomKey operation_key(Body& b, const ast::Expr& e, const ast::Expr* seed);

// What a launch gives a kernel behind its own arguments: the keys of its stores.
std::vector<ir::ValueId> random_arguments(Body& b, const ir::Function& kernel);

}  // namespace tsr::elaborate
