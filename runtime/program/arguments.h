// The values that main is given.
#pragma once

#include <vector>

#include "runtime/abi.h"
#include "runtime/program/command_line.h"
#include "runtime/result.h"

namespace tsr::runtime {

// One slot per parameter, in order; owns the tensors and strings in them.
class Arguments {
public:
    explicit Arguments(const TsrProgram& program) : program_(program) {}
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;
    ~Arguments();

    // Parses scalars, fills in defaults. Refused with the option's name: a mistake in the command line.
    Result<Done> read_words(const CommandLine& line);
    // Reads files, fills in the dimensions that they give. Refused: a mistake in the files.
    Result<Done> read_files(const CommandLine& line);
    const TsrSlot* slots() const { return slots_.data(); }

private:
    Result<Done> fill_dimensions();

    const TsrProgram& program_;
    std::vector<TsrSlot> slots_;
    std::vector<bool> open_;  // dimensions that the shapes give
};

}  // namespace tsr::runtime
