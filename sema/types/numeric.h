// The rules of numbers: which types join, what arithmetic works in, what a literal fits (language reference, section
// 3).
#pragma once

#include <optional>
#include <string>

#include "frontend/ast.h"
#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::sema {

// The one of two element types to which the other widens exactly. `index` with a signed integer gives `index`.
std::optional<DType> join(DType a, DType b);

// The type that a literal has alone: i32 (i64, u64 if needed) or f32. Other scalar types: their own.
DType settled(const Type& type, const std::optional<Static>& value);
// A literal type as a scalar type; other types as they are.
Type settled_type(const Type& type, const std::optional<Static>& value);

// Whether a type holds this number: integers exactly (in floats of 16 bits or fewer as f32 does, they are rounded where
// they are stored), floats in every float type.
bool holds(DType type, const Static& number);

// The join of scalars, literals, vectors, strings, tensors, buffers, lists, tuples; nothing if neither widens.
// `a_value` and `b_value` are the values of literals, if known. The join with the unknown type is the other one: what
// nothing is known of yet, or what an error was said of, says nothing of the type.
std::optional<Type> join(const Type& a, const Type& b, const std::optional<Static>& a_value = {},
                         const std::optional<Static>& b_value = {});

// True when a value of type `from` may stand where `to` is wanted without a cast.
bool converts(const Type& from, const std::optional<Static>& value, const Type& to);

// The type that arithmetic works in (numerics rules 2 and 3), for operands joined to `joined`.
DType compute_type(DType joined, const Policy& policy);
// The type of the result: `joined`, but the compute type for storage-only floats, and i8 for i4.
DType result_type(DType joined, const Policy& policy);

}  // namespace tsr::sema
