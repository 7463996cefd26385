#include "driver/options.h"

#include <doctest/doctest.h>

#include "driver/option_table.h"
#include "runtime/program/command_line.h"

using namespace tsr::driver;

namespace {

Options parsed(const std::vector<std::string>& arguments) {
    auto options = parse_arguments(arguments);
    REQUIRE_MESSAGE(options.ok(), (options.ok() ? "" : options.message()));
    return options.value();
}

std::string refused(const std::vector<std::string>& arguments) {
    auto options = parse_arguments(arguments);
    REQUIRE(!options.ok());
    return options.message();
}

}  // namespace

TEST_CASE("a file alone is compiled to an executable") {
    auto options = parsed({"saxpy.tsr", "-o", "saxpy", "-O3", "-g", "-Ilib", "-I", "more", "--cpu=native"});
    CHECK(options.command == Command::compile);
    CHECK(options.input == "saxpy.tsr");
    CHECK(options.output == "saxpy");
    CHECK(options.optimization == 3);
    CHECK(options.debug_info);
    CHECK(options.include_folders == std::vector<std::string>{"lib", "more"});
    CHECK(options.cpu == "native");
    CHECK(options.emit == Emit::executable);
}

TEST_CASE("what stands behind the program belongs to the program") {
    auto options = parsed({"run", "-O0", "saxpy.tsr", "--x", "x.npy", "-O3", "--help"});
    CHECK(options.command == Command::run);
    CHECK(options.optimization == 0);
    CHECK(options.program_arguments == std::vector<std::string>{"--x", "x.npy", "-O3", "--help"});
}

TEST_CASE("values stand behind an equals sign or as the next argument") {
    CHECK(parsed({"a.tsr", "--emit=tile"}).emit == Emit::tile);
    CHECK(parsed({"a.tsr", "--emit", "asm"}).emit == Emit::assembly);
    auto options = parsed({"run", "--interpret", "--sanitize=race,nan", "a.tsr"});
    CHECK(options.sanitize.race);
    CHECK(!options.sanitize.bounds);
    CHECK(options.sanitize.nan);
}

TEST_CASE("what the evaluator runs is said behind an equals sign, or not at all") {
    CHECK(parsed({"run", "--interpret", "a.tsr"}).interpret);
    CHECK(!parsed({"run", "--interpret", "a.tsr"}).interpret_tile);
    auto options = parsed({"run", "--interpret=tile", "a.tsr", "tile"});
    CHECK(options.interpret);
    CHECK(options.interpret_tile);
    CHECK(options.program_arguments == std::vector<std::string>{"tile"});
    CHECK(refused({"run", "--interpret=tiles", "a.tsr"}) ==
          "`tiles` is not a form to interpret (tile); did you mean `tile`?");
    CHECK(refused({"run", "--interpret=", "a.tsr"}) == "`--interpret` needs a value: --interpret=FORM");
    CHECK(refused({"run", "--interpret=tile", "--sanitize=race", "a.tsr"}) ==
          "`--sanitize` works on the program of a group: `--interpret` runs that, without `=tile`");
}

TEST_CASE("help is about the command it is asked for") {
    CHECK(parsed({}).command == Command::help);
    CHECK(!parsed({"--help"}).help_about);
    CHECK(parsed({"run", "--help"}).help_about == Command::run);
    CHECK(parsed({"help", "check"}).help_about == Command::check);
    for (const char* text : {"tesserac run", "--emit", "Examples", "Exit codes"}) {
        CHECK(help_text(std::nullopt).find(text) != std::string::npos);
    }
    CHECK(help_text(Command::run).find("--emit") == std::string::npos);
}

TEST_CASE("a wrong word is answered by the one that was probably meant") {
    CHECK(refused({"chek", "a.tsr"}) == "there is no command `chek`; did you mean `check`?");
    CHECK(refused({"a.tsr", "--emti=tile"}) == "there is no option `--emti`; did you mean `--emit`?");
    CHECK(refused({"a.tsr", "--emit=tyle"}).ends_with("did you mean `tile`?"));
    CHECK(refused({"run", "--interpret", "--sanitize=rase", "a.tsr"}).ends_with("did you mean `race`?"));
}

TEST_CASE("a command line that can not be meant is refused") {
    CHECK(refused({"check"}) == "no program was named");
    CHECK(refused({"a.tsr", "b.tsr"}) == "one program at a time: `a.tsr` and `b.tsr` were given");
    CHECK(parsed({"check", "a.tsr", "b.tsr"}).files == std::vector<std::string>{"a.tsr", "b.tsr"});
    CHECK(refused({"check", "--diagnostics=sarif", "a.tsr", "b.tsr"}) ==
          "`--diagnostics=sarif` makes the log of one program: check them one at a time");
    CHECK(refused({"check", "--interpret", "a.tsr"}) == "`--interpret` does not go with `check`");
    CHECK(refused({"a.tsr", "-O7"}) == "`-O7` is not an optimization level (-O0, -O1, -O2, -O3)");
    CHECK(refused({"a.tsr", "-o"}) == "`-o` needs a value: -o FILE");
    CHECK(refused({"a.tsr", "-o", ""}) == "`-o` needs a value: -o FILE");
    CHECK(refused({"a.tsr", "--cpu="}) == "`--cpu` needs a value: --cpu=CPU");
    CHECK(refused({"a.tsr", "--emit=ptx", "--target=cpu"}) ==
          "`--emit=ptx` writes code for GPUs: `--target=cpu` has none");
    CHECK(refused({"reduce", "--time-limit=-1", "a.tsr"}) == "`-1` is not a number of seconds");
    CHECK(refused({"play", "--origin=editor.example"}) ==
          "`editor.example` is not an origin: http:// or https://, a host, perhaps a port");
    CHECK(refused({"play", "--origin=https://editor.example/"}) ==
          "`https://editor.example/` is not an origin: http:// or https://, a host, perhaps a port");
    CHECK(refused({"a.tsr", "--pass-limit=x"}) == "`x` is not a number of passes");
    CHECK(refused({"a.tsr", "-g=1"}) == "`-g` takes no value");
    CHECK(refused({"run", "--sanitize=race", "a.tsr"}) == "`--sanitize` works in the evaluator: add `--interpret`");
}

TEST_CASE("a program knows the options of the compiler that are written behind its name") {
    TsrProgram program{};
    program.name = "p";
    for (const OptionRow& row : option_table()) {
        if ((row.commands & (kRun | kCompile)) == 0) continue;
        const std::string word(row.spelling);
        if (word == "--tuned" || word == "--verbose") continue;  // not of `run`
        const auto line = tsr::runtime::parse_command_line(program, {word});
        REQUIRE(!line);
        CHECK(line.message().starts_with(word + " is an option of the compiler"));
    }
}
