// `tesserac check`: reports what is wrong with a program; with `--verify` compares it with what its comments expect.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/deterministic.h"
#include "driver/verify_expectations.h"

namespace tsr::driver {

namespace {

int verify(Session& session, FileId file) {
    session.diagnostics.sort();
    auto problems = verify_expectations(session.diagnostics, session.sources, file);
    for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
    return problems.empty() ? 0 : 1;
}

// What may give other bits in another run, each kernel at its place.
void refuse_nondeterministic(Session& session, const ir::Module& module) {
    for (const ir::Function& function : module.functions) {
        if (auto at = nondeterministic_place(function)) {
            session.diagnostics
                .error("E0004", *at, fmt::format("`{}` may give other bits in another run", function.name))
                .note("the order of floating-point atomics, and the value that any atomic returns, are not fixed");
        }
    }
}

}  // namespace

int check(const Options& options) {
    Session session(options);
    Compilation compilation(session);
    // Rules about groups, copies and resources are checked on the kernels themselves.
    const bool sound = compilation.read() && compilation.check();
    if (sound && options.deterministic) refuse_nondeterministic(session, compilation.module());
    compilation.report_times();
    if (options.verify && compilation.tree() != nullptr) return verify(session, compilation.tree()->file);
    return session.finish();
}

}  // namespace tsr::driver
