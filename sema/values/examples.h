// Types of batches: with an axis of examples, and without.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// What one example is, of a tensor or a tree of them: without the axis. Nothing where there is none.
std::optional<Type> example_type(const Type& type, int64_t axis);
// The extents of that axis in all leaves.
void add_examples(const Type& type, int64_t axis, std::vector<ir::Dim>& extents);
// With an axis of examples; nothing where it has no such place.
std::optional<Type> batched_type(const Type& of, int64_t axis, const ir::Dim& examples);
// The member of a parameter that stands for one example; no name of a program.
constexpr const char* kOneExample = "one example";
// In a function that `vmap` made: what the function that is batched is given for a parameter; nothing where that is the
// same for all examples.
std::optional<Type> type_of_example(const Body& b, const std::string& parameter);

}  // namespace tsr::sema
