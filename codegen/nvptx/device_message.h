// What kernels say.
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/sources.h"

namespace tsr::codegen {

// Something that a kernel can print or assert.
struct DeviceMessage {
    Span place;
    std::string text;
    std::vector<DType> values;
};

}  // namespace tsr::codegen
