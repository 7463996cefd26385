// `tesserac --version`, `tesserac --help`, `tesserac manual`, `tesserac completions`: what is said about the compiler.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/output.h"
#include "driver/pages.h"

namespace tsr::driver {

namespace {

int print(std::string_view text) {
    auto wrong = write_stdout(text);
    if (wrong.empty()) return 0;
    fmt::print(stderr, "tesserac: {}\n", wrong);
    return 1;
}

std::string build_details() {
    return fmt::format("compiled by: {} {}\nsanitizers:  {}\ndiagnostics: {} documented\n", TSR_COMPILER, __VERSION__,
                       TSR_SANITIZERS, error_pages().size());
}

}  // namespace

int print_version(const Options& options) {
    return print(fmt::format("tesserac {}\n{}", TSR_VERSION, options.verbose ? build_details() : ""));
}

int print_help(const Options& options) { return print(help_text(options.help_about)); }

int print_manual(const Options&) { return print(manual_page()); }

int print_completions(const Options& options) {
    if (auto script = completion_script(options.input)) return print(*script);
    fmt::print(stderr, "tesserac: there are no completions for `{}` (bash, zsh, fish)\n", options.input);
    return kUsageError;
}

}  // namespace tsr::driver
