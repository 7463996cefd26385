#include "sema/program/names.h"

namespace tsr::sema {

std::string_view text(NameKind kind) {
    switch (kind) {
        case NameKind::variable:
            return "variable";
        case NameKind::parameter:
            return "parameter";
        case NameKind::tuning_parameter:
            return "tuning parameter";
        case NameKind::dimension:
            return "dimension";
        case NameKind::type_variable:
            return "type variable";
        case NameKind::function:
            return "function";
        case NameKind::class_:
            return "class";
        case NameKind::field:
            return "field";
        case NameKind::method:
            return "method";
        case NameKind::property:
            return "property";
        case NameKind::module:
            return "module";
        case NameKind::name_space:
            return "name space";
        case NameKind::builtin:
            return "builtin";
        case NameKind::builtin_parameter:
            return "builtin's parameter";
        case NameKind::element_type:
            return "element type";
        case NameKind::decorator:
            return "decorator";
        case NameKind::clause:
            return "clause";
        case NameKind::policy:
            return "policy";
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
