// tesserac: reads the command line, calls the command, turns failures into exit codes.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/crash.h"
#include "ir/passes/manager.h"

// jemalloc reads this at its start. Memory comes in huge pages: a compilation touches thousands of small ones, and the
// first touch of each costs more than what is done with it.
extern "C" const char* malloc_conf;
const char* malloc_conf = "thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1";

namespace tsr::driver {

namespace {

int dispatch(const Options& options) {
    switch (options.command) {
        case Command::compile:
            return compile(options);
        case Command::run:
            return run(options);
        case Command::tune:
            return tune(options);
        case Command::check:
            return check(options);
        case Command::format:
            return format_files(options);
        case Command::explain:
            return explain(options);
        case Command::bisect:
            return bisect(options);
        case Command::reduce:
            return reduce(options);
        case Command::serve:
            return serve_editor(options);
        case Command::play:
            return play_page(options);
        case Command::jupyter:
            return install_jupyter(options);
        case Command::completions:
            return print_completions(options);
        case Command::manual:
            return print_manual(options);
        case Command::version:
            return print_version(options);
        case Command::help:
            return print_help(options);
    }
    return kInternalError;
}

// Ends the process without taking apart what the system takes back at once.
int leave(int code) {
#ifndef __SANITIZE_ADDRESS__
    std::fflush(nullptr);
    std::_Exit(code);
#endif
    return code;
}

}  // namespace

}  // namespace tsr::driver

int main(int argc, char** argv) {
    using namespace tsr::driver;
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (std::string_view(argv[0]).ends_with("tessera-lsp")) arguments.insert(arguments.begin(), "lsp");
    auto options = parse_arguments(arguments);
    if (!options) {
        fmt::print(stderr, "tesserac: {}\nSee `tesserac --help`.\n", options.message());
        return kUsageError;
    }
    // A file that may not grow further is an error to report, not a reason to die.
    std::signal(SIGXFSZ, SIG_IGN);
    watch_for_crashes(arguments, options.value().input);
    try {
        return leave(dispatch(options.value()));
    } catch (const tsr::ir::BrokenPass& error) {
        note_ir(error.pass, error.before);
        return report_internal_error(error.what());
    } catch (const std::exception& error) {
        return report_internal_error(error.what());
    }
}
