// The command line of tesserac: one table of options, from which parsing, help and suggestions come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tsr::driver {

enum class Command {
    compile,
    run,
    tune,
    check,
    format,
    explain,
    bisect,
    reduce,
    completions,
    play,
    jupyter,
    serve,
    manual,
    version,
    help
};

// What a compilation ends with. `executable` is the only one that needs a `main`.
enum class Emit {
    ast,
    graph,
    schedule,
    tile,
    target,
    llvm,
    assembly,
    object,
    ptx,
    cubin,
    executable,
    shared,
    header,
    manifest,
    python
};

// Parts of a library go together; the others are written alone.
constexpr bool is_library_part(Emit what) {
    return what == Emit::shared || what == Emit::header || what == Emit::manifest;
}

enum class DiagnosticForm { text, json, sarif };

struct Sanitize {
    bool race = false;
    bool bounds = false;
    bool nan = false;
    [[nodiscard]] bool any() const { return race || bounds || nan; }
};

// What `--explain` tells about operator graphs, and of rounding, on standard output.
struct Explain {
    bool fusion = false;
    bool memory = false;
    bool cost = false;
    bool numerics = false;
    [[nodiscard]] bool of_graphs() const { return fusion || memory || cost; }
    [[nodiscard]] bool any() const { return of_graphs() || numerics; }
};

struct Options {
    Command command = Command::compile;
    std::optional<Command> help_about;           // `tesserac run --help`
    std::string input;                           // the program; for `explain` the code, for `completions` the shell
    std::vector<std::string> files;              // `fmt` and `check` take several
    std::vector<std::string> program_arguments;  // `run`, `tune`: what stands behind the program's name
    std::vector<std::string> include_folders;

    std::string output;  // empty: in the working folder, named after the input
    Emit emit = Emit::executable;
    std::vector<Emit> library_parts;  // of shared, header and manifest what was asked for
    bool for_python = false;          // a library of a package: CPython calls its functions, too
    [[nodiscard]] bool makes_library() const { return !library_parts.empty(); }
    int optimization = 2;
    bool debug_info = false;
    std::string cpu;                   // empty: every level the compiler makes variants for
    std::vector<std::string> targets;  // "cpu" and GPUs; empty: the CPU, and some GPUs
    bool deterministic = false;
    std::string schedule;  // a file of plans to follow
    std::string tuned;     // a file of winners of tuning: read, of `tune` written

    DiagnosticForm diagnostics = DiagnosticForm::text;
    bool verify = false;
    bool numerics = false;  // `check`: bounds of errors
    Explain explain;
    bool interpret = false;
    bool interpret_tile = false;  // the program of one tile, before every pass
    Sanitize sanitize;
    bool format_check = false;
    bool verbose = false;

    bool time_passes = false;
    std::vector<std::string> dump_after;
    std::string stop_after;
    std::optional<size_t> pass_limit;
    std::string test;                  // `bisect`, `reduce`: a command of the shell
    std::optional<int> time_limit;     // `reduce`, `play`: seconds; 0: none
    size_t memory_limit = 0;           // `play`: MiB; 0: none
    std::string prefix;                // `jupyter`: where kernels are looked for below
    bool user = false;                 // `jupyter`: for this user alone
    uint16_t port = 0;                 // `play`; 0: a free one
    std::vector<std::string> origins;  // `play`: other pages that the language server answers
};

// The options that `arguments` (without the program's name) ask for, or what is wrong with them, with the option or
// command that was probably meant. `@FILE` stands for the arguments that a file holds.
Result<Options> parse_arguments(const std::vector<std::string>& arguments);

// What `--help` prints: everything, or what one command takes.
std::string help_text(std::optional<Command> about);
// What can be learned from an example, and which variables of the environment count; both for help and manual.
std::string_view example_text();
std::string_view environment_text();

// The manual page, for man(1).
std::string manual_page();

// What makes a shell (bash, zsh, fish) complete commands, options and their values; nothing for another shell.
std::optional<std::string> completion_script(std::string_view shell);

std::string_view name(Command command);
std::string_view name(Emit level);

}  // namespace tsr::driver
