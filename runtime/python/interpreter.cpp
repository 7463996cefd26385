#include "runtime/python/interpreter.h"

#include <dlfcn.h>

namespace tsr::runtime::python {

namespace {

template <typename Pointer>
bool find(Pointer& out, const char* name) {
    out = reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, name));
    return out != nullptr;
}

bool find_all(Interpreter& out) {
    bool all = find(out.none, "_Py_NoneStruct");
    all = all && (find(out.current, "PyInterpreterState_Get") || find(out.current, "_PyInterpreterState_Get"));
#define TSR_X(name, ...) all = all && find(out.name, #name);
    TSR_PYTHON_FUNCTIONS(TSR_X)
    TSR_PYTHON_OBJECTS(TSR_X)
#undef TSR_X
    return all;
}

}  // namespace

const Interpreter* interpreter() {
    static Interpreter found;
    static const bool all = find_all(found);
    return all ? &found : nullptr;
}

}  // namespace tsr::runtime::python
