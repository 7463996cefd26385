#include "driver/register_tiles.h"

#include <fmt/format.h>

#include "ir/passes/tile/variability.h"
#include "ir/passes/tile/walk.h"

namespace tsr::driver {

bool refuse_register_tiles(const ir::Module& module, Diagnostics& diagnostics) {
    bool good = true;
    for (const ir::Function& kernel : module.functions) {
        if (kernel.level != ir::Level::tile) continue;
        Span at;
        ir::walk(kernel, kernel.body, [&](ir::OpId id) {
            const bool first = !at.valid() && ir::is_of_register_tiles(kernel, kernel.op(id));
            if (first && kernel.op(id).regions.empty()) at = kernel.span_of(id);
        });
        if (!at.valid()) continue;
        diagnostics.error("E0604", at,
                          fmt::format("`{}` uses register tiles: they are not interpreted yet", kernel.name));
        good = false;
    }
    return good;
}

}  // namespace tsr::driver
