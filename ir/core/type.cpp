#include "ir/core/type.h"

namespace tsr::ir {

namespace {

std::string shape_text(const std::vector<Dim>& shape) {
    std::string text = "[";
    for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + shape[i].text();
    return text + "]";
}

std::string_view space_name(Space space) {
    switch (space) {
        case Space::global:
            return "global";
        case Space::shared:
            return "shared";
        case Space::stack:
            return "stack";
    }
    return "";
}

std::string element_text(const Type& type) {
    std::string text(name(type.elem));
    if (type.width > 0) text += "x" + std::to_string(type.width);
    return text;
}

std::string parts_text(const Type& type) {
    std::string text = "(";
    for (size_t i = 0; i < type.parts.size(); ++i) {
        text += i == 0 ? "" : ", ";
        if (i + 1 < type.names.size()) text += type.names[i + 1] + " ";
        text += type.parts[i].text();
    }
    return text + ")";
}

}  // namespace

std::string Type::text() const {
    switch (kind) {
        case TypeKind::none:
            return "none";
        case TypeKind::scalar:
            return std::string(name(elem));
        case TypeKind::vector:
            return element_text(*this);
        case TypeKind::tensor:
            return (mut ? "mut " : "") + std::string(name(elem)) + shape_text(shape) + policy.text();
        case TypeKind::buffer:
            return "shared " + std::string(name(elem)) + shape_text(shape);
        case TypeKind::lane_array:
            return "lanes " + element_text(*this);
        case TypeKind::tile:
            return "tile " + std::string(name(elem)) + shape_text(shape);
        case TypeKind::pointer:
            return "ptr " + std::string(name(elem)) + " " + std::string(space_name(space));
        case TypeKind::string:
            return "string";
        case TypeKind::list:
            return "list " + parts[0].text();
        case TypeKind::dict:
            return "dict " + parts[0].text() + " " + parts[1].text();
        case TypeKind::tuple:
            return "tuple" + parts_text(*this);
        case TypeKind::record:
            return "record " + names[0] + parts_text(*this);
    }
    return "";
}

}  // namespace tsr::ir
