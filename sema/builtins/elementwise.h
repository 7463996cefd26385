// Functions of numbers that are one operation of the IR each: `exp(x)`, `max(a, b)` of elements, `fma(a, b, c)`.
#pragma once

#include <optional>

#include "ir/core/opkind.h"
#include "sema/builtins/builtins.h"

namespace tsr::sema {

std::optional<ir::OpKind> elementwise_operation(Builtin function);

}  // namespace tsr::sema
