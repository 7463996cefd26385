// Joins and conversions of the checker's types, and what a literal fits (language reference, section 3). The rules of
// element types and policies are those of base/numerics.h.
#pragma once

#include <optional>
#include <string>

#include "base/numerics.h"
#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::sema {

// The type that a static number or truth value has alone: i32 (i64, u64 if needed), f32, bool.
DType settled(const Static& value);
// The type that a literal has alone. Other scalar types: their own.
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

// A part of a tuple or record as the text of a program reads it: `[0]`, `.first`, `["w"]`.
std::string part_text(const Type& tree, size_t i);

// A field of a record, or a part of one, whose elements are of another type than `to` has there: a function gave them
// for each leaf of a tree.
struct OtherField {
    std::string path;  // ".first.w"
    Type given, wanted;
};
std::optional<OtherField> other_field(const Type& from, const Type& to);

}  // namespace tsr::sema
