// Tensors as NumPy prints them (numpy/_core/arrayprint.py, default print options).
#pragma once

#include <string>
#include <string_view>

#include "runtime/result.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// A format specification, where not empty, is applied to each element; columns stay aligned.
Result<std::string> tensor_text(const TsrTensor& tensor, std::string_view spec = {});

}  // namespace tsr::runtime
