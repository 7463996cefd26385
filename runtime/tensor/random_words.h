// What random tensors are made from: the words of their elements (abi.h, randomness), and the elements in order.
#pragma once

#include "runtime/numbers/philox.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// The words of the elements of one tensor.
class ElementWords {
public:
    explicit ElementWords(const TsrRandomKey& key) : words_(key) {}
    uint32_t one(int64_t element) { return words_.word(static_cast<uint64_t>(element)); }
    uint64_t two(int64_t element) {
        auto first = static_cast<uint64_t>(element) * 2;
        uint64_t high = words_.word(first);
        return high << 32 | words_.word(first + 1);
    }

private:
    PhiloxWords words_;
};

// Calls write(index, offset) for all elements, row-major.
template <typename Write>
void for_elements(const TsrTensor& tensor, Write write) {
    int64_t index = 0;
    for_rows<1>(shape(tensor), {tensor.strides}, [&](Offsets<1> start, int64_t length, Offsets<1>) {
        for (int64_t i = 0; i < length; ++i) write(index++, start[0] + i);
    });
}

}  // namespace tsr::runtime
