// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

#include "base/child_process.h"

namespace tsr::driver {

struct Ended {
    int code = -1;  // exit code; 128 + the signal's number; -1: it could not be started
    bool timed_out = false;
    std::string out;
    std::string err;
};

// Runs a program with these words, found as a shell would; standard input is empty. It is ended after `seconds`.
Ended run_program(const std::vector<std::string>& words, int seconds);

// The path of the compiler that runs.
std::string own_path();

}  // namespace tsr::driver
