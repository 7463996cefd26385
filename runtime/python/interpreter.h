// The interpreter of Python that this library was loaded by. Its functions are found in the process by their names:
// nothing links Python, and nothing is compiled against its headers.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace tsr::runtime::python {

// The head of every object, as CPython's stable ABI has it. Builds without the GIL have another one.
struct Object {
    ssize_t references;
    Object* type;
};

using Function = Object* (*)(Object * self, Object* const* arguments, ssize_t count);

// PyMethodDef
struct Method {
    const char* name;
    Function function;
    int flags;
    const char* documentation;
};
constexpr int kFastCall = 0x0080;  // METH_FASTCALL

struct ThreadState;

// clang-format off
#define TSR_PYTHON_FUNCTIONS(X) \
    X(PyTuple_New, Object*(ssize_t)) X(PyTuple_Size, ssize_t(Object*)) X(PyTuple_GetItem, Object*(Object*, ssize_t)) X(PyTuple_SetItem, int(Object*, ssize_t, Object*)) \
    X(PyList_New, Object*(ssize_t)) X(PyList_Size, ssize_t(Object*)) X(PyList_GetItem, Object*(Object*, ssize_t)) X(PyList_SetItem, int(Object*, ssize_t, Object*)) \
    X(PyDict_New, Object*()) X(PyDict_Size, ssize_t(Object*)) X(PyDict_GetItemWithError, Object*(Object*, Object*)) X(PyDict_SetItem, int(Object*, Object*, Object*)) \
    X(PyFloat_FromDouble, Object*(double)) X(PyFloat_AsDouble, double(Object*)) X(PyBool_FromLong, Object*(long)) \
    X(PyLong_FromLongLong, Object*(long long)) X(PyLong_FromUnsignedLongLong, Object*(unsigned long long)) \
    X(PyLong_AsLongLongAndOverflow, long long(Object*, int*)) X(PyLong_AsUnsignedLongLong, unsigned long long(Object*)) \
    X(PyNumber_Index, Object*(Object*)) X(PyNumber_Float, Object*(Object*)) X(PyObject_IsTrue, int(Object*)) \
    X(PyUnicode_AsUTF8AndSize, const char*(Object*, ssize_t*)) X(PyObject_GetAttr, Object*(Object*, Object*)) X(PyObject_CallObject, Object*(Object*, Object*)) \
    X(PyCFunction_NewEx, Object*(Method*, Object*, Object*)) X(PyCapsule_New, Object*(void*, const char*, void (*)(Object*))) \
    X(PyCapsule_GetPointer, void*(Object*, const char*)) X(PyErr_Occurred, Object*()) X(PyErr_Clear, void()) X(Py_IncRef, void(Object*)) X(Py_DecRef, void(Object*)) \
    X(PyEval_SaveThread, ThreadState*()) X(PyEval_RestoreThread, void(ThreadState*)) X(PyInterpreterState_GetID, int64_t(void*))
#define TSR_PYTHON_OBJECTS(X) \
    X(PyFloat_Type) X(PyLong_Type) X(PyUnicode_Type) X(PyTuple_Type) X(PyList_Type) X(PyDict_Type)
// clang-format on

// The name of a function of CPython gives the function; the name of an object its address.
struct Interpreter {
    template <typename Signature>
    using Pointer = Signature*;
#define TSR_X(name, ...) Pointer<__VA_ARGS__> name = nullptr;
    TSR_PYTHON_FUNCTIONS(TSR_X)
#undef TSR_X
#define TSR_X(name) Object* name = nullptr;
    TSR_PYTHON_OBJECTS(TSR_X)
#undef TSR_X
    Object* none = nullptr;        // _Py_NoneStruct
    void* (*current)() = nullptr;  // PyInterpreterState_Get, which Python 3.8 has under another name

    // A new reference.
    [[nodiscard]] Object* retained(Object* object) const {
        Py_IncRef(object);
        return object;
    }
};

// Null: the process has no interpreter with all of these.
const Interpreter* interpreter();

// One owned reference, or none.
class Owned {
public:
    Owned() = default;
    explicit Owned(Object* object) : object_(object) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { reset(); }

    void reset(Object* object = nullptr) {
        if (object_ != nullptr) interpreter()->Py_DecRef(object_);
        object_ = object;
    }
    [[nodiscard]] Object* get() const { return object_; }
    Object* give() {
        Object* out = object_;
        object_ = nullptr;
        return out;
    }
    explicit operator bool() const { return object_ != nullptr; }

private:
    Object* object_ = nullptr;
};

}  // namespace tsr::runtime::python
