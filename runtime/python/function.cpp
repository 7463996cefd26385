// A function of a library as a callable of CPython. It takes the calls whose arguments are NumPy's dense arrays,
// numbers, strings, and containers of these; Python's own code takes every other call, and raises every error.
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "runtime/abi.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/python/entry.h"
#include "runtime/room.h"

namespace tsr::runtime::python {

namespace {

constexpr const char* kFunctionCapsule = "tessera.function";
constexpr const char* kTensorCapsule = "tessera.tensor";

bool fits(int64_t value, int32_t dtype) {
    const int shift = bits(dtype) - 1;
    return value >> shift == 0 || value >> shift == -1;
}

void destroy_tensor(Object* capsule) {
    auto* tensor = static_cast<TsrDLManagedTensor*>(interpreter()->PyCapsule_GetPointer(capsule, kTensorCapsule));
    tensor->deleter(tensor);
}

// One call.
class Call {
public:
    explicit Call(Entry& entry)
        : entry_(entry),
          python_(entry.python),
          leaves_(entry.nparameters()),
          tensors_(entry.nparameters()),
          slots_(entry.nparameters()),
          values_(entry.nresults()),
          places_(entry.nresults()),
          objects_(entry.nresults()) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
        for (Object** leaf = leaves_.data(); leaf < taken_; ++leaf) python_.Py_DecRef(*leaf);
    }

    // False, without an exception: Python's code takes the call.
    bool take(Object* const* arguments, ssize_t count) {
        if (count != static_cast<ssize_t>(entry_.parameters.size()) || !entry_.has_numpy()) return false;
        taken_ = leaves_.data();
        for (size_t i = 0; i < entry_.parameters.size(); ++i) {
            if (!take_leaves(python_, entry_.parameters[i], arguments[i], taken_)) return false;
        }
        // Numbers first: what makes one of an object is code that may change an array.
        for (size_t i = 0; i < entry_.nparameters(); ++i) {
            const TsrParameter& parameter = entry_.function.signature.parameters[i];
            if (parameter.kind == TSR_KIND_SCALAR && !take_number(parameter, i)) return refuse();
        }
        for (size_t i = 0; i < entry_.nparameters(); ++i) {
            const TsrParameter& parameter = entry_.function.signature.parameters[i];
            if (parameter.kind == TSR_KIND_TENSOR && !take_tensor(parameter, i)) return false;
            if (parameter.kind == TSR_KIND_STRING && !take_string(i)) return refuse();
        }
        return true;
    }

    Object* run() {
        for (size_t i = 0; i < entry_.nresults(); ++i) {
            values_[i] = 0;
            places_[i] = &values_[i];
        }
        ThreadState* thread = python_.PyEval_SaveThread();
        const int32_t status = tsr_call(&entry_.function, slots_.data(), places_.data());
        python_.PyEval_RestoreThread(thread);
        return status == TSR_OK ? result() : failure(status);
    }

private:
    bool take_tensor(const TsrParameter& parameter, size_t i) {
        Object* leaf = leaves_[i];
        if (leaf->type != entry_.numpy->array) return false;
        const auto& array = reinterpret_cast<const Array&>(*leaf);
        if (!array.is_dense() || (parameter.mut != 0 && !array.is_writable())) return false;
        if (array.type != entry_.dtypes[i] && entry_.numpy->are_same_types(array.type, entry_.dtypes[i]) == 0)
            return false;
        const auto code = static_cast<uint8_t>(row(parameter.dtype).dlpack);
        const auto width = static_cast<uint8_t>(bits(parameter.dtype));
        tensors_[i] = {array.data, {TSR_DL_CPU, 0}, array.rank, {code, width, 1}, array.shape, nullptr, 0};
        slots_[i].tensor = reinterpret_cast<TsrTensor*>(&tensors_[i]);
        return true;
    }

