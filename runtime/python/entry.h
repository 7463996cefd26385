// What is known of a function that Python calls: its table, the forms of its arguments and of its result, and what
// Python's code gave for the cases that are not handled here.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/abi.h"
#include "runtime/python/interpreter.h"
#include "runtime/python/numpy.h"
#include "runtime/python/tree.h"

namespace tsr::runtime::python {

struct Entry {
    const Interpreter& python;
    const TsrLibraryFunction& function;
    std::vector<Tree> parameters;
    Tree result;
    // Borrowed from the description, which the callable holds.
    Object* call = nullptr;
    Object* fail = nullptr;
    Object* types = nullptr;
    std::optional<Numpy> numpy;
    // NumPy's types of the parameters and then of the results, null for what is no tensor; empty without `numpy`.
    std::vector<Object*> dtypes;

    Entry(const Interpreter& interpreter, const TsrLibraryFunction& of) : python(interpreter), function(of) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();

    [[nodiscard]] size_t nparameters() const { return static_cast<size_t>(function.signature.nparameters); }
    [[nodiscard]] size_t nresults() const { return static_cast<size_t>(function.nresults); }
    // Whether NumPy is there, where tensors pass: it may be imported later.
    bool has_numpy() { return !has_tensors_ || numpy || find_numpy(); }

private:
    friend std::unique_ptr<Entry> read_entry(const Interpreter&, const TsrLibraryFunction&, Object*);
    bool read(Object* description);
    bool passes(const Tree& leaf, int32_t kind, int32_t dtype);
    bool find_numpy();

    bool has_tensors_ = false;
    bool has_other_numpy_ = false;  // its version is none that is known
};

// Null where this runtime can make no call of the function, or not in this interpreter.
std::unique_ptr<Entry> read_entry(const Interpreter& python, const TsrLibraryFunction& function, Object* description);

}  // namespace tsr::runtime::python
