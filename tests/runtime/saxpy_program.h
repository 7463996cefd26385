// What the compiler would make of saxpy, written by hand: the program that the tests of the command line run.
#pragma once

#include "runtime/abi.h"

namespace tsr::runtime::tests {

extern const TsrProgram saxpy;
extern const TsrKernelFamily saxpy_kernel;

}  // namespace tsr::runtime::tests