    bool take_string(size_t i) {
        if (leaves_[i]->type != python_.PyUnicode_Type) return false;
        ssize_t length = 0;
        const char* text = python_.PyUnicode_AsUTF8AndSize(leaves_[i], &length);
        if (text == nullptr) return false;
        slots_[i].string = reinterpret_cast<TsrString*>(const_cast<char*>(text));
        return std::strlen(text) == static_cast<size_t>(length);
    }

    bool take_number(const TsrParameter& parameter, size_t i) {
        Object* leaf = leaves_[i];
        TsrSlot& slot = slots_[i];
        slot.bits = 0;
        switch (family(parameter.dtype)) {
            case Family::boolean: {
                const int truth = python_.PyObject_IsTrue(leaf);
                slot.bits = truth > 0 ? 1 : 0;
                return truth >= 0;
            }
            case Family::signed_integer: {
                const Owned number(converted(leaf, python_.PyLong_Type, python_.PyNumber_Index));
                if (!number) return false;
                int overflow = 0;
                slot.integer = python_.PyLong_AsLongLongAndOverflow(number.get(), &overflow);
                return overflow == 0 && fits(slot.integer, parameter.dtype);
            }
            case Family::unsigned_integer: {
                const Owned number(converted(leaf, python_.PyLong_Type, python_.PyNumber_Index));
                if (!number) return false;
                slot.bits = python_.PyLong_AsUnsignedLongLong(number.get());
                if (slot.bits == std::numeric_limits<uint64_t>::max() && python_.PyErr_Occurred() != nullptr)
                    return false;
                return bits(parameter.dtype) == 64 || slot.bits >> bits(parameter.dtype) == 0;
            }
            case Family::floating: {
                const Owned real(converted(leaf, python_.PyFloat_Type, python_.PyNumber_Float));
                if (!real) return false;
                const double number = python_.PyFloat_AsDouble(real.get());
                slot.bits = bits(parameter.dtype) == 64 ? std::bit_cast<uint64_t>(number)
                                                        : std::bit_cast<uint32_t>(static_cast<float>(number));
                return true;
            }
            case Family::scale:
            case Family::complex:
                break;
        }
        return false;
    }

    // A new reference to a number of Python: the object itself, or what int.__index__ or float() make of it.
    Object* converted(Object* object, const Object* type, Object* (*convert)(Object*)) const {
        return object->type == type ? python_.retained(object) : convert(object);
    }

    bool refuse() {
        python_.PyErr_Clear();
        return false;
    }

    // What `fail` raises.
    Object* failure(int32_t status) {
        const Owned arguments(python_.PyTuple_New(1));
        if (!arguments) return nullptr;
        python_.PyTuple_SetItem(arguments.get(), 0, python_.PyLong_FromLongLong(status));
        return python_.PyObject_CallObject(entry_.fail, arguments.get());
    }

    Object* result() {
        bool made = true;
        for (size_t i = 0; i < entry_.nresults(); ++i) {
            const TsrResult& of = entry_.function.results[i];
            const bool tensor = of.kind == TSR_KIND_TENSOR;
            objects_[i] = nullptr;
            if (made)
                objects_[i] = tensor ? array(i) : number(of.dtype, values_[i]);
            else if (tensor)
                managed(i)->deleter(managed(i));
            made = made && objects_[i] != nullptr;
        }
        Object** next = objects_.data();
        Object* out = made ? built(python_, entry_.result, next) : nullptr;
        for (size_t i = 0; out == nullptr && i < entry_.nresults(); ++i) {
            if (objects_[i] != nullptr) python_.Py_DecRef(objects_[i]);
        }
        return out;
    }

    Object* number(int32_t dtype, uint64_t value) const {
        switch (family(dtype)) {
            case Family::boolean:
                return python_.PyBool_FromLong(static_cast<long>(value & 1));
            case Family::signed_integer: {
                const int unused = 64 - bits(dtype);
                return python_.PyLong_FromLongLong(static_cast<int64_t>(value << unused) >> unused);
            }
            case Family::unsigned_integer:
                return python_.PyLong_FromUnsignedLongLong(value);
            case Family::floating:
            case Family::scale:
            case Family::complex:
                break;
        }
        return python_.PyFloat_FromDouble(bits(dtype) == 64 ? std::bit_cast<double>(value)
                                                            : std::bit_cast<float>(static_cast<uint32_t>(value)));
    }

