// `tesserac fmt`: brings programs into the one layout, in place (`-`: from standard input to standard output);
// `--check` only says which would change.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/output.h"
#include "driver/session.h"
#include "frontend/format.h"

namespace tsr::driver {

namespace {

// One file; false when it would change under `--check`.
bool format_file(Session& session, const std::string& path) {
    size_t errors_before = session.diagnostics.error_count();
    auto module = session.parse_file(path);
    // A broken program is left as it is.
    if (module == nullptr || session.diagnostics.error_count() > errors_before) return true;
    auto formatted = format(*module, session.sources);
    bool changes = formatted != session.sources.text(module->file);
    if (session.options().format_check) {
        if (changes) fmt::print("{}: would change\n", session.sources.path(module->file));
        return !changes;
    }
    if (!changes && path != "-") return true;
    if (auto wrong = write_output(path, formatted, FileKind::data); !wrong.empty()) session.fail("E0002", wrong);
    return true;
}

}  // namespace

int format_files(const Options& options) {
    Session session(options);
    bool as_it_should_be = true;
    for (const std::string& path : options.files) as_it_should_be &= format_file(session, path);
    int status = session.finish();
    return as_it_should_be ? status : 1;
}

}  // namespace tsr::driver
