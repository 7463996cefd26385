// What an editor asks of a checked program. Offsets are bytes of a module's text.
#pragma once

#include <cstdint>
#include <vector>

#include "sema/program/program.h"

namespace tsr::sema {

// The name that stands at this place, or ends right before it; nullptr where none does.
const NameUse* name_at(const Program& program, ModuleId module, uint32_t offset);

// All places that name it: by module, in the order of the text.
std::vector<NameUse> occurrences(const Program& program, const Entity& entity);

}  // namespace tsr::sema
