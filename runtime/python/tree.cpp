#include "runtime/python/tree.h"

#include <algorithm>
#include <array>

namespace tsr::runtime::python {

namespace {

struct FormRow {
    std::string_view name;
    Form form;
    ssize_t parts;  // where they stand in the description; 0: it has none
    ssize_t keys;
    ssize_t made_by;
};
constexpr std::array<FormRow, 8> kForms{{
    {"tensor", Form::leaf, 0, 0, 0},
    {"number", Form::leaf, 0, 0, 0},
    {"str", Form::leaf, 0, 0, 0},
    {"none", Form::none, 0, 0, 0},
    {"tuple", Form::tuple, 1, 0, 0},
    {"list", Form::list, 1, 0, 0},
    {"dict", Form::dict, 2, 1, 0},
    {"record", Form::record, 3, 2, 1},
}};

// Empty for what is no text. The object keeps it.
std::string_view text_of(const Interpreter& python, Object* object) {
    ssize_t length = 0;
    if (object == nullptr || object->type != python.PyUnicode_Type) return {};
    const char* text = python.PyUnicode_AsUTF8AndSize(object, &length);
    return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(length));
}

bool take_fields(const Interpreter& python, const Tree& tree, Object* value, Object**& next) {
    for (size_t i = 0; i < tree.parts.size(); ++i) {
        const Owned part(python.PyObject_GetAttr(value, tree.keys[i]));
        if (!part) {
            python.PyErr_Clear();
            return false;
        }
        if (!take_leaves(python, tree.parts[i], part.get(), next)) return false;
    }
    return true;
}

// A part that its container owns, null where it has none: it is held meanwhile, since an attribute of a record may run
// code that changes the container.
bool take_borrowed(const Interpreter& python, const Tree& tree, Object* part, Object**& next) {
    if (part == nullptr) {
        python.PyErr_Clear();
        return false;
    }
    const Owned held(python.retained(part));
    return take_leaves(python, tree, part, next);
}

bool take_entries(const Interpreter& python, const Tree& tree, Object* value, Object**& next) {
    if (python.PyDict_Size(value) != static_cast<ssize_t>(tree.parts.size())) return false;
    for (size_t i = 0; i < tree.parts.size(); ++i) {
        if (!take_borrowed(python, tree.parts[i], python.PyDict_GetItemWithError(value, tree.keys[i]), next))
            return false;
    }
    return true;
}

bool take_items(const Interpreter& python, const Tree& tree, Object* value, Object**& next) {
    const bool tuple = value->type == python.PyTuple_Type;
    const auto size_of = tuple ? python.PyTuple_Size : python.PyList_Size;
    const auto item_of = tuple ? python.PyTuple_GetItem : python.PyList_GetItem;
    if (size_of(value) != static_cast<ssize_t>(tree.parts.size())) return false;
    for (size_t i = 0; i < tree.parts.size(); ++i) {
        if (!take_borrowed(python, tree.parts[i], item_of(value, static_cast<ssize_t>(i)), next)) return false;
    }
    return true;
}

Object* built_dict(const Interpreter& python, const Tree& tree, Object**& next) {
    Owned out(python.PyDict_New());
    for (size_t i = 0; out && i < tree.parts.size(); ++i) {
        const Owned part(built(python, tree.parts[i], next));
        if (!part || python.PyDict_SetItem(out.get(), tree.keys[i], part.get()) != 0) return nullptr;
    }
    return out.give();
}

Object* built_sequence(const Interpreter& python, const Tree& tree, Object**& next) {
    const bool list = tree.form == Form::list;
    const auto size = static_cast<ssize_t>(tree.parts.size());
    Owned out(list ? python.PyList_New(size) : python.PyTuple_New(size));
    for (ssize_t i = 0; out && i < size; ++i) {
        Object* part = built(python, tree.parts[static_cast<size_t>(i)], next);
        if (part == nullptr) return nullptr;
        (list ? python.PyList_SetItem : python.PyTuple_SetItem)(out.get(), i, part);
    }
    return out.give();
}

}  // namespace

std::optional<Tree> read_tree(const Interpreter& python, Object* described) {
    if (described->type != python.PyTuple_Type || python.PyTuple_Size(described) < 1) return std::nullopt;
    const std::string_view name = text_of(python, python.PyTuple_GetItem(described, 0));
    const auto* row = std::ranges::find(kForms, name, &FormRow::name);
    if (row == kForms.end() || python.PyTuple_Size(described) <= row->parts) return std::nullopt;
    Tree out;
    out.form = row->form;
    if (row->form == Form::leaf) out.leaf = row->name;
    if (row->form == Form::leaf && python.PyTuple_Size(described) > 1)
        out.type = text_of(python, python.PyTuple_GetItem(described, 1));
    if (row->made_by > 0) out.made_by = python.PyTuple_GetItem(described, row->made_by);
    if (row->parts == 0) return out;
    Object* parts = python.PyTuple_GetItem(described, row->parts);
    Object* keys = row->keys > 0 ? python.PyTuple_GetItem(described, row->keys) : nullptr;
    for (ssize_t i = 0; i < python.PyTuple_Size(parts); ++i) {
        std::optional<Tree> part = read_tree(python, python.PyTuple_GetItem(parts, i));
        if (!part) return std::nullopt;
        out.parts.push_back(std::move(*part));
        if (keys != nullptr) out.keys.push_back(python.PyTuple_GetItem(keys, i));
    }
    return out;
}

void add_leaves(const Tree& tree, std::vector<const Tree*>& leaves) {
    if (tree.form == Form::leaf) leaves.push_back(&tree);
    for (const Tree& part : tree.parts) add_leaves(part, leaves);
}

bool take_leaves(const Interpreter& python, const Tree& tree, Object* value, Object**& next) {
    if (tree.form == Form::leaf) {
        *next++ = python.retained(value);
        return true;
    }
    if (tree.form == Form::none) return false;
    if (value->type == python.PyTuple_Type || value->type == python.PyList_Type)
        return take_items(python, tree, value, next);
    const bool named = tree.form == Form::dict || tree.form == Form::record;
    if (named && value->type == python.PyDict_Type) return take_entries(python, tree, value, next);
    return tree.form == Form::record && value->type == tree.made_by && take_fields(python, tree, value, next);
}

Object* built(const Interpreter& python, const Tree& tree, Object**& next) {
    switch (tree.form) {
        case Form::leaf: {
            Object* leaf = *next;
            *next++ = nullptr;
            return leaf;
        }
        case Form::none:
            return python.retained(python.none);
        case Form::dict:
            return built_dict(python, tree, next);
        case Form::tuple:
        case Form::list:
            return built_sequence(python, tree, next);
        case Form::record: {
            const Owned parts(built_sequence(python, tree, next));
            return parts ? python.PyObject_CallObject(tree.made_by, parts.get()) : nullptr;
        }
    }
    return nullptr;
}

}  // namespace tsr::runtime::python
