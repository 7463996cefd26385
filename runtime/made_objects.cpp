#include "runtime/made_objects.h"

#include "runtime/abi.h"

namespace tsr::runtime {

constinit thread_local MadeObjects* made_objects = nullptr;

MadeObjects::MadeObjects() : outer_(made_objects) { made_objects = this; }

void MadeObjects::keep() {
    made_objects = outer_;
    count_ = 0;
    others_.clear();
}

MadeObjects::~MadeObjects() {
    made_objects = outer_;
    // Lists let go of what they hold first, while all of it is held here too.
    for_each([](void* object, ObjectKind kind) {
        if (kind == ObjectKind::tensor) tsr_tensor_retain(static_cast<TsrTensor*>(object));
        if (kind == ObjectKind::string) tsr_string_retain(static_cast<TsrString*>(object));
        if (kind == ObjectKind::list) tsr_list_retain(static_cast<TsrList*>(object));
    });
    for_each([](void* object, ObjectKind kind) {
        if (kind == ObjectKind::list) tsr_list_clear(static_cast<TsrList*>(object));
    });
    for_each([](void* object, ObjectKind kind) {
        if (kind == ObjectKind::tensor) {
            auto* tensor = static_cast<TsrTensor*>(object);
            tensor->refs = 1;
            tsr_tensor_release(tensor);
        } else if (kind == ObjectKind::string) {
            auto* string = static_cast<TsrString*>(object);
            string->refs = 1;
            tsr_string_release(string);
        } else {
            auto* list = static_cast<TsrList*>(object);
            list->refs = 1;
            tsr_list_release(list);
        }
    });
}

}  // namespace tsr::runtime
