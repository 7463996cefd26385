// Arrays of NumPy, by its C interface: the layout and the table of functions that its extension modules are compiled
// against.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/python/interpreter.h"

namespace tsr::runtime::python {

// The head of PyArrayObject_fields.
struct Array {
    Object head;
    void* data;
    int32_t rank;
    int64_t* shape;
    int64_t* strides;  // in bytes
    Object* base;
    Object* type;  // of the elements
    int32_t flags;

    // Row-major without gaps, each element where the processor wants one.
    [[nodiscard]] bool is_dense() const { return (flags & kDense) == kDense; }
    // Without a warning that NumPy gives at the first write.
    [[nodiscard]] bool is_writable() const { return (flags & kWritable) != 0 && flags >= 0; }

    static constexpr int32_t kDense = 0x0001 | 0x0100;  // C_CONTIGUOUS, ALIGNED
    static constexpr int32_t kWritable = 0x0400;
};

struct Numpy {
    Object* array;                                // the class ndarray
    int32_t (*are_same_types)(Object*, Object*);  // PyArray_EquivTypes
    // PyArray_NewFromDescr; takes the element type's reference.
    Object* (*new_array)(Object* class_, Object* type, int32_t rank, const int64_t* shape, const int64_t* strides,
                         void* data, int32_t flags, Object* object);
    int32_t (*set_base)(Object* array, Object* base);  // PyArray_SetBaseObject; takes the base's reference
};

// From the table `_ARRAY_API`. Nothing where its version is none of those that have this layout.
std::optional<Numpy> numpy_of(void* const* table);

}  // namespace tsr::runtime::python
