// What kernels say.
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "ir/core/function.h"

namespace tsr::codegen {

// Something that a kernel can print or assert.
struct DeviceMessage {
    ir::Place place;
    std::string text;
    std::vector<DType> values;
};

}  // namespace tsr::codegen
