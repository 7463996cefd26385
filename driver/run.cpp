// `tesserac run`: compiles a program, if it changed, and becomes it.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/cache.h"
#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/interpret.h"
#include "driver/machines.h"
#include "driver/output.h"
#include "driver/start.h"

namespace tsr::driver {

namespace {

// The executable in an open file: in the cache where that can be written, else in memory alone. -1: `errno` says why.
int keep(const std::string& executable, const std::optional<std::string>& cached) {
    if (cached && write_output(*cached, executable, FileKind::executable).empty()) {
        int file = ::open(cached->c_str(), O_RDONLY | O_CLOEXEC);
        if (file >= 0) return file;
    }
    return in_memory(executable);
}

int run_compiled(const Options& options) {
    ProgramCache cache(options);
    // What was asked to be shown is shown by compiling.
    bool shows = options.time_passes || !options.dump_after.empty() || !options.stop_after.empty();
    bool is_piped = options.input == "-";  // what was read is gone
    if (!shows && !is_piped) {
        // What can not be started, for whatever reason, is compiled again.
        if (auto program = cache.find()) {
            int file = ::open(program->c_str(), O_RDONLY | O_CLOEXEC);
            if (file >= 0) become(file, options);
        }
    }
    codegen::prepare();
    Session session(options);
    Compilation compilation(session);
    std::string executable;
    bool built = compilation.read() && compilation.make_executable(executable);
    if (compilation.stopped()) session.write_result(compilation.text(), "");
    compilation.report_times();
    int status = session.finish();
    if (!built || status != 0) return status;
    auto cached = cache.place_for(session.sources);
    int program = keep(executable, cached);
    auto why = program < 0 ? std::string(std::strerror(errno)) : "";
    // A program with warnings is compiled again in the next run, so that they are seen again.
    if (cached && !is_piped && session.diagnostics.all().empty()) cache.remember(session.sources, *cached);
    if (program >= 0) why = become(program, options);
    fmt::print(stderr, "tesserac: can not start the program: {}\n", why);
    return 1;
}

}  // namespace

int run(const Options& options) {
    if (auto wrong = check_names(options); !wrong.empty()) {
        fmt::print(stderr, "tesserac: {}\n", wrong);
        return kUsageError;
    }
    return options.interpret ? interpret(options) : run_compiled(options);
}

}  // namespace tsr::driver
