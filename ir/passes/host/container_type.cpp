#include "ir/passes/host/container_type.h"

namespace tsr::ir {

std::string container_type(const Type& type) {
    std::string text;
    switch (type.kind) {
        case TypeKind::scalar:
            return {static_cast<char>('a' + static_cast<int>(type.elem))};
        case TypeKind::string:
            return "S";
        case TypeKind::list:
            return "L" + container_type(type.parts[0]);
        case TypeKind::dict:
            return "D" + container_type(type.parts[0]) + container_type(type.parts[1]);
        case TypeKind::tuple:
            for (const Type& part : type.parts) text += container_type(part);
            return "(" + text + ")";
        case TypeKind::record:
            for (size_t i = 0; i < type.parts.size(); ++i) {
                text += type.names[i + 1] + ";" + container_type(type.parts[i]);
            }
            return "{" + type.names[0] + ";" + text + "}";
        case TypeKind::none:
        case TypeKind::vector:
        case TypeKind::tensor:
        case TypeKind::buffer:
        case TypeKind::lane_array:
        case TypeKind::tile:
        case TypeKind::pointer:
            break;
    }
    return "T";
}

}  // namespace tsr::ir
