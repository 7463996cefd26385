// `tesserac run`: compiles a program, if it changed, and becomes it.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "driver/cache.h"
#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/interpret.h"
#include "driver/machines.h"
#include "driver/output.h"

namespace tsr::driver {

namespace {

// Becomes the program; comes back only when that fails.
int become(const std::string& program, const Options& options, int descriptor = -1) {
    auto name = options.input;
    std::vector<char*> words{name.data()};
    std::vector<std::string> arguments = options.program_arguments;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    std::signal(SIGXFSZ, SIG_DFL);
    if (descriptor >= 0)
        ::fexecve(descriptor, words.data(), environ);
    else
        ::execv(program.c_str(), words.data());
    fmt::print(stderr, "tesserac: can not start '{}': {}\n", program, std::strerror(errno));
    return 1;
}

// Without a cache the executable has no name for longer than it takes to start it.
int become_and_forget(const std::string& program, const Options& options) {
    int descriptor = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
    ::unlink(program.c_str());
    return become(program, options, descriptor);
}

bool build(Session& session, Compilation& compilation, const std::string& path) {
    if (!compilation.has_main()) {
        session.fail("E0003", fmt::format("'{}' has no `main`: an executable needs one", session.options().input));
        return false;
    }
    std::vector<std::string> objects;
    return compilation.lower() && compilation.lower_to_machines() &&
           compilation.generate(codegen::Emit::objects, objects) && compilation.link(objects, path);
}

int run_compiled(const Options& options) {
    ProgramCache cache(options);
    // What was asked to be shown is shown by compiling.
    bool shows = options.time_passes || !options.dump_after.empty() || !options.stop_after.empty();
    if (!shows) {
        if (auto program = cache.find()) return become(*program, options);
    }
    Session session(options);
    Compilation compilation(session);
    bool built = compilation.read();
    auto cached = cache.place_for(session.sources);
    auto program = cached.value_or(scratch_file("run"));
    built = built && build(session, compilation, program);
    if (compilation.stopped()) session.write_result(compilation.text(), "");
    compilation.report_times();
    int status = session.finish();
    if (!built || status != 0) return status;
    if (!cached) return become_and_forget(program, options);
    // A program with warnings is compiled again in the next run, so that they are seen again.
    if (session.diagnostics.all().empty()) cache.remember(session.sources, program);
    return become(program, options);
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
