#include "runtime/python/numpy.h"

namespace tsr::runtime::python {

// The numbers of the functions are fixed by NumPy's numpy/_core/code_generators/numpy_api.py.
std::optional<Numpy> numpy_of(void* const* table) {
    const auto version = reinterpret_cast<uint32_t (*)()>(table[0])();
    constexpr uint32_t kNumpy1 = 0x01000009, kNumpy2 = 0x02000000;
    if (version != kNumpy1 && version != kNumpy2) return std::nullopt;
    Numpy out{};
    out.array = static_cast<Object*>(table[2]);
    out.are_same_types = reinterpret_cast<decltype(out.are_same_types)>(table[182]);
    out.new_array = reinterpret_cast<decltype(out.new_array)>(table[94]);
    out.set_base = reinterpret_cast<decltype(out.set_base)>(table[282]);
    return out;
}

}  // namespace tsr::runtime::python
