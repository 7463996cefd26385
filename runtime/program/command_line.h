// The words of a command line, sorted by what they set (language reference, section 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi.h"
#include "runtime/result.h"

namespace tsr::runtime {

struct CommandLine {
    bool help = false;
    std::vector<std::optional<std::string>> values;  // of each parameter; bool: "true" or "false"
    std::optional<std::string> out;
    std::vector<std::optional<std::string>> outs;  // --out.NAME, of each result
    uint64_t seed = 0;
    std::vector<std::string> rest;  // behind a lone --
};

// `--name value` or `--name=value`; `-` and `_` in names are one; --flag, --no-flag. Refused: unknown and repeated
// options, options without their value, words that belong to no option.
Result<CommandLine> parse_command_line(const TsrProgram& program, const std::vector<std::string>& words);

// The name a result has in files and in --out.NAME: its variable, else its number.
std::string result_name(const TsrProgram& program, int32_t result);
std::string help_text(const TsrProgram& program);

}  // namespace tsr::runtime
