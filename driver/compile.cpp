// `tesserac file.tsr`: compiles a program, to an executable or to the level asked for.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/session.h"
#include "frontend/format.h"

namespace tsr::driver {

int compile(const Options& options) {
    Session session(options);
    auto module = session.parse_file(options.input);
    if (module == nullptr) return session.finish();
    if (options.emit == Emit::ast) {
        // Also for broken programs: the holes are what one wants to see.
        session.write_result(outline(*module), "");
        return session.finish();
    }
    session.fail("", "this build compiles no programs yet; --emit=ast works");
    return session.finish();
}

}  // namespace tsr::driver
