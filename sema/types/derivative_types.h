// Types of gradients, tangents and cotangents.
#pragma once

#include <optional>
#include <vector>

#include "sema/types/type.h"

namespace tsr::sema {

bool is_of_floats(const Type& type);  // a number or tensor
bool holds_floats(const Type& type);  // also in a tuple or record
// Rounded once; of fewer than 16 bits: the type that sums of it are accumulated in. Of a tree a tree of the same form,
// in which what holds no floats is as it was given.
Type gradient_type(const Type& of, std::optional<DType> out);
// What a program is given: that of a tensor with `@loss_scale` is divided by the scale, and has the accumulation type.
Type read_gradient_type(const Type& of, std::optional<DType> out);
// What stands for a value of the type in a derivative: a tree of the same form, whose floats are of one type and shape
// with it; what holds no floats may be anything.
bool stands_for(const Type& given, const Type& wanted);
// And what holds no floats is of that type.
bool stands_for_exactly(const Type& given, const Type& wanted);
Type one_or_tuple(std::vector<Type> types);

}  // namespace tsr::sema
