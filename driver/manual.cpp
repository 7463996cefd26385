// `tesserac manual`: the manual page, in the macros of man(7), made from the tables of commands and options.
#include <fmt/core.h>

#include "driver/option_table.h"

namespace tsr::driver {

namespace {

// Text for roff: a backslash, a hyphen that is copied as one, a dot that begins a line.
std::string in_roff(std::string_view text) {
    std::string out;
    bool line_begins = true;
    for (char c : text) {
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        line_begins = c == '\n';
    }
    return out;
}

// A term and what is said about it.
std::string item(std::string_view term, std::string_view text) {
    return fmt::format(".TP\n.B {}\n{}\n", in_roff(term), in_roff(text));
}

// The commands that take an option, where not all do.
std::string taken_by(const OptionRow& row) {
    std::string out;
    for (const CommandRow& command : command_table()) {
        if ((row.commands & bit(command.command)) == 0) continue;
        out += fmt::format("{}{}", out.empty() ? "" : ", ", command.spelling.empty() ? "compiling" : command.spelling);
    }
    return out;
}

std::string commands() {
    std::string out;
    for (const CommandRow& row : command_table()) {
        out += item(fmt::format("tesserac {}{}{}", row.spelling, row.spelling.empty() ? "" : " ", row.arguments),
                    row.help);
    }
    return out;
}

std::string options() {
    std::string out;
    for (Group group : kGroups) {
        out += fmt::format(".SS {}\n", title(group));
        for (const OptionRow& row : option_table()) {
            if (row.group == group) out += item(shown_spelling(row), fmt::format("{} ({})", row.help, taken_by(row)));
        }
    }
    return out;
}

}  // namespace

std::string manual_page() {
    return fmt::format(
        R"(.TH TESSERAC 1 "" "tesserac {}" "User Commands"
.SH NAME
tesserac \- compile Tessera programs: kernels for tiles, and the host code around them
.SH SYNOPSIS
.B tesserac
.I FILE.tsr
.RB [ \-o
.IR OUT ]
.br
.B tesserac
.I COMMAND
.RI [ OPTIONS ]
.RI [ ARGUMENTS ]
.SH DESCRIPTION
.B tesserac
compiles a program to one executable that needs nothing else where it runs.
The parameters of the program's
.B main
are the command line of that executable.
.PP
A program named \- is standard input.
.BI @ FILE
among the arguments stands for those that
.I FILE
holds, separated by blanks; quotes and backslashes keep a blank.
.SH COMMANDS
{}.SH OPTIONS
{}.SH EXAMPLES
.nf
{}.fi
.SH ENVIRONMENT
.nf
{}.fi
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
the program or its input is wrong
.TP
.B 2
the command line is wrong
.TP
.B 70
an error in the compiler; what replays it is in the folder named
)",
        TSR_VERSION, commands(), options(), in_roff(example_text()), in_roff(environment_text()));
}

}  // namespace tsr::driver
