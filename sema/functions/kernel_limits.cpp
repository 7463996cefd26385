#include "sema/functions/kernel_limits.h"

#include <fmt/format.h>

namespace tsr::sema {

void check_kernel_limits(Body& b) {
    const InstanceState& found = b.state();
    if (!b.instance.kernel.flat.empty() && found.group_name.valid()) {
        b.error("E0415", found.group_name,
                fmt::format("`{}` numbers the tiles of its launch: it has no groups, and so no `{}`", b.function->name,
                            found.group_spelling))
            .note("`tile[(128,)]` makes groups of 128 tiles");
    }
    if (!b.instance.kernel.shared_limit) return;
    int64_t sum = 0;
    for (size_t i = 0; i < found.allocations.size(); ++i) {
        sum += found.allocations[i].second.second;
        if (sum <= *b.instance.kernel.shared_limit) continue;
        int64_t total = 0;
        for (const auto& [at, allocation] : found.allocations) total += allocation.second;
        auto& d = b.error("E0406", found.allocations[i].first,
                          fmt::format("`{}` allocates {} bytes of shared memory, its limit is {}", b.function->name,
                                      total, *b.instance.kernel.shared_limit));
        for (const auto& [at, allocation] : found.allocations)
            d.note(fmt::format("{}: {} bytes", allocation.first, allocation.second));
        d.label(b.instance.kernel.shared_span, "the limit");
        return;
    }
}

}  // namespace tsr::sema
