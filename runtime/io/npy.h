// NumPy's .npy format, versions 1 to 3 (NumPy reference, "numpy.lib.format").
#pragma once

#include <cstdint>
#include <string>

#include "runtime/io/output_file.h"
#include "runtime/io/source.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// A dense tensor; Fortran order and big-endian numbers are brought to row-major and little-endian. `dtype` (-1: any)
// says what the types are that the format has no name for: '<V2' is bf16, '|V1' an fp8 or e8m0.
// Refused: a wrong magic, version or header, types without a counterpart, too few or too many bytes.
Result<TensorRef> read_npy(const Source& source, int32_t dtype);

// The header and then the bytes of the elements, so that an archive can count them before it writes.
// Packed types have no .npy form: refused. `tensor` is dense.
Result<std::string> npy_header(const TsrTensor& tensor);
std::span<const uint8_t> dense_data(const TsrTensor& tensor);

}  // namespace tsr::runtime
