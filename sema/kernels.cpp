// What is true of a kernel as a whole: shared memory within the limit, no names of the group where there is none.
#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

void Body::finish_kernel() {
    const InstanceState& found = state();
    if (!instance.kernel.flat.empty() && found.group_name.valid()) {
        error("E0415", found.group_name,
              fmt::format("`{}` numbers the tiles of its launch: it has no groups, and so no `{}`", function->name,
                          found.group_spelling))
            .note("`tile[(128,)]` makes groups of 128 tiles");
    }
    if (!instance.kernel.shared_limit) return;
    int64_t sum = 0;
    for (size_t i = 0; i < found.allocations.size(); ++i) {
        sum += found.allocations[i].second.second;
        if (sum <= *instance.kernel.shared_limit) continue;
        int64_t total = 0;
        for (const auto& [at, allocation] : found.allocations) total += allocation.second;
        auto& d = error("E0406", found.allocations[i].first,
                        fmt::format("`{}` allocates {} bytes of shared memory, its limit is {}", function->name, total,
                                    *instance.kernel.shared_limit));
        for (const auto& [at, allocation] : found.allocations)
            d.note(fmt::format("{}: {} bytes", allocation.first, allocation.second));
        d.label(instance.kernel.shared_span, "the limit");
        return;
    }
}

}  // namespace tsr::sema
