// What ends the run of a host program.
#pragma once

#include <string>

namespace tsr::ir::eval {

// The runtime's failure handler may only throw or end the process, so this is the one way out of calls that stand under
// calls; `run_program` catches it.
struct HostFailure {
    std::string message;
};

}  // namespace tsr::ir::eval
