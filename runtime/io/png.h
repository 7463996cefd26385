// Pictures as PNG (RFC 2083): 8 bits, grey, RGB or RGBA.
#pragma once

#include <string>

#include "runtime/io/output_file.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

// u8[H, W], u8[H, W, 3] or u8[H, W, 4], dense; anything else is refused.
Result<Done> write_png(OutputFile& file, const TsrTensor& tensor);

}  // namespace tsr::runtime
