#include <algorithm>

#include <fmt/core.h>

#include "driver/option_table.h"

namespace tsr::driver {

namespace {

constexpr size_t kColumn = 26;  // where explanations begin

std::string line(std::string_view left, std::string_view right) {
    return left.size() + 4 > kColumn ? fmt::format("  {}\n{:{}}{}\n", left, "", kColumn, right)
                                     : fmt::format("  {:<{}}{}\n", left, kColumn - 2, right);
}

// The options of one group that any of `commands` takes.
std::string options_of(Group group, unsigned commands) {
    std::string out;
    for (const OptionRow& row : option_table()) {
        if (row.group == group && (row.commands & commands) != 0) out += line(shown_spelling(row), row.help);
    }
    return out.empty() ? out : fmt::format("\n{}:\n{}", title(group), out);
}

std::string all_options(unsigned commands) {
    std::string out;
    for (Group group : kGroups) out += options_of(group, commands);
    return out;
}

constexpr std::string_view kMore = R"(
`-` as a program is standard input. `@FILE` among the arguments stands for those that FILE holds, separated by blanks.
Exit codes: 0 done; 1 the program or its input is wrong; 2 the command line is wrong; 70 an error in the compiler.
)";

}  // namespace

std::string_view example_text() {
    return R"(  tesserac saxpy.tsr -o saxpy && ./saxpy --x x.npy --y y.npy --alpha 3 --out result.npy
  tesserac run saxpy.tsr --x x.npy --y y.npy
  tesserac run --interpret --sanitize=race,bounds scan.tsr
  tesserac saxpy.tsr --emit=tile              what the kernel does, tile by tile
  tesserac tune gemm.tsr --m 4096 -o gemm     measure, and keep the winners in the executable
  tesserac explain E0302                      the rule behind a diagnostic
  tesserac explain tile.scan                  what an operation does
)";
}

std::string_view environment_text() {
    return R"(  TESSERA_CACHE_DIR       compiled programs are kept here (default: ~/.cache/tesserac)
  TESSERA_TUNE            off: programs measure no kernel; again: they forget what they know
  TESSERA_DEVICE          cpu, cuda:0, … where programs run
  TESSERA_TRACE           programs write what ran when to this file (Perfetto)
)";
}

std::string help_text(std::optional<Command> about) {
    if (about) {
        for (const CommandRow& row : command_table()) {
            if (row.command != *about) continue;
            auto words = fmt::format("tesserac{}{}", row.spelling.empty() ? "" : " ", row.spelling);
            return fmt::format("{} {}{}\n    {}\n{}", words, row.arguments.empty() ? "" : "[OPTIONS] ", row.arguments,
                               row.help, all_options(1U << static_cast<unsigned>(row.command)));
        }
    }
    std::string out =
        "tesserac compiles Tessera programs: kernels for tiles, and the host code around them.\n\nUsage:\n";
    const auto usage = [](const CommandRow& row) {
        return fmt::format("tesserac {}{}{}", row.spelling, row.spelling.empty() || row.arguments.empty() ? "" : " ",
                           row.arguments);
    };
    size_t widest = 0;
    for (const CommandRow& row : command_table()) widest = std::max(widest, usage(row).size());
    for (const CommandRow& row : command_table()) {
        out += fmt::format("  {:<{}}{}\n", usage(row), widest + 2, row.help);
    }
    out += all_options(~0U);
    out += fmt::format("\nExamples:\n{}\nEnvironment:\n{}{}", example_text(), environment_text(), kMore);
    return out;
}

}  // namespace tsr::driver
