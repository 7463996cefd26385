// Operands that tests try: the edges of each type, and many in between.
#pragma once

#include <vector>

#include "base/dtype.h"
#include "ir/law/scalar.h"

namespace tsr::test {

// `count` values in canonical form, the same for the same seed: edges first, then bits at random and, of floats,
// numbers of every size.
std::vector<ir::Bits> operands_of(DType type, size_t count, uint64_t seed);

bool is_nan(DType type, ir::Bits bits);
double real_of(DType type, ir::Bits bits);

// An array of a type in memory form, one element after the other.
class Array {
public:
    Array(DType type, size_t count);
    Array(DType type, const std::vector<ir::Bits>& values);
    [[nodiscard]] void* data() { return bytes_.data(); }
    [[nodiscard]] size_t size() const { return bytes_.size(); }  // in bytes, with room behind the elements
    [[nodiscard]] ir::Bits at(size_t index) const;               // canonical

private:
    DType type_;
    std::vector<unsigned char> bytes_;
};

}  // namespace tsr::test
