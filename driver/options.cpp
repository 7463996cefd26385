#include "driver/options.h"

#include <algorithm>

#include <fmt/core.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "driver/option_table.h"
#include "driver/response_file.h"

namespace tsr::driver {

namespace {

std::string meant(std::string_view word, const std::vector<std::string>& candidates) {
    auto found = nearest(word, candidates);
    return found ? fmt::format("; did you mean `{}`?", *found) : "";
}

std::vector<std::string> spellings_for(Command command) {
    std::vector<std::string> all{"--help", "--version"};
    for (const OptionRow& row : option_table()) {
        if ((row.commands & bit(command)) != 0) all.emplace_back(row.spelling);
    }
    return all;
}

class Parser {
public:
    explicit Parser(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

    Result<Options> operator()() {
        if (auto wrong = expand(); !wrong.empty()) return Failure{wrong};
        if (auto wrong = take_command(); !wrong.empty()) return Failure{wrong};
        while (next_ < arguments_.size() && !done_) {
            if (auto wrong = expand(); !wrong.empty()) return Failure{wrong};
            if (next_ == arguments_.size()) break;
            std::string argument = arguments_[next_++];
            auto wrong = !only_operands_ && argument.size() > 1 && argument[0] == '-' ? take_option(argument)
                                                                                      : take_operand(argument);
            if (!wrong.empty()) return Failure{wrong};
        }
        if (auto wrong = check_whole(); !wrong.empty()) return Failure{wrong};
        return options_;
    }

private:
    // Puts the words of a file where the next argument is `@FILE`; they may name files themselves.
    std::string expand() {
        constexpr size_t kMostFiles = 64;  // a file that names itself must end
        while (!only_operands_ && next_ < arguments_.size() && arguments_[next_].size() > 1 &&
               arguments_[next_][0] == '@') {
            auto path = arguments_[next_].substr(1);
            if (++files_read_ > kMostFiles)
                return fmt::format("`@{}`: more than {} files of arguments", path, kMostFiles);
            auto words = read_response_file(path);
            if (!words) return words.message();
            auto at = arguments_.begin() + static_cast<ptrdiff_t>(next_);
            at = arguments_.erase(at);
            arguments_.insert(at, words.value().begin(), words.value().end());
        }
        return {};
    }

    // The first argument is a command, or a program to compile.
    std::string take_command() {
        if (arguments_.empty()) {
            options_.command = Command::help;
            done_ = true;
            return {};
        }
        const std::string& first = arguments_[0];
        std::vector<std::string> known;
        for (const CommandRow& row : command_table()) {
            if (row.spelling.empty()) continue;
            known.emplace_back(row.spelling);
            if (row.spelling != first) continue;
            options_.command = row.command;
            next_ = 1;
            return {};
        }
        bool names_a_file =
            first[0] == '-' || first.find_first_of("./") != std::string::npos || access(first.c_str(), F_OK) == 0;
        if (first.empty() || names_a_file) return {};
        return fmt::format("there is no command `{}`{}", first, meant(first, known));
    }

    std::string take_option(const std::string& argument) {
        if (argument == "--") {
            only_operands_ = true;
            return {};
        }
        if (argument == "--help" || argument == "-h") {
            if (options_.command != Command::compile || next_ > 1) options_.help_about = options_.command;
            options_.command = Command::help;
            done_ = true;
            return {};
        }
        if (argument == "--version") {
            options_.command = Command::version;
            return {};
        }
        auto equals = argument.find('=');
        std::string spelling = argument.substr(0, equals);
        for (const OptionRow& row : option_table()) {
            bool is_short = row.spelling.size() == 2;
            if (row.spelling == spelling) return apply(row, argument, equals);
            if (is_short && !row.value.empty() && argument.starts_with(row.spelling)) {
                return set(row, argument.substr(2));  // -O2, -Ifolder
            }
        }
        return fmt::format("there is no option `{}`{}", spelling, meant(spelling, spellings_for(options_.command)));
    }

    std::string apply(const OptionRow& row, const std::string& argument, size_t equals) {
        if (row.value.empty()) {
            if (equals != std::string::npos) return fmt::format("`{}` takes no value", row.spelling);
            return set(row, "");
        }
        if (equals != std::string::npos) return set(row, argument.substr(equals + 1));
        if (row.optional_value) return row_set(row, "");
        if (row.spelling == "-O") return "`-O` needs a level: -O0, -O1, -O2, -O3";
        if (next_ >= arguments_.size()) return needs_value(row);
        return set(row, arguments_[next_++]);
    }

    static std::string needs_value(const OptionRow& row) {
        return fmt::format("`{}` needs a value: {}{}{}", row.spelling, row.spelling,
                           row.spelling.size() == 2 ? " " : "=", row.value);
    }

    std::string set(const OptionRow& row, const std::string& value) {
        if (!row.value.empty() && value.empty()) return needs_value(row);
        return row_set(row, value);
    }

    std::string row_set(const OptionRow& row, const std::string& value) {
        given_.push_back(&row);
        return row.set(options_, value);
    }

    std::string take_operand(const std::string& argument) {
        if (options_.command == Command::help) {
            for (const CommandRow& row : command_table()) {
                if (row.spelling == argument) options_.help_about = row.command;
            }
            if (!options_.help_about) return fmt::format("there is no command `{}`", argument);
            return {};
        }
        if (options_.command == Command::format || options_.command == Command::check) {
            if (options_.files.empty()) options_.input = argument;
            options_.files.push_back(argument);
            return {};
        }
        if (options_.command == Command::version || options_.command == Command::manual ||
            options_.command == Command::serve)
            return fmt::format("`{}` takes no `{}`", name(options_.command), argument);
        if (!options_.input.empty())
            return fmt::format("one program at a time: `{}` and `{}` were given", options_.input, argument);
        options_.input = argument;
        if (options_.command == Command::run || options_.command == Command::bisect) {
            options_.program_arguments.assign(arguments_.begin() + static_cast<ptrdiff_t>(next_), arguments_.end());
            done_ = true;
        }
        return options_.command == Command::tune ? take_program_arguments() : "";
    }

    // Everything behind the program is its own, but `-o`, which no program has.
    std::string take_program_arguments() {
        for (; next_ < arguments_.size(); ++next_) {
            if (arguments_[next_] != "-o") {
                options_.program_arguments.push_back(arguments_[next_]);
                continue;
            }
            if (next_ + 1 == arguments_.size()) return "`-o` needs a value: -o FILE";
            options_.output = arguments_[++next_];
        }
        return {};
    }

    // What can only be judged when all arguments are known.
    std::string check_whole() {
        if (options_.command == Command::help) return {};
        for (const OptionRow* row : given_) {
            if ((row->commands & bit(options_.command)) != 0) continue;
            auto command = name(options_.command);
            return fmt::format("`{}` does not go with {}", row->spelling,
                               command.empty() ? "compiling" : fmt::format("`{}`", command));
        }
        bool needs_file = options_.command == Command::compile || options_.command == Command::run ||
                          options_.command == Command::tune || options_.command == Command::check ||
                          options_.command == Command::bisect || options_.command == Command::reduce;
        if (needs_file && options_.input.empty()) return "no program was named";
        bool to_file = options_.emit == Emit::executable || options_.emit == Emit::object;
        if (options_.command == Command::compile && options_.input == "-" && to_file && options_.output.empty())
            return "a program from standard input has no name to call the result after: add `-o FILE`";
        const bool of_gpus = options_.emit == Emit::ptx || options_.emit == Emit::cubin;
        if (of_gpus && options_.targets == std::vector<std::string>{"cpu"})
            return fmt::format("`--emit={}` writes code for GPUs: `--target=cpu` has none", name(options_.emit));
        if (options_.makes_library() && !is_library_part(options_.emit))
            return fmt::format("`--emit={}` is no part of a library: shared, header and manifest go together",
                               name(options_.emit));
        if (options_.makes_library() && options_.input.ends_with(".ir"))
            return "a library is made of a program, not of the text of its IR";
        if (options_.command == Command::format && options_.files.empty()) return "no file to format was named";
        if (options_.command == Command::explain && options_.input.empty())
            return "which code or operation? For example: tesserac explain E0101, tesserac explain tile.scan";
        if (options_.command == Command::jupyter && options_.input != "install")
            return "`jupyter` does one thing: tesserac jupyter install";
        if (options_.user && !options_.prefix.empty()) return "`--user` and `--prefix` name two places: leave one out";
        if (options_.command == Command::completions && options_.input.empty())
            return "for which shell? bash, zsh or fish";
        const bool runs = options_.command == Command::run || options_.command == Command::tune;
        if (runs && options_.diagnostics == DiagnosticForm::sarif)
            return "`--diagnostics=sarif` goes with `check`: what a program writes would stand in the log";
        if (options_.command == Command::check && options_.files.size() > 1 &&
            options_.diagnostics == DiagnosticForm::sarif)
            return "`--diagnostics=sarif` makes the log of one program: check them one at a time";
        if (options_.explain.any() && options_.emit != Emit::executable)
            return "`--explain` and `--emit` each say what is written: leave one of them out";
        if (options_.sanitize.any() && !options_.interpret)
            return "`--sanitize` works in the evaluator: add `--interpret`";
        if (options_.sanitize.any() && options_.interpret_tile)
            return "`--sanitize` works on the program of a group: `--interpret` runs that, without `=tile`";
        return {};
    }

    std::vector<std::string> arguments_;
    size_t next_ = 0;
    size_t files_read_ = 0;
    bool done_ = false;
    bool only_operands_ = false;
    Options options_;
    std::vector<const OptionRow*> given_;
};

}  // namespace

Result<Options> parse_arguments(const std::vector<std::string>& arguments) { return Parser(arguments)(); }

}  // namespace tsr::driver
