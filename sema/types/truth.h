// Truth values of what is not a `bool`.
#pragma once

#include <optional>

#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::sema {

// Whether a value holds as a condition, where that is known when the program is compiled. `host_objects`: lists grow,
// as ContextRules says.
std::optional<bool> known_truth(const Type& type, const std::optional<Static>& value, bool host_objects);

}  // namespace tsr::sema
