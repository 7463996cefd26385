#include "runtime/python/entry.h"

#include <utility>

#include "runtime/numbers/dtypes.h"

namespace tsr::runtime::python {

Entry::~Entry() {
    for (Object* dtype : dtypes) {
        if (dtype != nullptr) python.Py_DecRef(dtype);
    }
}

// Whether values of the leaf pass without Python's code. The tree and the function's table must say the same of it.
bool Entry::passes(const Tree& leaf, int32_t kind, int32_t dtype) {
    if (kind == TSR_KIND_STRING) return leaf.leaf == "str";
    if (leaf.type != name(dtype)) return false;
    has_tensors_ = has_tensors_ || kind == TSR_KIND_TENSOR;
    if (kind == TSR_KIND_TENSOR) return leaf.leaf == "tensor";
    if (kind != TSR_KIND_SCALAR || leaf.leaf != "number" || bits(dtype) < 8) return false;
    switch (family(dtype)) {
        case Family::boolean:
        case Family::signed_integer:
        case Family::unsigned_integer:
            return true;
        case Family::floating:
            return bits(dtype) >= 32;  // Python rounds the others
        case Family::scale:
        case Family::complex:
            break;
    }
    return false;
}

// Asks Python's code for NumPy's functions and the element types: (table, types), or None while NumPy is not imported.
bool Entry::find_numpy() {
    if (has_other_numpy_) return false;
    const Owned given(python.PyObject_CallObject(types, nullptr));
    const size_t count = nparameters() + nresults();
    if (!given || given.get()->type != python.PyTuple_Type) {
        python.PyErr_Clear();
        return false;
    }
    if (numpy) return true;  // another thread found it while this one was in Python's code
    Object* found = python.PyTuple_GetItem(given.get(), 1);
    auto* table = static_cast<void**>(python.PyCapsule_GetPointer(python.PyTuple_GetItem(given.get(), 0), nullptr));
    if (table != nullptr && found != nullptr && python.PyTuple_Size(found) == static_cast<ssize_t>(count))
        numpy = numpy_of(table);
    python.PyErr_Clear();
    has_other_numpy_ = !numpy;
    for (size_t i = 0; numpy && i < count; ++i) {
        Object* dtype = python.PyTuple_GetItem(found, static_cast<ssize_t>(i));
        dtypes.push_back(dtype == python.none ? nullptr : python.retained(dtype));
    }
    return numpy.has_value();
}

bool Entry::read(Object* description) {
    if (description->type != python.PyTuple_Type || python.PyTuple_Size(description) != 5) return false;
    Object* trees = python.PyTuple_GetItem(description, 0);
    for (ssize_t i = 0; i < python.PyTuple_Size(trees); ++i) {
        std::optional<Tree> tree = read_tree(python, python.PyTuple_GetItem(trees, i));
        if (!tree) return false;
        parameters.push_back(std::move(*tree));
    }
    std::optional<Tree> tree = read_tree(python, python.PyTuple_GetItem(description, 1));
    if (!tree) return false;
    result = std::move(*tree);
    call = python.PyTuple_GetItem(description, 2);
    fail = python.PyTuple_GetItem(description, 3);
    types = python.PyTuple_GetItem(description, 4);
    std::vector<const Tree*> taken;
    std::vector<const Tree*> given;
    for (const Tree& parameter : parameters) add_leaves(parameter, taken);
    add_leaves(result, given);
    if (taken.size() != nparameters() || given.size() != nresults()) return false;
    for (size_t i = 0; i < taken.size(); ++i) {
        const TsrParameter& parameter = function.signature.parameters[i];
        if (!passes(*taken[i], parameter.kind, parameter.dtype)) return false;
    }
    for (size_t i = 0; i < given.size(); ++i) {
        const TsrResult& of = function.results[i];
        if (of.kind == TSR_KIND_STRING || !passes(*given[i], of.kind, of.dtype)) return false;
    }
    return true;
}

std::unique_ptr<Entry> read_entry(const Interpreter& python, const TsrLibraryFunction& function, Object* description) {
    // Objects of one interpreter must not reach another: NumPy belongs to the main one.
    if (python.PyInterpreterState_GetID(python.current()) != 0) return nullptr;
    auto out = std::make_unique<Entry>(python, function);
    return out->read(description) ? std::move(out) : nullptr;
}

}  // namespace tsr::runtime::python
