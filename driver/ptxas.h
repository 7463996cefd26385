// NVIDIA's assembler, where one is installed: PTX to the code of one GPU.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tsr::driver {

class Ptxas {
public:
    // Looked for in PATH, then in CUDA_HOME/bin and /usr/local/cuda/bin.
    Ptxas();

    [[nodiscard]] bool found() const { return !path_.empty(); }

    // A cubin for a target ("sm_90a"), from the cache of programs where the same text was assembled before. May be
    // called by several threads at once.
    Result<std::string> assemble(const std::string& ptx, const std::string& target);

    // What ptxas said of the code that makes it slow: registers that it put into memory, products that it put in order.
    [[nodiscard]] std::vector<std::string> remarks() const { return remarks_; }

private:
    std::string path_;
    std::string version_;  // tells one ptxas from another
    std::mutex mutex_;
    std::vector<std::string> remarks_;
};

}  // namespace tsr::driver
