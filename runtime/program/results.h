// What main returned: to files, or to stdout in short form.
#pragma once

#include <vector>

#include "runtime/abi.h"
#include "runtime/program/command_line.h"
#include "runtime/result.h"

namespace tsr::runtime {

// The places where results go, once the inputs are known: what can not be written there is told before anything runs.
Result<Done> check_places(const CommandLine& line);
// Mistakes that can be told before the program runs: --out without results, several results for one .npy.
Result<Done> check_outputs(const TsrProgram& program, const CommandLine& line);
// Releases the values.
Result<Done> deliver_results(const TsrProgram& program, const CommandLine& line, std::vector<TsrSlot> values);

}  // namespace tsr::runtime
