// `tesserac completions SHELL`: scripts that complete the command line, made from the tables of commands and options.
#include <algorithm>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "driver/option_table.h"
#include "driver/pages.h"

namespace tsr::driver {

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::vector<std::string> command_words() {
    std::vector<std::string> words;
    for (const CommandRow& row : command_table()) {
        if (!row.spelling.empty()) words.emplace_back(row.spelling);
    }
    return words;
}

// What a user types for an option: `--emit=`, `-O2`, `-g`.
std::vector<std::string> typed(const OptionRow& row) {
    if (row.spelling == "-O") {
        std::vector<std::string> levels = row.choices();
        for (std::string& level : levels) level.insert(0, "-O");
        return levels;
    }
    if (row.optional_value) {
        std::vector<std::string> forms{std::string(row.spelling)};
        for (const std::string& value : row.choices()) forms.push_back(fmt::format("{}={}", row.spelling, value));
        return forms;
    }
    bool joins = !row.value.empty() && row.spelling.size() > 2;
    return {fmt::format("{}{}", row.spelling, joins ? "=" : "")};
}

std::string options_of(Command command) {
    std::vector<std::string> words{"--help"};
    for (const OptionRow& row : option_table()) {
        if ((row.commands & bit(command)) == 0) continue;
        auto more = typed(row);
        words.insert(words.end(), more.begin(), more.end());
    }
    return joined(words);
}

std::vector<std::string> names_of_pages() {
    std::vector<std::string> all;
    for (const Page& page : error_pages()) all.emplace_back(page.name);
    for (const Page& page : operation_pages()) all.emplace_back(page.name);
    return all;
}

// What a command takes beside options: words of a list, or (nothing) files.
std::vector<std::string> operands_of(Command command) {
    switch (command) {
        case Command::explain:
            return names_of_pages();
        case Command::completions:
            return {"bash", "zsh", "fish"};
        case Command::jupyter:
            return {"install"};
        case Command::help:
            return command_words();
        case Command::compile:
        case Command::run:
        case Command::tune:
        case Command::check:
        case Command::format:
        case Command::bisect:
        case Command::reduce:
        case Command::serve:
        case Command::play:
        case Command::manual:
        case Command::version:
            return {};
    }
    return {};
}

std::string bash() {
    std::string values;
    for (const OptionRow& row : option_table()) {
        if (row.choices != nullptr && row.spelling.size() > 2)
            values += fmt::format("        {}) words='{}' ;;\n", row.spelling, joined(row.choices()));
    }
    std::string commands;
    for (const CommandRow& row : command_table()) {
        commands +=
            fmt::format("        {}) options='{}'; operands='{}' ;;\n", row.spelling.empty() ? "*" : row.spelling,
                        options_of(row.command), joined(operands_of(row.command)));
    }
    // The row of compiling, `*`, has to stand last.
    auto compile = commands.substr(0, commands.find('\n') + 1);
    commands.erase(0, compile.size());
    return fmt::format(R"(# Completes tesserac in bash: source this, or put it into a folder of bash-completion.
_tesserac() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} option= words= options= operands=
    [ "$current" = = ] && {{ current=; option=${{COMP_WORDS[COMP_CWORD-1]}}; }}
    [ "${{COMP_WORDS[COMP_CWORD-1]}}" = = ] && option=${{COMP_WORDS[COMP_CWORD-2]}}
    case $option in
{}    esac
    if [ -n "$option" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}{}    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        [[ ${{COMPREPLY-}} == *= ]] && compopt -o nospace
    elif [ -n "$operands" ]; then
        COMPREPLY=($(compgen -W "$operands" -- "$current"))
    else
        compopt -o filenames
        COMPREPLY=($(compgen -f -- "$current"))
        [ "$COMP_CWORD" = 1 ] && COMPREPLY+=($(compgen -W '{}' -- "$current"))
    fi
}}
complete -F _tesserac tesserac
)",
                       values, commands, compile, joined(command_words()));
}

