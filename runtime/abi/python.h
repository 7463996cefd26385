/* A part of runtime/abi.h: functions of libraries as CPython calls them. */
#ifndef TSR_RUNTIME_ABI_PYTHON_H
#define TSR_RUNTIME_ABI_PYTHON_H

#ifdef __cplusplus
extern "C" {
#endif

struct TsrLibraryFunction;

/* A new callable of Python (PyObject*) for a function; the caller holds the GIL. `description` is a tuple (parameters,
 * result, call, fail, types), as driver/python/_tessera.py makes it: the trees of the parameters and of the result;
 * what takes the calls whose arguments are of other kinds; what raises the exception for a status; what gives NumPy's
 * table of functions and the element types. NULL without an exception where the interpreter or the description is none
 * that this runtime knows: every call belongs to `call` then. */
void* tsr_python_function(const struct TsrLibraryFunction* function, void* description);

#ifdef __cplusplus
}
#endif

#endif
