// The table of the names in each module's text, gathered from the last pass of each body.
#include <algorithm>
#include <map>

#include "sema/state/checker.h"

namespace tsr::sema {

// A function that nobody calls with what it takes was checked for other types all the same: its names count then.
void Checker::publish_names() {
    std::set<FunctionId> reached;
    for (const Instance& instance : program.instances) {
        if (instance.reached) reached.insert(instance.function);
    }
    for (const Instance& instance : program.instances) {
        if (!instance.reached && reached.contains(instance.function)) continue;
        const std::vector<NameUse>& found = states[instance.id.index].names;
        names.insert(names.end(), found.begin(), found.end());
    }
    std::map<FileId, ModuleId> modules;
    for (const ModuleUnit& module : program.modules) modules[module.file] = module.id;
    for (NameUse& use : names) {
        if (const auto module = modules.find(use.at.file); module != modules.end())
            program.modules[module->second.index].names.push_back(std::move(use));
    }
    names.clear();
    for (ModuleUnit& module : program.modules) {
        std::ranges::sort(module.names, [&](const NameUse& a, const NameUse& b) {
            return std::tie(a.at.begin, a.at.end, a.entity, b.binds) <
                   std::tie(b.at.begin, b.at.end, b.entity, a.binds);
        });
        const auto [first, last] = std::ranges::unique(
            module.names, [](const NameUse& a, const NameUse& b) { return a.at == b.at && a.entity == b.entity; });
        module.names.erase(first, last);
    }
}

}  // namespace tsr::sema
