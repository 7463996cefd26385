// Sums of products of two tensors whose axes are named by letters, as operations of a Graph function.
#pragma once

#include <functional>
#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

struct SumOfProducts {
    ValueId a, b;
    std::string a_letters, b_letters, result;  // each letter once in each; those of the result stand in an operand
    DType type = DType::f32;                   // of each product and each partial sum
    bool tf32 = false;                         // of `contract`
    std::vector<Dim> blocks = {};              // of `contract`: those that are asked for
};
// Makes an operation and gives its only result.
using MakeOperation = std::function<ValueId(OpKind, std::vector<ValueId>, Attrs)>;
// One `contract` where that takes them, else products of elements and sums along one axis after another. Letters that
// stand in one operand alone are summed before.
ValueId sum_of_products(const Function& function, const MakeOperation& make, SumOfProducts of);

}  // namespace tsr::ir
