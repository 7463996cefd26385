#include "runtime/values/value_type.h"

namespace tsr::runtime {

const char* behind_name(const char* name) {
    while (*name != ';') ++name;
    return name + 1;
}

const char* behind_type(const char* type) {
    switch (*type) {
        case 'L':
            return behind_type(type + 1);
        case 'D':
            return behind_type(behind_type(type + 1));
        case '(':
            for (++type; *type != ')';) type = behind_type(type);
            return type + 1;
        case '{':
            for (type = behind_name(type + 1); *type != '}';) type = behind_type(behind_name(type));
            return type + 1;
        default:
            return type + 1;
    }
}

ItemTypes::ItemTypes(const char* container)
    : first_(*container == '{' ? behind_name(container + 1) : container + 1),
      at_(first_),
      named_(*container == '{'),
      again_(*container == 'L' || *container == 'D') {}

const char* ItemTypes::next() {
    const char* type = named_ ? behind_name(at_) : at_;
    at_ = behind_type(type);
    // A list has one type, a dictionary two.
    if (again_ && (first_[-1] == 'L' || type != first_)) at_ = first_;
    return type;
}

void retain_value(const char* type, TsrSlot value) {
    if (*type == 'T') tsr_tensor_retain(value.tensor);
    if (*type == 'S') tsr_string_retain(value.string);
    if (is_container_type(type)) tsr_list_retain(value.list);
}

void release_value(const char* type, TsrSlot value) {
    if (*type == 'T') tsr_tensor_release(value.tensor);
    if (*type == 'S') tsr_string_release(value.string);
    if (is_container_type(type)) tsr_list_release(value.list);
}

}  // namespace tsr::runtime
