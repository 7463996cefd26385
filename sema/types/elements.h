// What elementwise operations see of scalars, vectors, register tiles and tensors alike: their elements join (numerics
// rule 1), shapes meet as NumPy's do.
#pragma once

#include <optional>
#include <vector>

#include "sema/types/numeric.h"

namespace tsr::sema {

// A vector, register tile or tensor.
bool holds_elements(const Type& type);
// A number, bool, vector, register tile or tensor.
bool is_element(const Type& type);
// Of a vector, tile or tensor its elements' type as a scalar, policies included; other types themselves.
Type element_type(const Type& type);
bool has_integers(const Type& type);
bool has_floats(const Type& type);
bool has_bools(const Type& type);
// A complex number, or a tensor of them.
bool is_complex(const Type& type);
bool is_complex_number(const Type& type);
bool is_complex_tensor(const Type& type);
// A shared buffer, or an array of each tile's own.
bool is_memory_of_kernel(const Type& type);
// The vector, tile or tensor with bools for elements; else `bool`.
Type bool_like(const Type& type);

// The shape of an operation on two tiles: axes are matched from the last one on, an extent of 1 is repeated. Nothing
// where two extents differ.
std::optional<std::vector<int64_t>> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b);
// The same of tensors. Extents that are not known to be equal are taken as equal: the program compares them.
std::optional<std::vector<ir::Dim>> broadcast(const std::vector<ir::Dim>& a, const std::vector<ir::Dim>& b);
// A tensor that an operation gives, which nobody else holds; without axes an element. `element` is a scalar.
Type new_tensor(const Type& element, std::vector<ir::Dim> shape);
// Whether a tile repeated to the other shape is all of it.
bool repeats_to(const std::vector<int64_t>& shape, const std::vector<int64_t>& to);

// The result of arithmetic on operands joined to this type, and what it works in (numerics rules 2 and 3).
Type number_result(const Type& joined);
DType number_compute(const Type& joined);
// What a choice between values of the type holds them in (numerics rule 3); nothing of what has no elements, or of
// literals, which get a type where their values are known.
std::optional<DType> number_choice(const Type& type);

}  // namespace tsr::sema
