// What every element operation does to scalars, bit for bit (language reference, section 3). The evaluator runs it, the
// simplifier folds constants with it: one source of truth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/core/attribute.h"
#include "ir/core/opkind.h"

namespace tsr::ir {

// A scalar's bits in canonical form: integers extended to 64 bits by their sign (unsigned ones and bool by zeros),
// floats in the low bits of their format with zeros above.
using Bits = uint64_t;

// The low bits of `raw` as an element of the type, in canonical form.
Bits canonical(DType type, uint64_t raw);

// A constant's attributes, and back.
Bits constant_bits(const Attrs& attrs);
AttrValue constant_value(DType type, Bits bits);

// The element of the table that the attributes hold.
Bits table_element(const Attrs& attrs, Bits index);

Bits cast_scalar(DType from, DType to, Bits value);

// `type` is that of the operands (of `select`: of its two values), `to` that of the result.
using ScalarFn = Bits (*)(const Bits* operands, DType type, DType to);

// Null where the operation's record refuses the type.
ScalarFn scalar_function(OpKind kind, DType type);

// The result; nothing where the operation's record refuses the type.
std::optional<Bits> fold(OpKind kind, DType type, DType to, std::span<const Bits> operands);

// Whether the result is fixed to the bit on every engine. The others (exp, sin, …) have a bound: what is computed here
// is the double's (for f64 the long double's) value, rounded once.
bool is_exact(OpKind kind, DType type);

}  // namespace tsr::ir
