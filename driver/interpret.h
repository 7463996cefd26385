// `tesserac run --interpret`: the program in the evaluator.
#pragma once

#include "driver/options.h"

namespace tsr::driver {

// Reads the command line and the files as an executable does, runs, writes results. Reports of the sanitizers are shown
// like diagnostics, and make the exit code 1.
int interpret(const Options& options);

}  // namespace tsr::driver
