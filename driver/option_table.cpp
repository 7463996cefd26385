#include "driver/option_table.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "driver/machines.h"

namespace tsr::driver {

namespace {

struct EmitName {
    std::string_view spelling;
    Emit level;
};
constexpr std::array kEmitNames{
    EmitName{"ast", Emit::ast},       EmitName{"graph", Emit::graph},       EmitName{"schedule", Emit::schedule},
    EmitName{"tile", Emit::tile},     EmitName{"target", Emit::target},     EmitName{"llvm", Emit::llvm},
    EmitName{"asm", Emit::assembly},  EmitName{"obj", Emit::object},        EmitName{"ptx", Emit::ptx},
    EmitName{"cubin", Emit::cubin},   EmitName{"exe", Emit::executable},    EmitName{"shared", Emit::shared},
    EmitName{"header", Emit::header}, EmitName{"manifest", Emit::manifest}, EmitName{"python", Emit::python},
};

std::string one_of(std::string_view what, std::string_view got, const std::vector<std::string>& allowed) {
    std::string list;
    for (const std::string& entry : allowed) list += (list.empty() ? "" : ", ") + entry;
    auto meant = nearest(got, allowed);
    return fmt::format("`{}` is not {} ({}){}", got, what, list,
                       meant ? fmt::format("; did you mean `{}`?", *meant) : "");
}

std::vector<std::string> emit_levels() {
    std::vector<std::string> levels;
    for (const EmitName& entry : kEmitNames) levels.emplace_back(entry.spelling);
    return levels;
}
std::vector<std::string> optimization_levels() { return {"0", "1", "2", "3"}; }
std::vector<std::string> interpreted_forms() { return {"tile"}; }
std::vector<std::string> sanitizers() { return {"race", "bounds", "nan"}; }
std::vector<std::string> explained() { return {"fusion", "memory", "cost", "numerics"}; }
// In the order of `DiagnosticForm`.
std::vector<std::string> diagnostic_forms() { return {"text", "json", "sarif"}; }
std::vector<std::string> passes_and_all() {
    auto names = pass_names();
    names.emplace_back("all");
    return names;
}

std::string set_emit(Options& options, std::string_view value) {
    for (const EmitName& entry : kEmitNames) {
        if (entry.spelling != value) continue;
        options.emit = entry.level;
        if (is_library_part(entry.level) &&
            std::ranges::find(options.library_parts, entry.level) == options.library_parts.end())
            options.library_parts.push_back(entry.level);
        return {};
    }
    return one_of("a level to emit", value, emit_levels());
}

std::string set_optimization(Options& options, std::string_view value) {
    if (value.size() != 1 || value[0] < '0' || value[0] > '3') {
        return fmt::format("`-O{}` is not an optimization level (-O0, -O1, -O2, -O3)", value);
    }
    options.optimization = value[0] - '0';
    return {};
}

std::string set_interpret(Options& options, std::string_view value) {
    if (!value.empty() && value != "tile") return one_of("a form to interpret", value, interpreted_forms());
    options.interpret = true;
    options.interpret_tile = value == "tile";
    return {};
}

// What stands between commas: each is one of the names, and sets its flag.
std::string set_several(std::string_view value, std::string_view what, const std::vector<bool*>& flags,
                        const std::vector<std::string>& names) {
    while (true) {
        const auto comma = value.find(',');
        const auto found = std::ranges::find(names, value.substr(0, comma));
        if (found == names.end()) return one_of(what, value.substr(0, comma), names);
        *flags[static_cast<size_t>(found - names.begin())] = true;
        if (comma == std::string_view::npos) return {};
        value.remove_prefix(comma + 1);
    }
}

std::string set_sanitize(Options& options, std::string_view value) {
    Sanitize& asked = options.sanitize;
    return set_several(value, "something to look for", {&asked.race, &asked.bounds, &asked.nan}, sanitizers());
}

std::string set_explain(Options& options, std::string_view value) {
    Explain& asked = options.explain;
    return set_several(value, "something to explain", {&asked.fusion, &asked.memory, &asked.cost, &asked.numerics},
                       explained());
}

std::string set_diagnostics(Options& options, std::string_view value) {
    auto allowed = diagnostic_forms();
    auto found = std::ranges::find(allowed, value);
    if (found == allowed.end()) return one_of("a form of diagnostics", value, allowed);
    options.diagnostics = static_cast<DiagnosticForm>(found - allowed.begin());
    return {};
}

// Nothing where the text is no number, or one that the type does not hold.
template <typename T>
std::optional<T> number(std::string_view text) {
    T read{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(read) : std::nullopt;
}

std::string set_pass_limit(Options& options, std::string_view value) {
    options.pass_limit = number<size_t>(value);
    return options.pass_limit ? "" : fmt::format("`{}` is not a number of passes", value);
}

std::string set_time_limit(Options& options, std::string_view value) {
    options.time_limit = number<int>(value);
    const bool fits = options.time_limit && *options.time_limit >= 0;
    return fits ? "" : fmt::format("`{}` is not a number of seconds", value);
}

std::string set_memory_limit(Options& options, std::string_view value) {
    const auto read = number<uint32_t>(value);
    options.memory_limit = read.value_or(0);
    return read ? "" : fmt::format("`{}` is not a number of MiB", value);
}

std::string set_port(Options& options, std::string_view value) {
    const auto read = number<uint16_t>(value);
    options.port = read.value_or(0);
    return read ? "" : fmt::format("`{}` is not a port: 1 to 65535", value);
}

// As browsers write it: a scheme and a host, perhaps a port, nothing behind them.
std::string add_origin(Options& options, std::string_view value) {
    const size_t scheme = value.starts_with("https://") ? 8 : value.starts_with("http://") ? 7 : 0;
    const std::string_view host = value.substr(scheme);
    if (scheme == 0 || host.empty() || host.find_first_of("/*?# ") != std::string_view::npos)
        return fmt::format("`{}` is not an origin: http:// or https://, a host, perhaps a port", value);
    options.origins.emplace_back(value);
    return {};
}

std::string add_target(Options& options, std::string_view value) {
    const auto known = target_names();
    if (std::ranges::find(known, value) == known.end()) return one_of("a target", value, known);
    if (std::ranges::find(options.targets, value) == options.targets.end()) options.targets.emplace_back(value);
    return {};
}

std::string set_output(Options& options, std::string_view value) {
    if (value.empty()) return "the output needs a name";
    options.output = value;
    return {};
}

template <auto Member>
std::string set_text(Options& options, std::string_view value) {
    options.*Member = value;
    return {};
}
template <auto Member>
std::string add_text(Options& options, std::string_view value) {
    (options.*Member).emplace_back(value);
    return {};
}
template <auto Member>
std::string set_flag(Options& options, std::string_view) {
    options.*Member = true;
    return {};
}

// What some editors always say.
std::string set_nothing(Options&, std::string_view) { return {}; }

constexpr unsigned kCode = kCompile | kRun | kTune;
constexpr unsigned kProgram = kCompile | kRun | kTune | kCheck;
constexpr unsigned kHunt = kBisect | kReduce;

constexpr auto kAny = nullptr;  // values that can not be listed, or none

constexpr std::array kOptions{
    OptionRow{"-o", "FILE", kCompile | kTune | kReduce, Group::output,
              "write the result to FILE (`-`: standard output)", kAny, set_output},
    OptionRow{
        "--emit", "LEVEL", kCompile, Group::output,
        "what to write: a level (ast, graph, schedule, tile, target, llvm, asm, obj, ptx, cubin), exe (default), of "
        "a library shared, header, manifest: one of them or several; or python, a package",
        emit_levels, set_emit},
    OptionRow{"-I", "FOLDER", kProgram | kHunt | kServe | kPlay, Group::output,
              "look for imported modules in FOLDER too", kAny, add_text<&Options::include_folders>},

    OptionRow{"--stdio", "", kServe, Group::output, "speak over standard input and output: what it does anyway", kAny,
              set_nothing},

    OptionRow{"--port", "NUMBER", kPlay, Group::output, "where on 127.0.0.1 the page is (default: a free port)", kAny,
              set_port},

    OptionRow{"--origin", "ADDRESS", kPlay, Group::output,
              "let the language server answer pages of this origin too, as https://HOST: an editor in the browser",
              kAny, add_origin},

    OptionRow{"--user", "", kJupyter, Group::output, "for this user alone: ~/.local/share/jupyter (the default)", kAny,
              set_flag<&Options::user>},
    OptionRow{"--prefix", "FOLDER", kJupyter, Group::output,
              "into FOLDER/share/jupyter: /usr/local for everybody, or a virtual environment", kAny,
              set_text<&Options::prefix>},

    OptionRow{"-O", "0..3", kCode | kHunt, Group::code, "how much to optimize (default 2)", optimization_levels,
              set_optimization},
    OptionRow{"-g", "", kCode, Group::code, "describe source lines to debuggers", kAny, set_flag<&Options::debug_info>},
    OptionRow{"--cpu", "CPU", kCode | kBisect, Group::code,
              "code for one CPU: native, x86-64-v3, x86-64-v4, … (default: several levels in one executable)",
              machine_names, set_text<&Options::cpu>},

    OptionRow{
        "--target", "NAME", kCode, Group::code,
        "code for cpu alone, or for a GPU beside it, several of them by repeating (default: cpu, and PTX for sm_75, "
        "sm_80 and sm_90a where a kernel has such code)",
        target_names, add_target},

    OptionRow{"--schedule", "FILE", kCode, Group::code,
              "follow the plans in FILE, as the level `schedule` shows them, edited or not", kAny,
              set_text<&Options::schedule>},

    OptionRow{"--tuned", "FILE", kCompile | kTune, Group::code,
              "winners of tuning that become part of the executable; with tune: write them to FILE", kAny,
              set_text<&Options::tuned>},

    OptionRow{"--deterministic", "", kCompile | kRun | kCheck, Group::checking,
              "take the first point of each tuning space; with check: refuse what may give other bits in another run",
              kAny, set_flag<&Options::deterministic>},
    OptionRow{"--verify", "", kCheck, Group::checking,
              "compare the diagnostics with the expectations in the program's comments", kAny,
              set_flag<&Options::verify>},
    OptionRow{"--numerics", "", kCheck, Group::checking,
              "print a bound of the error of each result of a graph function and each tensor that a kernel writes",
              kAny, set_flag<&Options::numerics>},
    OptionRow{"--check", "", kFormat, Group::checking, "change nothing; fail if a file would change", kAny,
              set_flag<&Options::format_check>},
    OptionRow{"--interpret", "FORM", kRun, Group::checking,
              "run in the evaluator instead of compiling: what every machine starts from; with =tile each kernel as "
              "the program of one tile, before every pass, to judge those as well",
              interpreted_forms, set_interpret, true},
    OptionRow{"--sanitize", "KINDS", kRun, Group::checking,
              "with --interpret, report: race, bounds, nan (separated by commas)", sanitizers, set_sanitize},
    OptionRow{"--diagnostics", "FORM", kProgram | kFormat, Group::checking,
              "text (default); json: one object per line; sarif: one log, for other tools", diagnostic_forms,
              set_diagnostics},

    OptionRow{
        "--test", "COMMAND", kHunt, Group::inspection,
        "what tells right from wrong, given a file: of bisect the executable, right where it ends with 0 (default: "
        "it writes what the evaluator writes); of reduce the program, small enough to go on with where it ends "
        "with 0 (default: the compiler fails)",
        kAny, set_text<&Options::test>},
    OptionRow{"--time-limit", "SECONDS", kReduce | kPlay, Group::inspection,
              "of reduce: end after so long with what was found (default 600; 0: when nothing gets smaller); of play: "
              "end a program after so long (default 60; 0: never)",
              kAny, set_time_limit},
    OptionRow{"--memory-limit", "MIB", kPlay, Group::inspection,
              "of play: the most memory that a program may have (default 0: as much as there is)", kAny,
              set_memory_limit},
    OptionRow{
        "--explain", "KINDS", kCompile, Group::inspection,
        "tell about operator graphs: fusion (what becomes one kernel, and why not more), memory (which tensors are "
        "there when, and the most at once), cost (operations and bytes); and numerics (where a program rounds, and how "
        "far); separated by commas",
        explained, set_explain},
    OptionRow{"--dump-after", "PASS", kCode, Group::inspection, "print the IR after a pass (`all`: after each)",
              passes_and_all, add_text<&Options::dump_after>},
    OptionRow{"--stop-after", "PASS", kCode, Group::inspection, "run no pass behind this one", pass_names,
              set_text<&Options::stop_after>},
    OptionRow{"--pass-limit", "N", kCode, Group::inspection,
              "run only the first N passes that improve code, to find a wrong one", kAny, set_pass_limit},
    OptionRow{"--time-passes", "", kProgram, Group::inspection, "say how long each step took", kAny,
              set_flag<&Options::time_passes>},
    OptionRow{"--verbose", "", kVersion | kCompile, Group::inspection,
              "with --version: how the compiler was built; else what ptxas says of slow code", kAny,
              set_flag<&Options::verbose>},
};

constexpr std::array kCommands{
    CommandRow{Command::compile, "", "FILE.tsr [-o OUT]", "compile a program to an executable"},
    CommandRow{Command::run, "run", "FILE.tsr [ARGS]", "compile a program, if it changed, and run it with ARGS"},
    CommandRow{Command::tune, "tune", "FILE.tsr [ARGS] [-o OUT]",
               "run a program to find the fastest points of its tuning spaces; OUT is an executable that knows them"},
    CommandRow{Command::check, "check", "FILE.tsr…", "report what is wrong with programs"},
    CommandRow{Command::format, "fmt", "FILE.tsr…",
               "bring programs into the one layout (`-`: standard input to standard output)"},
    CommandRow{Command::explain, "explain", "CODE|NAME",
               "tell the rule behind a diagnostic, or what an operation does"},
    CommandRow{Command::bisect, "bisect", "FILE.tsr [ARGS]", "find the pass that makes a program go wrong"},
    CommandRow{Command::reduce, "reduce", "FILE.tsr", "make a program smaller as long as it shows an error"},
    CommandRow{Command::serve, "lsp", "", "serve an editor: the language server, over standard input and output"},
    CommandRow{Command::play, "play", "[FILE.tsr]",
               "open a page on this machine to write programs, run them and look into them; it edits FILE.tsr"},
    CommandRow{Command::jupyter, "jupyter", "install", "tell Jupyter of the kernel that runs cells of Tessera"},
    CommandRow{Command::completions, "completions", "bash|zsh|fish",
               "print what makes a shell complete the command line"},
    CommandRow{Command::manual, "manual", "", "print the manual page, for man(1)"},
    CommandRow{Command::version, "version", "", "print the version"},
    CommandRow{Command::help, "help", "[COMMAND]", "this text, or what one command takes"},
};

}  // namespace

std::span<const OptionRow> option_table() { return kOptions; }

std::span<const CommandRow> command_table() { return kCommands; }

std::string shown_spelling(const OptionRow& row) {
    if (row.value.empty()) return std::string(row.spelling);
    if (row.spelling == "-O") return "-O0, -O1, -O2, -O3";
    if (row.optional_value) return fmt::format("{}[={}]", row.spelling, row.value);
    return fmt::format("{}{}{}", row.spelling, row.spelling.size() == 2 ? " " : "=", row.value);
}

std::string_view title(Group group) {
    switch (group) {
        case Group::output:
            return "Input and output";
        case Group::code:
            return "Code";
        case Group::checking:
            return "Checking";
        case Group::inspection:
            return "Looking inside";
    }
    return {};
}

std::string_view name(Command command) {
    for (const CommandRow& row : kCommands) {
        if (row.command == command) return row.spelling;
    }
    return {};
}

std::string_view name(Emit level) {
    for (const EmitName& entry : kEmitNames) {
        if (entry.level == level) return entry.spelling;
    }
    return {};
}

}  // namespace tsr::driver
