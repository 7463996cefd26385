// `tesserac check`: reports what is wrong with programs; with `--verify` compares it with what their comments expect.
#include <algorithm>

#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/crash.h"
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

int check_file(const Options& options) {
    Session session(options);
    Compilation compilation(session);
    // Rules about groups, copies and resources are checked on the kernels themselves.
    const bool sound = compilation.read() && compilation.check();
    if (sound && options.deterministic) refuse_nondeterministic(session, compilation.module());
    compilation.report_times();
    if (options.verify && compilation.tree() != nullptr) return verify(session, compilation.tree()->file);
    if (sound && options.numerics) session.write_result(compilation.bounds(), "");
    return session.finish();
}

// What replays the check of this file alone.
std::vector<std::string> words_for(const Options& options) {
    std::vector<std::string> words{"check", options.input};
    for (const std::string& folder : options.include_folders) words.push_back("-I" + folder);
    if (options.deterministic) words.emplace_back("--deterministic");
    return words;
}

}  // namespace

int check(const Options& options) {
    int code = 0;
    for (const std::string& file : options.files) {
        Options one = options;
        one.input = file;
        if (options.files.size() > 1) watch_for_crashes(words_for(one), file);
        code = std::max(code, check_file(one));
    }
    return code;
}

}  // namespace tsr::driver
