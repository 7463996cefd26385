// `--emit=python`: a program's functions as a package for Python.
#pragma once

#include "driver/options.h"

namespace tsr::driver {

// Compiles the program of the options, with functions that give gradients of its `@jit` functions behind its text, and
// writes the package below `-o`. Gives the exit code.
int make_python_package(const Options& options);

}  // namespace tsr::driver
