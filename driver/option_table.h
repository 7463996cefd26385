// Every option, once.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "driver/options.h"

namespace tsr::driver {

// Commands that take an option, as a set of bits.
inline constexpr unsigned kCompile = 1U << static_cast<unsigned>(Command::compile);
inline constexpr unsigned kRun = 1U << static_cast<unsigned>(Command::run);
inline constexpr unsigned kCheck = 1U << static_cast<unsigned>(Command::check);
inline constexpr unsigned kFormat = 1U << static_cast<unsigned>(Command::format);
inline constexpr unsigned kVersion = 1U << static_cast<unsigned>(Command::version);

enum class Group { output, code, checking, inspection };

struct OptionRow {
    std::string_view spelling;  // "--emit", "-O"
    std::string_view value;     // what stands for the value in the help; empty: a flag
    unsigned commands;
    Group group;
    std::string_view help;
    // Takes the value (empty for a flag). Gives an empty text, or what is wrong with the value.
    std::string (*set)(Options& options, std::string_view value);
};

std::span<const OptionRow> option_table();

struct CommandRow {
    Command command;
    std::string_view spelling;
    std::string_view arguments;
    std::string_view help;
};

std::span<const CommandRow> command_table();

}  // namespace tsr::driver
