// The forms of arguments and results: trees of Python's containers and of classes, as the package's `caller` has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/python/interpreter.h"

namespace tsr::runtime::python {

enum class Form : uint8_t { leaf, none, tuple, list, dict, record };

// Objects are borrowed from the tuple that the tree was read from.
struct Tree {
    Form form = Form::leaf;
    std::string_view leaf;  // of a leaf: "tensor", "number" or "str"
    std::string_view type;  // of its elements: "f32"
    std::vector<Tree> parts;
    std::vector<Object*> keys;  // of a dict, a record: strings
    Object* made_by = nullptr;  // of a record: its class
};

// ("tensor", …), ("number", …), ("str",), ("none",), ("tuple", trees), ("list", trees), ("dict", keys, trees) or
// ("record", class, keys, trees). Nothing for any other object.
std::optional<Tree> read_tree(const Interpreter& python, Object* described);

void add_leaves(const Tree& tree, std::vector<const Tree*>& leaves);

// Takes a reference to each leaf of a value. False, without an exception, where the value is of another form, or of one
// of the rarer forms that Python's own `_flatten` accepts; references that were taken stay taken.
bool take_leaves(const Interpreter& python, const Tree& tree, Object* value, Object**& next);

// A new reference to the value whose leaves these are; takes those that it sets to null. Null: an exception.
Object* built(const Interpreter& python, const Tree& tree, Object**& next);

}  // namespace tsr::runtime::python
