// The types of containers as the runtime reads them (runtime/abi.h, "Containers").
#pragma once

#include <string>

#include "ir/core/type.h"

namespace tsr::ir {

std::string container_type(const Type& type);

}  // namespace tsr::ir
