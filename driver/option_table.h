// Every option, once.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"

namespace tsr::driver {

// Commands that take an option, as a set of bits.
constexpr unsigned bit(Command command) { return 1U << static_cast<unsigned>(command); }
inline constexpr unsigned kCompile = bit(Command::compile);
inline constexpr unsigned kRun = bit(Command::run);
inline constexpr unsigned kTune = bit(Command::tune);
inline constexpr unsigned kCheck = bit(Command::check);
inline constexpr unsigned kFormat = bit(Command::format);
inline constexpr unsigned kBisect = bit(Command::bisect);
inline constexpr unsigned kReduce = bit(Command::reduce);
inline constexpr unsigned kPlay = bit(Command::play);
inline constexpr unsigned kJupyter = bit(Command::jupyter);
inline constexpr unsigned kServe = bit(Command::serve);
inline constexpr unsigned kVersion = bit(Command::version);

enum class Group { output, code, checking, inspection };

struct OptionRow {
    std::string_view spelling;  // "--emit", "-O"
    std::string_view value;     // what stands for the value in the help; empty: a flag
    unsigned commands;
    Group group;
    std::string_view help;
    // Every value there is, where they can be listed.
    std::vector<std::string> (*choices)();
    // Takes the value (empty for a flag). Gives an empty text, or what is wrong with the value.
    std::string (*set)(Options& options, std::string_view value);
    bool optional_value = false;  // without one it is a flag; the value stands behind `=`
};

std::span<const OptionRow> option_table();

// "-O0, -O1, …", "-o FILE", "--emit=LEVEL".
std::string shown_spelling(const OptionRow& row);

struct CommandRow {
    Command command;
    std::string_view spelling;
    std::string_view arguments;
    std::string_view help;
};

std::span<const CommandRow> command_table();

std::string_view title(Group group);
inline constexpr std::array kGroups{Group::output, Group::code, Group::checking, Group::inspection};

}  // namespace tsr::driver
