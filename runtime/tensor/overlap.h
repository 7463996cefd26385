// Do two tensors share an element?
#pragma once

#include "runtime/abi.h"

namespace tsr::runtime {

enum class Overlap : uint8_t { none, some };

// Exact for dense tensors and for views of one tensor that differ by whole strides; else by the ranges of their bytes,
// with the residues of all strides taken into account: an answer `some` may then be too careful, `none` never is.
Overlap overlap(const TsrTensor& a, const TsrTensor& b);

}  // namespace tsr::runtime
