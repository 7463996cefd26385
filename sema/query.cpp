#include "sema/query.h"

#include <algorithm>

namespace tsr::sema {

const NameUse* name_at(const Program& program, ModuleId module, uint32_t offset) {
    const std::vector<NameUse>& names = program.modules[module.index].names;
    const auto begin_of = [](const NameUse& use) { return use.at.begin; };
    const auto behind = std::ranges::upper_bound(names, offset, {}, begin_of);
    if (behind == names.begin()) return nullptr;
    // Of several that begin there the first.
    const auto last = std::prev(behind);
    const auto first = std::ranges::lower_bound(names, last->at.begin, {}, begin_of);
    return offset <= first->at.end ? &*first : nullptr;
}

std::vector<NameUse> occurrences(const Program& program, const Entity& entity) {
    std::vector<NameUse> found;
    for (const ModuleUnit& module : program.modules) {
        std::ranges::copy_if(module.names, std::back_inserter(found),
                             [&](const NameUse& use) { return use.entity == entity; });
    }
    return found;
}

}  // namespace tsr::sema