// A text between the quotes and brackets of zsh's `_arguments`.
std::string in_zsh(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string zsh_option(const OptionRow& row) {
    bool is_short = row.spelling.size() == 2;
    if (row.value.empty()) return fmt::format("'{}[{}]'", row.spelling, in_zsh(row.help));
    auto values = row.choices != nullptr ? fmt::format("({})", joined(row.choices())) : std::string("_files");
    if (row.choices == nullptr && row.value == "N") values = " ";
    if (row.optional_value) return fmt::format("'{}=-[{}]::{}:{}'", row.spelling, in_zsh(row.help), row.value, values);
    return fmt::format("'{}[{}]:{}:{}'",
                       fmt::format("{}{}", row.spelling,
                                   row.spelling == "-O" ? "-"
                                   : is_short           ? "+"
                                                        : "="),
                       in_zsh(row.help), row.value, values);
}

std::string zsh() {
    std::string commands;
    std::string cases;
    for (const CommandRow& row : command_table()) {
        if (!row.spelling.empty()) commands += fmt::format("        '{}:{}'\n", row.spelling, in_zsh(row.help));
        std::string arguments = " \\\n            '(- *)--help[tell about this command]'";
        for (const OptionRow& option : option_table()) {
            if ((option.commands & bit(row.command)) != 0) arguments += " \\\n            " + zsh_option(option);
        }
        auto operands = operands_of(row.command);
        arguments += fmt::format(" \\\n            '*:{}:{}'", operands.empty() ? "file" : "word",
                                 operands.empty() ? "_files" : fmt::format("({})", joined(operands)));
        auto spelling = row.spelling.empty() ? "*" : std::string(row.spelling);
        auto one = fmt::format("        {}) _arguments{} ;;\n", spelling, arguments);
        cases.insert(row.spelling.empty() ? cases.size() : 0, one);  // `*` last
    }
    return fmt::format(R"(#compdef tesserac
# Completes tesserac in zsh: put this as _tesserac into a folder of $fpath.
_tesserac() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command commands
        _files -g '*.tsr'
        return
    fi
    local chosen=$words[2]
    if (( ${{commands[(I)$chosen:*]}} )); then
        shift words
        (( CURRENT-- ))
    fi
    case $chosen in
{}    esac
}}
_tesserac "$@"
)",
                       commands, cases);
}

std::string in_fish(std::string_view text) {
    std::string out;
    for (char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out;
}

std::string fish() {
    auto words = joined(command_words());
    std::string out = "# Completes tesserac in fish: put this as tesserac.fish into ~/.config/fish/completions.\n";
    for (const CommandRow& row : command_table()) {
        auto when = row.spelling.empty() ? fmt::format("not __fish_seen_subcommand_from {}", words)
                                         : fmt::format("__fish_seen_subcommand_from {}", row.spelling);
        if (!row.spelling.empty())
            out += fmt::format("complete -c tesserac -n __fish_use_subcommand -a {} -d '{}'\n", row.spelling,
                               in_fish(row.help));
        for (const OptionRow& option : option_table()) {
            if ((option.commands & bit(row.command)) == 0) continue;
            bool is_short = option.spelling.size() == 2;
            out += fmt::format("complete -c tesserac -n '{}' -{} {}{} -d '{}'\n", when, is_short ? "s" : "l",
                               option.spelling.substr(is_short ? 1 : 2),
                               option.value.empty()        ? ""
                               : option.optional_value     ? fmt::format(" -f -a '{}'", joined(option.choices()))
                               : option.choices != nullptr ? fmt::format(" -x -a '{}'", joined(option.choices()))
                                                           : " -r",
                               in_fish(option.help));
        }
        auto operands = operands_of(row.command);
        if (!operands.empty()) out += fmt::format("complete -c tesserac -n '{}' -f -a '{}'\n", when, joined(operands));
    }
    return out;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell) {
    if (shell == "bash") return bash();
    if (shell == "zsh") return zsh();
    if (shell == "fish") return fish();
    return std::nullopt;
}

}  // namespace tsr::driver
