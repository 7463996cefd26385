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

    // Reads files, parses scalars, fills in defaults and dimensions. Refused with the option's name. `missing` says
    // that an option was left out: a mistake in the command line, not in its values.
    Result<Done> read(const CommandLine& line, bool& missing);
    const TsrSlot* slots() const { return slots_.data(); }

private:
    Result<TsrSlot> value(const TsrParameter& parameter, const std::string& word) const;
    Result<Done> fill_dimensions();

    const TsrProgram& program_;
    std::vector<TsrSlot> slots_;
    std::vector<bool> open_;  // dimensions that the shapes give
};

}  // namespace tsr::runtime
