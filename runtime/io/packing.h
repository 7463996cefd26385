// Packed elements without gaps, as files hold them, and in rows padded to whole packs, as tensors hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// Bits of all elements one after the other, the first in the lowest bits.
inline int64_t gapless_bits(const TsrTensor& tensor) { return size(tensor) * tensor.dl.dtype.bits; }
// True when the two forms are the same bytes.
bool rows_fill_packs(const TsrTensor& tensor);
void unpack_gapless(TsrTensor& tensor, std::span<const uint8_t> bytes);
std::vector<uint8_t> pack_gapless(const TsrTensor& tensor);

}  // namespace tsr::runtime
