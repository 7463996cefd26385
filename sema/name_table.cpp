// The table of the names in each module's text, gathered from the last pass of each body.
#include <algorithm>
#include <map>
#include <numeric>

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
        // Numbers are sorted: a use is large.
        std::vector<uint32_t> order(module.names.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(order, [&](uint32_t i, uint32_t j) {
            const NameUse &a = module.names[i], &b = module.names[j];
            return std::tie(a.at.begin, a.at.end, a.entity, b.binds) <
                   std::tie(b.at.begin, b.at.end, b.entity, a.binds);
        });
        std::vector<NameUse> sorted;
        sorted.reserve(order.size());
        for (const uint32_t i : order) {
            NameUse& use = module.names[i];
            if (sorted.empty() || sorted.back().at != use.at || sorted.back().entity != use.entity)
                sorted.push_back(std::move(use));
        }
        module.names = std::move(sorted);
    }
}

}  // namespace tsr::sema
