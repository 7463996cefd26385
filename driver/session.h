// One run of the compiler on one program: its texts, what is said about them, and how that reaches the user.
#pragma once

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "driver/options.h"
#include "driver/output.h"
#include "frontend/ast.h"

namespace tsr::driver {

class Session {
public:
    explicit Session(const Options& options) : options_(options) {}

    Sources sources;
    Diagnostics diagnostics;

    [[nodiscard]] const Options& options() const { return options_; }

    // Reads and parses a file, standard input where the path is `-`. Null when it could not be read, which is then a
    // diagnostic.
    std::unique_ptr<ast::Module> parse_file(const std::string& path);

    // An error that has no place in a program.
    void fail(std::string code, std::string message) { diagnostics.error(std::move(code), {}, std::move(message)); }

    // From now on a crash leaves copies of all texts read so far.
    void note_sources();

    // Diagnostics in the form asked for.
    [[nodiscard]] std::string show(const Diagnostics& some) const;

    // Prints the diagnostics to standard error in the form asked for. Gives the exit code: 1 if there were errors.
    int finish();

    // Writes a result where `-o` says (else to `otherwise`, or standard output if that is empty); says what goes wrong.
    void write_result(std::string_view bytes, const std::string& otherwise);
    // Writes a file that is none of those that were read; says what goes wrong.
    void write_file(const std::string& path, std::string_view bytes, FileKind kind);

private:
    // Whether a text came from this file, by whatever name.
    [[nodiscard]] bool was_read(const std::string& path) const;

    const Options& options_;
    size_t noted_ = 0;  // sources
};

}  // namespace tsr::driver