    TsrDLManagedTensor* managed(size_t i) { return std::bit_cast<TsrDLManagedTensor*>(values_[i]); }

    // An array over the library's memory, which lives until the last view of it is gone.
    Object* array(size_t i) {
        TsrDLManagedTensor* given = managed(i);
        Object* owner = python_.PyCapsule_New(given, kTensorCapsule, destroy_tensor);
        if (owner == nullptr) {
            given->deleter(given);
            return nullptr;
        }
        const TsrDLTensor& tensor = given->dl_tensor;
        int64_t strides[TSR_MAX_RANK];
        for (int32_t axis = 0; axis < tensor.ndim; ++axis) strides[axis] = tensor.strides[axis] * tensor.dtype.bits / 8;
        Object* dtype = python_.retained(entry_.dtypes[entry_.nparameters() + i]);
        Owned out(entry_.numpy->new_array(entry_.numpy->array, dtype, tensor.ndim, tensor.shape, strides, tensor.data,
                                          Array::kDense | Array::kWritable, nullptr));
        if (!out) {
            python_.Py_DecRef(owner);
            return nullptr;
        }
        return entry_.numpy->set_base(out.get(), owner) == 0 ? out.give() : nullptr;
    }

    Entry& entry_;
    const Interpreter& python_;
    Room<Object*> leaves_;  // owned up to `taken_`
    Object** taken_ = leaves_.data();
    Room<TsrDLTensor> tensors_;  // of the leaves that are some
    Room<TsrSlot> slots_;
    Room<uint64_t> values_;
    Room<void*> places_;
    Room<Object*> objects_;
};

Entry* entry_of(const Interpreter& python, Object* capsule) {
    return static_cast<Entry*>(python.PyCapsule_GetPointer(capsule, kFunctionCapsule));
}

void destroy_entry(Object* capsule) { delete entry_of(*interpreter(), capsule); }

// What CPython calls; `self` is (capsule of the Entry, description).
Object* call(Object* self, Object* const* arguments, ssize_t count) noexcept {
    const Interpreter& python = *interpreter();
    Entry& entry = *entry_of(python, python.PyTuple_GetItem(self, 0));
    {
        Call call(entry);
        if (call.take(arguments, count)) return call.run();
    }
    const Owned passed(python.PyTuple_New(count));
    if (!passed) return nullptr;
    for (ssize_t i = 0; i < count; ++i) python.PyTuple_SetItem(passed.get(), i, python.retained(arguments[i]));
    return python.PyObject_CallObject(entry.call, passed.get());
}

Object* make_function(const TsrLibraryFunction& function, Object* description) noexcept {
    const Interpreter* python = interpreter();
    if (python == nullptr) return nullptr;
    std::unique_ptr<Entry> entry = read_entry(*python, function, description);
    const Owned self(entry ? python->PyTuple_New(2) : nullptr);
    Object* capsule = self ? python->PyCapsule_New(entry.get(), kFunctionCapsule, destroy_entry) : nullptr;
    const Entry* kept = capsule != nullptr ? entry.release() : nullptr;
    if (kept == nullptr) {
        python->PyErr_Clear();
        return nullptr;
    }
    python->PyTuple_SetItem(self.get(), 0, capsule);
    python->PyTuple_SetItem(self.get(), 1, python->retained(description));
    static Method method{"call", call, kFastCall, nullptr};
    Object* out = python->PyCFunction_NewEx(&method, self.get(), nullptr);
    if (out == nullptr) python->PyErr_Clear();
    return out;
}

}  // namespace

}  // namespace tsr::runtime::python

extern "C" void* tsr_python_function(const TsrLibraryFunction* function, void* description) {
    using namespace tsr::runtime::python;
    return make_function(*function, static_cast<Object*>(description));
}
