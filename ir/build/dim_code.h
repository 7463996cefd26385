// A dimension as arithmetic on values of type index, and back.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "ir/build/builder.h"
#include "ir/core/dim.h"

namespace tsr::ir {

// What makes the operations.
struct DimMaker {
    std::function<ValueId(int64_t)> constant;
    std::function<ValueId(OpKind, ValueId, ValueId)> binary;  // `add`, `mul`, `floordiv`, `maximum`
    std::function<ValueId(const std::string&)> symbol;
    // Told of each quotient before it is made, the inner ones first; may be empty.
    std::function<void(const Dim::Atom&, ValueId numerator, ValueId denominator)> divides;
};

// Sums of products, the coefficient last: n*k*2 + m. Both kinds of quotient are rounded down; that an exact one divides
// is for `divides` to check.
ValueId dim_code(const Dim& dim, const DimMaker& maker);
// At the builder's place.
ValueId dim_code(const Dim& dim, Builder& builder, std::function<ValueId(const std::string&)> symbol);

// The symbols whose values a call of the function knows when it begins: those in the shapes of its parameters, and its
// parameters.
std::set<std::string> bound_by_parameters(const Function& fn);

// The value as a formula of the function's dimensions, where it is one.
std::optional<Dim> dimension_of(const Function& fn, ValueId value);
// The same of a graph function where integers that it is given may be sizes: such a parameter becomes a dimension.
std::optional<Dim> dimension_given(Function& fn, ValueId value);

}  // namespace tsr::ir
