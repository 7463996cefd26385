// Module constants that are lists of numbers, or of such lists: kernels index them by anything.
#pragma once

#include "sema/program/tables.h"

namespace tsr::sema {

// Of `K` or `K[i][j]`…, K a constant of a module that is a list: the list. Null for any other expression.
const Static* table_below(const Instance& instance, const ast::Expr& e);
// Whether all lists in it are as long as their neighbours, of numbers or truth values, none empty.
bool is_rectangular(const Static& list);
// The type of the elements: that of literals that stand alone, wide enough for all of them.
DType table_element(const Static& list);

}  // namespace tsr::sema
