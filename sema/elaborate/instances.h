// What the tables of a checked instance say.
#pragma once

#include "sema/program/tables.h"

namespace tsr::elaborate {

// Whether it names the group: ids, sizes, shared buffers, collectives. As the text says it, also where a value is
// folded or a side is never taken.
bool group_is_named(const sema::Instance& instance);

// Invalid for a parameter that no name was given to.
sema::VariableId variable_of_parameter(const sema::Instance& instance, size_t parameter);

}  // namespace tsr::elaborate
