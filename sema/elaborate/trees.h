// Trees: tuples and records of tensors and numbers, nested. A graph takes and gives them leaf by leaf; in it a record
// is a value, the tuple of its fields.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// How many parts a tree has; nothing of a leaf. A list has as many as its type says.
std::optional<size_t> part_count(const sema::Type& type);
const sema::Type& part_type(const sema::Type& type, size_t i);
bool has_lists(const sema::Type& type);
// On the host: fails when the program runs unless each list in a tree has the length that its type says.
void require_lengths(Body& b, const Val& value, const sema::Type& type);
// The names of a tree's leaves: `layers.0.w`; what is no tree has the name of the whole.
void leaf_names(const sema::Type& type, const std::string& whole, std::vector<std::string>& names);

// In a graph function: parameters for the leaves, named `model.w`, and symbols for their extents. Fields whose class
// gives extents one name have one symbol.
Val tree_parameter(Body& b, const sema::Type& type, const std::string& name);

// In a host function: the leaves of what a graph is given, and the types of what it gives.
void tree_leaves(Body& b, const Val& value, const sema::Type& type, std::vector<ir::ValueId>& leaves);
void tree_types(const sema::Type& type, std::vector<ir::Type>& types);
// For the same leaves: whether their cotangents are stored as `@loss_scale` says.
std::vector<bool> leaves_with_stored_cotangents(const sema::Type& type);
// And the tree that these are.
Val tree_of_leaves(Body& b, const sema::Type& type, const std::vector<ir::ValueId>& leaves, size_t& next);

// In a graph, of a call that becomes a part of it: what the extents of a tree's type are that no parameter binds by
// itself.
void bind_tree_symbols(Body& b, const Val& value, const sema::Type& type, std::map<std::string, ir::Dim>& dims);

}  // namespace tsr::elaborate
